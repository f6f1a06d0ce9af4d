#include "core/doctor/examine_run.hpp"

#include "core/analysis/run/summary_answers.hpp"
#include "core/base/format.hpp"
#include "core/base/utf8.hpp"
#include "core/collectives/choose_clocks.hpp"
#include "core/collectives/waits.hpp"
#include "core/doctor/losses.hpp"
#include "core/doctor/report_bytes.hpp"
#include "core/index/summary_rank.hpp"

#include <algorithm>
#include <set>

namespace core {

std::string format_ranks(std::span<const RankKey> keys) {
    if (keys.empty()) return {};
    std::string text;
    if (std::ranges::all_of(keys, [](RankKey key) { return key.capture == 0; })) {
        std::vector<std::int64_t> numbers;
        for (const RankKey key : keys) numbers.push_back(key.number);
        text = format_ranges(join_numbers(numbers));
    } else {
        constexpr std::size_t kMost = 12;
        for (std::size_t i = 0; i < std::min(keys.size(), kMost); ++i)
            text += (i > 0 ? ", " : "") + format_rank(keys[i]);
        if (keys.size() > kMost) text += " and " + std::to_string(keys.size() - kMost) + " more";
    }
    return (keys.size() == 1 ? "rank " : "ranks ") + text;
}

RankStatsPtr DoctorMemory::find(const RankIndexPtr& rank) const {
    const std::lock_guard lock(mutex_);
    const auto it = known_.find(rank);
    return it == known_.end() ? nullptr : it->second;
}

void DoctorMemory::keep(const RankIndexPtr& rank, RankStatsPtr rank_stats) {
    const std::lock_guard lock(mutex_);
    std::erase_if(known_, [](const auto& known) { return known.first.expired(); });
    known_[rank] = std::move(rank_stats);
}

namespace doctor {

std::string count_of(std::uint64_t count, std::string_view one, std::string_view many) {
    const std::string noun = count == 1 ? std::string(one) : many.empty() ? std::string(one) + "s" : std::string(many);
    return format_count(count) + " " + noun;
}

DoctorFinding& FindingSink::add(std::string_view id, std::uint64_t count, std::string text) {
    DoctorFinding& finding = findings_.emplace_back();
    finding.rule = &rule(id);
    finding.severity = finding.rule->severity;
    finding.count = count;
    finding.text = std::move(text);
    return finding;
}

DoctorExample FindingSink::example_of(EventRef ref) const {
    if (!ref.valid()) return {};
    constexpr std::size_t kLongestName = 100;
    const RankSlot& rank = run.rank(ref.slot);
    const std::string name = shorten_utf8(rank.trace().name_text(ref.event), kLongestName, "...");
    const Duration at = between(run.origin(), rank.start_of(ref.event));
    return {"rank " + format_rank(rank.key) + ": \"" + name + "\" at " + format_time_offset(at, Duration{1000}), ref};
}

std::vector<DoctorFinding> FindingSink::release() && {
    std::ranges::stable_sort(findings_, [](const DoctorFinding& a, const DoctorFinding& b) {
        return a.severity != b.severity ? a.severity > b.severity : a.rule < b.rule;
    });
    return std::move(findings_);
}

}  // namespace doctor

namespace {

std::optional<std::vector<RankStatsPtr>> examine_ranks(const Run& run, unsigned threads, const JobContext& context,
                                                       DoctorMemory* memory) {
    std::vector<RankStatsPtr> all(run.ranks().size());
    Executor::instance().parallel_for(Priority::Answer, all.size(), threads, [&](std::size_t slot) {
        const RankIndexPtr& index = run.rank(slot).index;
        if (memory) all[slot] = memory->find(index);
        if (all[slot] || context.cancelled()) return;
        Result<RankStats> rank_stats = doctor::examine_rank(*index, context);
        if (!rank_stats) return;
        all[slot] = std::make_shared<const RankStats>(*rank_stats);
        if (memory) memory->keep(index, all[slot]);
    });
    if (std::ranges::find(all, nullptr) != all.end()) return std::nullopt;
    return all;
}

// The findings of the whole run, and the damage of its summary.
Result<DoctorReport> examine_summary(const Run& run) {
    Result<DoctorReport> report =
        decode_report(text_of_summary(run, is_aligned(run) ? kReportAligned : kReportRecorded));
    if (!report) return std::move(report).error().within(run.name());
    const std::uint64_t lost = count_damaged_ranks(run);
    if (lost == 0) return report;
    std::set<std::int64_t> present;
    for (const RankSlot& rank : run.ranks()) present.insert(rank.key.number);
    report->rank_stats.present = join_numbers(std::vector<std::int64_t>(present.begin(), present.end()));
    DoctorFinding damaged;
    damaged.rule = &doctor::rule("summary-damaged");
    damaged.severity = damaged.rule->severity;
    damaged.count = lost;
    damaged.text = doctor::count_of(lost, "rank") + " of the summary " + (lost == 1 ? "is" : "are") + " damaged";
    report->findings.insert(report->findings.begin(), std::move(damaged));
    return report;
}

}  // namespace

Result<DoctorReport> examine_run(const Run& run, unsigned threads, const JobContext& context, DoctorMemory* memory) {
    if (run.summary()) return examine_summary(*run.summary());
    if (is_summary(run)) return examine_summary(run);
    const std::optional<std::vector<RankStatsPtr>> ranks = examine_ranks(run, threads, context, memory);
    if (!ranks || context.cancelled()) return cancelled_error();
    doctor::FindingSink sink{run, *ranks};
    doctor::check_ranks(sink);
    doctor::check_steps(sink);
    doctor::check_windows(sink);
    doctor::check_clocks(sink);
    doctor::check_collectives(sink);
    doctor::check_events(sink);
    doctor::check_telemetry(sink);
    doctor::check_reading(sink);
    DoctorReport report;
    report.rank_stats = std::move(sink.rank_stats);
    report.findings = std::move(sink).release();
    return report;
}

}  // namespace core
