#include "core/analysis/engine/writer_advice.hpp"
#include "core/base/format.hpp"
#include "core/collectives/matched_run.hpp"
#include "core/doctor/examine_run.hpp"
#include "core/doctor/thresholds.hpp"
#include "core/index/work_window.hpp"
#include "core/store/flight_names.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace core::doctor {
namespace {

struct StepTaker {
    std::size_t slot;  // of windows the first
    std::set<std::int64_t> steps;
};

// Collects the steps of each rank: of its first capture, or of all where they are windows of one job.
std::vector<StepTaker> collect_steps(const FindingSink& sink) {
    std::vector<StepTaker> takers;
    std::map<std::int32_t, std::size_t> places;
    for (std::size_t slot = 0; slot < sink.ranks.size(); ++slot) {
        if (!sink.compares_windows(slot) || sink.trace(slot).size() == 0) continue;
        const auto [place, is_new] = places.try_emplace(sink.key(slot).number, takers.size());
        if (is_new) takers.push_back({slot, {}});
        for (const Step& step : sink.trace(slot).steps) takers[place->second].steps.insert(step.number);
    }
    return takers;
}

std::string numbers_text(const std::vector<std::int64_t>& rising) { return format_ranges(join_numbers(rising)); }

void report_uncommon(FindingSink& sink, std::span<const StepTaker> takers, std::span<const std::int64_t> common,
                     const std::vector<std::int64_t>& others) {
    std::string text = common.empty() ? "no step is on all " : "steps ";
    if (!common.empty()) text += format_ranges(join_numbers(common)) + " are on all ";
    text += count_of(takers.size(), "rank") + "; on some only: " + numbers_text(others);
    DoctorFinding& finding = sink.add("steps-not-common", others.size(), std::move(text));
    for (const StepTaker& taker : takers) {
        if (taker.steps.size() < common.size() + others.size()) finding.ranks.push_back(sink.key(taker.slot));
        if (finding.example.event.valid()) continue;
        for (const Step& step : sink.trace(taker.slot).steps) {
            if (std::ranges::binary_search(common, step.number)) continue;
            finding.example = sink.example_of({static_cast<std::uint32_t>(taker.slot), step.event});
            break;
        }
    }
}

// Ranks with GPU work are compared by that, because annotations may begin long before it.
std::optional<RunRange> window_of(const FindingSink& sink, std::size_t slot, bool by_gpu) {
    if (!sink.compares_windows(slot) || sink.trace(slot).size() == 0) return std::nullopt;
    const RankSlot& rank = sink.run.rank(slot);
    // A rank whose GPU records are lost at an end was recorded there all the same.
    if (by_gpu && sink.ranks[slot]->launches.at_ends > 0) return std::nullopt;
    const RankRange window = by_gpu ? rank.index->gpu_window() : sink.trace(slot).window;
    if (window.empty()) return std::nullopt;
    return rank.to_run(window);
}

struct Window {
    std::size_t slot;
    RunRange range;
};

// By capture.
std::map<std::int32_t, std::vector<Window>> collect_windows(const FindingSink& sink) {
    const bool by_gpu =
        std::ranges::any_of(sink.run.ranks(), [](const RankSlot& rank) { return !rank.trace().gpu_events.empty(); });
    std::map<std::int32_t, std::vector<Window>> windows;
    for (std::size_t slot = 0; slot < sink.ranks.size(); ++slot) {
        const RankInfo& info = sink.trace(slot).info;  // whose windows are those of a few calls
        if (is_flight_dump(info) || is_log(info)) continue;
        if (const std::optional<RunRange> window = window_of(sink, slot, by_gpu))
            windows[sink.key(slot).capture].push_back({slot, *window});
    }
    return windows;
}

// The rank that narrows the common window most.
std::string describe_edge(const FindingSink& sink, std::span<const Window> windows) {
    const auto [first_begin, last_begin] =
        std::ranges::minmax(windows, {}, [](const Window& window) { return window.range.begin; });
    const auto [first_end, last_end] =
        std::ranges::minmax(windows, {}, [](const Window& window) { return window.range.end; });
    const Duration late = between(first_begin.range.begin, last_begin.range.begin);
    const Duration early = between(first_end.range.end, last_end.range.end);
    if (late >= early)
        return "rank " + format_rank(sink.key(last_begin.slot)) + " begins last, " + format_duration(late) +
               " after the first";
    return "rank " + format_rank(sink.key(first_end.slot)) + " ends first, " + format_duration(early) +
           " before the last";
}

Duration length_of(const Window& window) { return between(window.range.begin, window.range.end); }

void report_apart(FindingSink& sink, const Window& last_begin, const Window& first_end) {
    const RankKey late = sink.key(last_begin.slot);
    const RankKey early = sink.key(first_end.slot);
    DoctorFinding& finding =
        sink.add("windows-apart", 2,
                 "the windows of the ranks have no moment in common: rank " + format_rank(late) + " begins " +
                     format_duration(between(first_end.range.end, last_begin.range.begin)) + " after rank " +
                     format_rank(early) + " has ended");
    finding.ranks = {std::min(late, early), std::max(late, early)};
}

struct CommonTime {
    const Window& last_begin;
    const Window& first_end;
    const Window& longest;
    Duration common() const { return between(last_begin.range.begin, first_end.range.end); }
    // Share of the longest window.
    double share(Duration part) const {
        return static_cast<double>(part.count()) / static_cast<double>(length_of(longest).count());
    }
};

CommonTime find_common(std::span<const Window> windows) {
    return {.last_begin = *std::ranges::max_element(windows, {}, [](const Window& w) { return w.range.begin; }),
            .first_end = *std::ranges::min_element(windows, {}, [](const Window& w) { return w.range.end; }),
            .longest = *std::ranges::max_element(windows, {}, length_of)};
}

void report_windows(FindingSink& sink, std::span<const Window> windows) {
    const CommonTime found = find_common(windows);
    const auto& [last_begin, first_end, longest] = found;
    const Duration common = found.common();
    const auto share = [&](Duration part) { return found.share(part); };
    sink.rank_stats.overlap = std::max(0.0, share(common));
    if (common <= Duration{0}) return report_apart(sink, last_begin, first_end);
    if (share(common) >= kLeastOverlap) return;
    DoctorFinding& finding =
        sink.add("windows-differ", 0,
                 "all ranks have " + format_duration(common) + " in common, " + format_ratio(share(common)) +
                     " of the longest window (rank " + format_rank(sink.key(longest.slot)) + ", " +
                     format_duration(length_of(longest)) + "); " + describe_edge(sink, windows));
    for (const Window& window : windows)
        if (share(length_of(window)) < kLeastOverlap || &window == &last_begin || &window == &first_end)
            finding.ranks.push_back(sink.key(window.slot));
    finding.count = finding.ranks.size();
}

struct Strays {
    std::uint64_t count = 0;
    EventId first = kNoEvent;
};

// They lie at the ends of lanes.
void count_strays(const RankSlot& rank, const Lane& lane, RunRange work, Strays& strays) {
    const RankTrace& trace = rank.trace();
    const auto takes_time = [&](std::size_t e) { return trace.duration[e] > Duration{0}; };
    const auto add = [&](std::size_t e) {
        if (!takes_time(e)) return;
        if (strays.count++ == 0) strays.first = static_cast<EventId>(e);
    };
    std::size_t first = index_of(lane.first);
    std::size_t last = index_of(lane.last);
    for (; first < last && rank.to_run(trace.end(static_cast<EventId>(first))) < work.begin; ++first) add(first);
    for (; first < last && rank.to_run(trace.start[last - 1]) > work.end; --last) add(last - 1);
}

void report_strays(FindingSink& sink) {
    const RunRange work = find_work_window(sink.run);
    if (work == sink.run.window()) return;
    Strays all;
    std::vector<RankKey> ranks;
    EventRef example;
    for (std::size_t slot = 0; slot < sink.ranks.size(); ++slot) {
        Strays strays;
        for (const Lane& lane : sink.trace(slot).lanes)
            if (sink.trace(slot).tracks[lane.track].kind != TrackKind::Instants)
                count_strays(sink.run.rank(slot), lane, work, strays);
        if (strays.count == 0) continue;
        ranks.push_back(sink.key(slot));
        if (all.count == 0) example = {static_cast<std::uint32_t>(slot), strays.first};
        all.count += strays.count;
    }
    if (all.count == 0) return;
    DoctorFinding& finding =
        sink.add("times-far-off", all.count,
                 count_of(all.count, "event") + " far away from the rest, which takes " +
                     format_duration(between(work.begin, work.end)) + " of the " +
                     format_duration(between(sink.run.window().begin, sink.run.window().end)) + " from first to last");
    finding.ranks = std::move(ranks);
    finding.example = sink.example_of(example);
}

}  // namespace

void check_steps(FindingSink& sink) {
    const std::vector<StepTaker> takers = collect_steps(sink);
    if (takers.empty()) return;
    std::set<std::int64_t> all;
    for (const StepTaker& taker : takers) all.insert(taker.steps.begin(), taker.steps.end());
    std::vector<std::int64_t> common, others;
    for (const std::int64_t number : all) {
        const bool everywhere =
            std::ranges::all_of(takers, [&](const StepTaker& taker) { return taker.steps.contains(number); });
        (everywhere ? common : others).push_back(number);
    }
    sink.rank_stats.common_steps = join_numbers(common);
    if (!others.empty()) report_uncommon(sink, takers, common, others);
    const bool any_work =
        std::ranges::any_of(takers, [&](const StepTaker& taker) { return !sink.trace(taker.slot).gpu_events.empty(); });
    if (!all.empty() || !any_work) return;
    const bool on_gpu_rows = std::ranges::any_of(takers, [&](const StepTaker& taker) {
        return sink.trace(taker.slot).diagnostics.count("steps-on-gpu-rows") > 0;
    });
    if (!on_gpu_rows)
        sink.add("steps-absent", 0, "no rank has marks of steps (ProfilerStep#N)").remedy = advice_for(sink.run).steps;
}

void check_windows(FindingSink& sink) {
    report_strays(sink);
    // Guessed clocks align windows at their starts.
    if (sink.run.diagnostics().count("clock-guessed") > 0) return;
    // Windows of one job that have least in common.
    const std::vector<Window>* least = nullptr;
    double share = 0;
    const auto captures = collect_windows(sink);
    for (const auto& [capture, windows] : captures) {
        if (windows.size() < 2) continue;
        const CommonTime found = find_common(windows);
        const double own = found.share(found.common());
        if (least && own >= share) continue;
        least = &windows;
        share = own;
    }
    if (least) report_windows(sink, *least);
}

namespace {

// By the median of its collectives: the rank whose clock is ahead, and the one that is behind.
struct ClockPair {
    RankKey late;
    RankKey early;
};

ClockPair farthest_apart(const FindingSink& sink, const ClockSpread& clocks) {
    const auto most = std::ranges::max_element(clocks.offsets) - clocks.offsets.begin();
    const auto least = std::ranges::min_element(clocks.offsets) - clocks.offsets.begin();
    return {sink.key(clocks.slots[static_cast<std::size_t>(most)]),
            sink.key(clocks.slots[static_cast<std::size_t>(least)])};
}

void report_apart(FindingSink& sink, const ClockSpread& clocks) {
    const ClockPair pair = farthest_apart(sink, clocks);
    DoctorFinding& finding =
        sink.add("clocks-apart", clocks.collectives,
                 "rank " + format_rank(pair.late) + " ends the same collectives " + format_duration(clocks.spread) +
                     " later than rank " + format_rank(pair.early) + ", by the median of " +
                     count_of(clocks.collectives, "collective"));
    finding.ranks = {std::min(pair.late, pair.early), std::max(pair.late, pair.early)};
}

// Without numbers, a collective can be mistaken for the next one if they repeat evenly.
void report_unknown_clocks(FindingSink& sink) {
    const MatchedRunPtr matches = matched(sink.run);
    const auto counted = static_cast<std::size_t>(std::ranges::count_if(
        matches->collectives, [](const Collective& c) { return c.count > 1 && c.by == MatchedBy::Order; }));
    if (counted < kLeastCollectives) return;
    sink.add("clocks-unknown", counted,
             count_of(counted, "collective") +
                 " carry no number and may be matched wrongly, so that the ranks' clocks cannot be compared");
}

void report_aligned(FindingSink& sink) {
    const std::optional<ClockSpread> clocks = measure_clocks(sink.run);
    if (!clocks) return;
    sink.rank_stats.clocks = ClockState::Aligned;
    sink.rank_stats.clock_residual = clocks->noise;
    sink.rank_stats.collectives = clocks->collectives;
}

}  // namespace

void check_clocks(FindingSink& sink) {
    const bool aligned =
        std::ranges::any_of(sink.run.ranks(), [](const RankSlot& rank) { return rank.recorded.has_value(); });
    std::size_t compared = 0;
    for (std::size_t slot = 0; slot < sink.ranks.size(); ++slot) compared += sink.compares(slot) ? 1U : 0U;
    if (compared < 2) return;
    if (aligned) return report_aligned(sink);
    sink.rank_stats.clocks = ClockState::Unknown;
    if (sink.run.diagnostics().count("clock-guessed") > 0) return;
    const std::optional<ClockSpread> clocks = measure_clocks(sink.run);
    if (!clocks) return report_unknown_clocks(sink);
    const bool agree = clocks->spread <= std::max(kClockSpread, clocks->noise * kClockNoise);
    sink.rank_stats.clocks = agree ? ClockState::Agree : ClockState::Apart;
    sink.rank_stats.clock_spread = clocks->spread;
    sink.rank_stats.clock_residual = clocks->noise;
    sink.rank_stats.collectives = clocks->collectives;
    if (!agree) report_apart(sink, *clocks);
}

}  // namespace core::doctor
