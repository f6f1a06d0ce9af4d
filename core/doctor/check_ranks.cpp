#include "core/doctor/examine_run.hpp"

#include "core/analysis/engine/writer_advice.hpp"
#include "core/base/format.hpp"
#include "core/doctor/losses.hpp"
#include "core/index/count_files.hpp"
#include "core/store/flight_names.hpp"
#include "core/store/memory_names.hpp"

#include <algorithm>
#include <set>

namespace core::doctor {
namespace {

void report_missing(FindingSink& sink) {
    const DoctorStats& rank_stats = sink.rank_stats;
    if (rank_stats.missing.empty()) return;
    const std::uint64_t missing = count_numbers(rank_stats.missing);
    DoctorFinding& finding =
        sink.add("ranks-missing", missing,
                 (count_numbers(rank_stats.present) == 1 ? "rank " : "ranks ") + format_ranges(rank_stats.present) +
                     " of a world of " + format_count(*rank_stats.world_size) +
                     (count_numbers(rank_stats.present) == 1 ? " is" : " are") +
                     " here; missing: " + format_ranges(rank_stats.missing));
    // One rank alone is recorded and opened on purpose.
    if (sink.run.ranks().size() == 1) finding.severity = DoctorSeverity::Note;
}

void report_worlds(FindingSink& sink) {
    std::map<int, std::vector<RankKey>> worlds;
    for (std::size_t slot = 0; slot < sink.ranks.size(); ++slot)
        if (const std::optional<int> world = sink.trace(slot).info.world_size) worlds[*world].push_back(sink.key(slot));
    if (worlds.size() < 2) return;
    std::string text;
    for (const auto& [size, keys] : worlds)
        text += (text.empty() ? "" : ", ") + format_ranks(keys) + (keys.size() == 1 ? " says " : " say ") +
                format_count(size);
    sink.add("world-size-differs", worlds.size(), "the files state different world sizes: " + text);
}

void report_without_work(FindingSink& sink) {
    std::vector<RankKey> empty;
    std::vector<RankKey> without_gpu;
    std::size_t slot_of_first = 0;  // of these
    bool any_launches = false;  // on one of them
    std::uint64_t ranges = 0;  // kernels recorded as counters, on ranks that lost nothing
    std::size_t dumps = 0;  // of other kinds than traces: have no GPU events, and some none at all
    for (std::size_t slot = 0; slot < sink.ranks.size(); ++slot) {
        const RankInfo& info = sink.trace(slot).info;
        if (is_flight_dump(info) || is_log(info)) {
            ++dumps;
            continue;
        }
        if (is_memory_snapshot(info) && sink.trace(slot).size() > 0) {
            ++dumps;
            continue;
        }
        if (sink.trace(slot).diagnostics.count("file-gone") > 0) continue;
        if (sink.trace(slot).size() == 0)
            empty.push_back(sink.key(slot));
        else if (sink.trace(slot).gpu_events.empty()) {
            if (without_gpu.empty()) slot_of_first = slot;
            without_gpu.push_back(sink.key(slot));
            const LaunchLosses& launches = sink.ranks[slot]->launches;
            any_launches = any_launches || launches.launches > 0 || launches.copies > 0;
            ranges += launches.lost == 0 ? launches.ranges : 0;
        }
    }
    if (!empty.empty())
        sink.add("rank-empty", empty.size(), count_of(empty.size(), "rank") + " without any event").ranks = empty;
    if (without_gpu.empty()) return;
    const bool all = without_gpu.size() + empty.size() + dumps == sink.ranks.size();
    std::string text = count_of(without_gpu.size(), "rank") + " of " + format_count(std::ssize(sink.ranks)) +
                       " without GPU events, while the others have some";
    if (all) text = "no GPU event on any rank: the run is of the CPU alone";
    if (all && any_launches) text = "no GPU event on any rank, though GPU work is launched: its records are missing";
    if (all && ranges > 0)
        text = "no GPU event on any rank: " + count_of(ranges, "kernel") +
               (ranges == 1 ? " is a range" : " are ranges") +
               " of counters (cuda_profiler_range), whose times are not those of the GPU";
    const RankTrace& first_without = sink.trace(slot_of_first);
    DoctorFinding& finding = sink.add("rank-cpu-only", without_gpu.size(), std::move(text));
    if (all && !any_launches && ranges == 0) finding.severity = DoctorSeverity::Note;
    finding.remedy = advice_for(find_trace_writer(first_without)).gpu_work;
    finding.ranks = std::move(without_gpu);
}

}  // namespace

void check_ranks(FindingSink& sink) {
    std::set<std::int64_t> numbers;
    sink.rank_stats.files = count_files(sink.run);
    for (std::size_t slot = 0; slot < sink.ranks.size(); ++slot) numbers.insert(sink.key(slot).number);
    sink.rank_stats.world_size = stated_world_size(sink.run);
    sink.rank_stats.present = join_numbers(std::vector<std::int64_t>(numbers.begin(), numbers.end()));
    if (sink.rank_stats.world_size) sink.rank_stats.missing = find_missing(numbers, *sink.rank_stats.world_size);
    report_missing(sink);
    report_worlds(sink);
    report_without_work(sink);
}

std::string describe_clocks(const DoctorStats& rank_stats) {
    if (rank_stats.clocks == ClockState::Alone) return {};
    if (rank_stats.clocks == ClockState::Unknown) return "; clocks unknown";
    if (rank_stats.clocks == ClockState::Aligned)
        return "; clocks aligned (residual " + format_duration(rank_stats.clock_residual) + ", " +
               count_of(rank_stats.collectives, "collective") + ")";
    const std::string_view claim =
        rank_stats.clocks == ClockState::Agree ? "; clocks agree within " : "; clocks differ by ";
    return std::string(claim) + format_duration(rank_stats.clock_spread.value_or(Duration{})) + " (residual " +
           format_duration(rank_stats.clock_residual) + ", " + count_of(rank_stats.collectives, "collective") + ")";
}

}  // namespace core::doctor

namespace core {

std::string DoctorStats::text() const {
    const std::uint64_t count = count_numbers(present);
    const bool has_world = world_size.value_or(1) > 1;
    std::string text = has_world ? format_count(static_cast<std::int64_t>(count)) + " of " : "";
    text += doctor::count_of(has_world ? static_cast<std::uint64_t>(*world_size) : count, "rank");
    if (files > count) text += " in " + doctor::count_of(files, "file");
    if (!common_steps.empty())
        text += "; step" + std::string(count_numbers(common_steps) == 1 ? " " : "s ") + format_ranges(common_steps) +
                (count > 1 ? " on each" : "");
    if (overlap) text += "; windows overlap for " + format_ratio(*overlap);
    return text + doctor::describe_clocks(*this);
}

}  // namespace core
