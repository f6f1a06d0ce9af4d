#include "core/analysis/engine/writer_advice.hpp"
#include "core/base/format.hpp"
#include "core/doctor/examine_run.hpp"
#include "core/doctor/thresholds.hpp"
#include "core/graphs/lost_nodes.hpp"

#include <algorithm>

namespace core::doctor {
namespace {

bool is_many(std::uint64_t count, std::uint64_t of, double share) {
    return count > kFewEvents && static_cast<double>(count) > share * static_cast<double>(of);
}

// "12 of 3,456 GPU events (0.35 %)"
std::string share_text(std::uint64_t count, std::uint64_t of, std::string_view one, std::string_view many = {}) {
    const double share = of == 0 ? 0 : static_cast<double>(count) / static_cast<double>(of);
    return format_count(count) + " of " + count_of(of, one, many) + " (" + format_ratio(share) + ")";
}

// One kind of event, over the ranks where it is worth reporting.
struct Extent {
    std::uint64_t count = 0;
    std::uint64_t of = 0;
    Duration size{};
    EventRef example;
    std::vector<RankKey> ranks;

    void add(const FindingSink& sink, std::size_t slot, const Tally& tally, std::uint64_t whole) {
        const bool worse = !example.valid() || tally.size > size;
        if (worse) example = {static_cast<std::uint32_t>(slot), tally.example};
        if (worse) size = tally.size;
        count += tally.count;
        of += whole;
        ranks.push_back(sink.key(slot));
    }
    bool any() const { return count > 0; }
};

// Over the ranks where the tally is many of what `whole` counts; with many 0, over those that have any.
template <class Whole>
Extent measure_extent(const FindingSink& sink, Tally RankStats::*tally, double many, const Whole& whole) {
    Extent extent;
    for (std::size_t slot = 0; slot < sink.ranks.size(); ++slot) {
        const std::uint64_t of = whole(*sink.ranks[slot], sink.trace(slot));
        const Tally& own = (*sink.ranks[slot]).*tally;
        if (own.count > 0 && (many == 0 || is_many(own.count, of, many))) extent.add(sink, slot, own, of);
    }
    return extent;
}

std::uint64_t gpu_events(const RankStats&, const RankTrace& trace) { return trace.gpu_events.size(); }
std::uint64_t all_events(const RankStats&, const RankTrace& trace) { return trace.size(); }

DoctorFinding& add_finding(FindingSink& sink, std::string_view id, const Extent& extent, std::string text) {
    DoctorFinding& finding = sink.add(id, extent.count, std::move(text));
    finding.ranks = extent.ranks;
    finding.example = sink.example_of(extent.example);
    return finding;
}

void report_unrecorded_launches(FindingSink& sink) {
    Extent extent;
    bool has_calls = false;
    for (std::size_t slot = 0; slot < sink.ranks.size(); ++slot) {
        const std::span<const EventId> gpu = sink.trace(slot).gpu_events;
        if (gpu.empty() || sink.ranks[slot]->linked > 0) continue;
        Tally all{.count = gpu.size(), .example = gpu.front(), .size = {}};
        extent.add(sink, slot, all, gpu.size());
        has_calls = has_calls || sink.ranks[slot]->has_launch_calls;
    }
    if (!extent.any()) return;
    DoctorFinding& finding =
        add_finding(sink, "launches-not-recorded", extent,
                    (extent.count == 1 ? "the one GPU event has"
                                       : "the GPU events, " + format_count(extent.count) + " in all, have") +
                        std::string(" no launch in the trace: ") +
                        (has_calls ? "runtime calls are there, but none fits" : "no runtime calls were recorded"));
    if (!has_calls) finding.remedy = advice_for(sink.run).calls;
}

void report_without_launch(FindingSink& sink) {
    Extent extent;
    std::uint64_t before = 0;
    std::uint64_t lost = 0;
    bool is_lost = false;
    for (std::size_t slot = 0; slot < sink.ranks.size(); ++slot) {
        const RankStats& rank = *sink.ranks[slot];
        const std::uint64_t gpu = sink.trace(slot).gpu_events.size();
        const bool loses = is_many(rank.launch_lost.count, gpu, kManyLost);
        if (rank.linked == 0 || (!loses && !is_many(rank.before_window.count, gpu, kManyBeforeWindow))) continue;
        Tally both = loses ? rank.launch_lost : rank.before_window;
        both.count = rank.launch_lost.count + rank.before_window.count;
        if (loses && !is_lost) extent.example = {};  // what is lost is the better example
        extent.add(sink, slot, both, gpu);
        before += rank.before_window.count;
        lost += rank.launch_lost.count;
        is_lost = is_lost || loses;
    }
    if (!extent.any()) return;
    std::string text = share_text(extent.count, extent.of, "GPU event") + " have no launch in the trace: ";
    if (before > 0)
        text += format_count(static_cast<std::int64_t>(before)) +
                " at the head of their streams, launched before the window opened";
    if (before > 0 && lost > 0) text += "; ";
    if (lost > 0) text += format_count(static_cast<std::int64_t>(lost)) + " behind others that have one";
    DoctorFinding& finding = add_finding(sink, "kernels-without-launch", extent, std::move(text));
    if (!is_lost) finding.severity = DoctorSeverity::Note;
}

void report_before_launch(FindingSink& sink) {
    Extent extent;
    for (std::size_t slot = 0; slot < sink.ranks.size(); ++slot) {
        const RankStats& rank = *sink.ranks[slot];
        const bool far = rank.before_launch.count > 0 && rank.before_launch.size > kClockError;
        if (far || is_many(rank.before_launch.count, rank.linked, kManyBeforeLaunch))
            extent.add(sink, slot, rank.before_launch, rank.linked);
    }
    if (!extent.any()) return;
    add_finding(sink, "kernels-before-launch", extent,
                share_text(extent.count, extent.of, "launched GPU event") +
                    " begin before the call that launches them, by up to " + format_duration(extent.size));
}

void report_lost_work(FindingSink& sink) {
    Extent extent;
    LaunchLosses sum;
    std::uint64_t copies = 0;
    for (std::size_t slot = 0; slot < sink.ranks.size(); ++slot) {
        const LaunchLosses& losses = sink.ranks[slot]->launches;
        if (losses.lost == 0 || sink.trace(slot).diagnostics.count("file-truncated") > 0) continue;
        extent.add(sink, slot, {.count = losses.lost, .example = losses.example, .size = {}}, losses.launches);
        sum.at_ends += losses.at_ends;
        if (sink.ranks[slot]->copy_events == 0) copies += losses.copies;
    }
    if (!extent.any()) return;
    sum.lost = extent.count;
    sum.launches = extent.of;
    std::string text = sum.text();
    if (sum.lost == sum.launches && copies > 0)
        text += ", and " + count_of(copies, "copy or set", "copies and sets") + " have none either";
    add_finding(sink, "launches-without-kernel", extent, std::move(text));
}

void report_lost_collectives(FindingSink& sink) {
    Extent extent;
    for (std::size_t slot = 0; slot < sink.ranks.size(); ++slot) {
        const Tally& calls = sink.ranks[slot]->unrecorded_collectives;
        if (calls.count > 0) extent.add(sink, slot, calls, calls.count);
    }
    if (!extent.any()) return;
    add_finding(sink, "collectives-not-recorded", extent,
                count_of(extent.count, "collective") + " called by the CPU and no GPU event of communication on " +
                    (extent.ranks.size() == 1 ? "this rank" : "these ranks"));
}

void report_durations(FindingSink& sink) {
    if (const Extent extent = measure_extent(sink, &RankStats::too_long, 0, all_events); extent.any())
        add_finding(sink, "implausible-duration", extent,
                    count_of(extent.count, "event") + " longer than " + format_duration(kLongestGpuEvent) +
                        " on the GPU or a day on the CPU, up to " + format_duration(extent.size));
    if (const Extent extent = measure_extent(sink, &RankStats::no_length, kManyOfNoLength, gpu_events); extent.any())
        add_finding(sink, "gpu-duration-zero", extent,
                    share_text(extent.count, extent.of, "GPU event") + " take no time at all");
    if (const Extent extent = measure_extent(sink, &RankStats::overlapping, kManyOverlapping, gpu_events); extent.any())
        add_finding(sink, "kernels-overlap", extent,
                    share_text(extent.count, extent.of, "GPU event") +
                        " begin before an earlier one on their stream has ended, by up to " +
                        format_duration(extent.size));
}

void report_communication(FindingSink& sink) {
    const Extent unknown = measure_extent(sink, &RankStats::unknown_communication, 0, gpu_events);
    if (unknown.any()) {
        Wide time = 0;
        for (const RankStatsPtr& rank : sink.ranks) time += rank->unknown_time.count();
        add_finding(sink, "unknown-communication", unknown,
                    count_of(unknown.count, "GPU event") + " are named like communication and count as compute, " +
                        format_duration(Duration{clamped(time)}) + " in all");
    }
    if (const Extent extent = measure_extent(sink, &RankStats::group_cut, 0, gpu_events); extent.any())
        add_finding(sink, "group-ranks-cut", extent,
                    count_of(extent.count, "event") + " of communication have a cut list of the group's ranks");
    if (const Extent extent = measure_extent(sink, &RankStats::shapes_cut, 0, all_events); extent.any())
        add_finding(sink, "shapes-cut", extent, count_of(extent.count, "list") + " of input shapes or types cut short");
}

void report_lost_nodes(FindingSink& sink) {
    for (std::size_t slot = 0; slot < sink.ranks.size(); ++slot) {
        const std::shared_ptr<const LostNodes> lost = lost_nodes_of(*sink.run.rank(slot).index);
        if (lost->replays() == 0) continue;
        DoctorFinding& finding = sink.add("graph-nodes-lost", lost->replays(), lost->text());
        finding.ranks = {sink.key(slot)};
        finding.example = sink.example_of({static_cast<std::uint32_t>(slot), lost->example()});
    }
}

}  // namespace

void check_events(FindingSink& sink) {
    report_unrecorded_launches(sink);
    report_without_launch(sink);
    report_before_launch(sink);
    report_lost_work(sink);
    report_lost_nodes(sink);
    report_lost_collectives(sink);
    report_durations(sink);
    report_communication(sink);
}

}  // namespace core::doctor
