#include "core/diff/align/run_parts.hpp"

#include "core/base/format.hpp"
#include "core/index/rank_count.hpp"
#include "core/ingest/load/identify_ranks.hpp"
#include "core/query/filter_edit.hpp"
#include "core/query/filter_text.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace core {
namespace {

// The first that both lists have at the same place are pairs.
template <class Item>
std::vector<BySide<Item>> pair_by_order(const BySide<std::vector<Item>>& items) {
    std::vector<BySide<Item>> pairs;
    for (std::size_t i = 0; i < std::min(items.baseline.size(), items.candidate.size()); ++i)
        pairs.push_back({items.baseline[i], items.candidate[i]});
    return pairs;
}

void pair_ranks(RunAlignment& alignment, const Run& run, const BySide<RunPart>& parts) {
    alignment.ranks = pair_by_order(BySide<std::vector<RankKey>>{parts.baseline.ranks, parts.candidate.ranks});
    // Ranks that have not arrived, or that a session file names and the run lacks, have no partners.
    const auto has_rank = [&](RankKey key) {
        return std::ranges::find(run.ranks(), key, &RankSlot::key) != run.ranks().end();
    };
    std::erase_if(alignment.ranks,
                  [&](const BySide<RankKey>& pair) { return !has_rank(pair.baseline) || !has_rank(pair.candidate); });
    std::ranges::sort(alignment.ranks, {}, &BySide<RankKey>::baseline);
    alignment.ranks_by_number = false;
    for (const Side side : kSides) {
        alignment.lone_ranks[side].clear();
        for (const RankSlot& rank : run.ranks())
            if (std::ranges::none_of(alignment.ranks,
                                     [&](const BySide<RankKey>& pair) { return pair[side] == rank.key; }))
                alignment.lone_ranks[side].push_back(rank.key);
    }
}

void pair_steps(RunAlignment& alignment, const Run& run, const BySide<RunPart>& parts,
                const BySide<std::vector<RankKey>>& of_steps) {
    BySide<std::map<std::int64_t, StepBegin>> known;
    for (const Side side : kSides)
        for (const StepBegin& step : collect_steps(run, of_steps[side])) known[side][step.number] = step;
    std::vector<BySide<StepBegin>> pairs;
    for (const BySide<std::int64_t>& pair :
         pair_by_order(BySide<std::vector<std::int64_t>>{parts.baseline.steps, parts.candidate.steps}))
        if (known.baseline.contains(pair.baseline) && known.candidate.contains(pair.candidate))
            pairs.push_back({known.baseline[pair.baseline], known.candidate[pair.candidate]});
    for (const Side side : kSides) {
        alignment.lone_steps[side].clear();
        for (const StepBegin& step : collect_steps(run, of_steps[side]))
            if (std::ranges::none_of(pairs,
                                     [&](const BySide<StepBegin>& pair) { return pair[side].number == step.number; }))
                alignment.lone_steps[side].push_back(step.number);
    }
    alignment.steps = std::move(pairs);
    alignment.steps_by_number = false;
    if (alignment.steps.empty()) return;
    std::ranges::sort(alignment.steps, {}, [](const BySide<StepBegin>& pair) { return pair.baseline.begin; });
    if (std::optional<RunAlignment> anchored = anchored_at_step(alignment, alignment.steps.front().baseline.number))
        alignment = *std::move(anchored);
}

constexpr std::string_view kMedian = "median";

std::set<std::int64_t> collect_step_numbers(const Run& run) {
    std::set<std::int64_t> numbers;
    for (const RankSlot& rank : run.ranks())
        for (const Step& step : rank.trace().steps) numbers.insert(step.number);
    return numbers;
}

// Whether the steps of a filter have it; words other than of steps do not matter.
bool accepts_step(const Filter& filter, std::int64_t step) {
    return std::ranges::all_of(filter.terms, [&](const FilterTerm& term) {
        const auto* steps = std::get_if<StepTerm>(&term.what);
        return !steps || steps->complete || contains_number(steps->numbers, step) != term.negated;
    });
}

// Every step but the one that begins last, which may be cut short. One alone is complete.
std::set<std::int64_t> collect_complete_steps(const Run& run, const Filter& filter) {
    std::map<std::int64_t, RunTime> begins;
    for (const RankSlot& rank : run.ranks())
        for (const Step& step : rank.trace().steps) {
            const RunTime begin = rank.to_run(step.range.begin);
            const auto [known, is_new] = begins.try_emplace(step.number, begin);
            if (!is_new) known->second = std::min(known->second, begin);
        }
    std::set<std::int64_t> steps;
    const auto last = std::ranges::max_element(begins, {}, [](const auto& step) { return step.second; });
    for (auto step = begins.begin(); step != begins.end(); ++step)
        if ((step != last || begins.size() == 1) && accepts_step(filter, step->first)) steps.insert(step->first);
    return steps;
}

// The lower of two in the middle.
template <class Key>
std::optional<Key> find_median(std::vector<std::pair<double, Key>> times) {
    if (times.empty()) return std::nullopt;
    std::ranges::sort(times);
    return times[(times.size() - 1) / 2].second;
}

BySide<std::set<std::int32_t>> captures_of(const BySide<RunPart>& parts) {
    BySide<std::set<std::int32_t>> captures;
    for (const Side side : kSides)
        for (const RankKey key : parts[side].ranks) captures[side].insert(key.capture);
    return captures;
}

// The ranks whose steps count. Ranks of one capture are on one clock, where a step begins once for all.
BySide<std::vector<RankKey>> ranks_of_steps(const BySide<RunPart>& parts) {
    const BySide<std::set<std::int32_t>> captures = captures_of(parts);
    if (captures.baseline == captures.candidate) return {};
    return {parts.baseline.ranks, parts.candidate.ranks};
}

// Parts of the same rank numbers and other captures are captures.
Compares find_compared(const BySide<RunPart>& parts) {
    if (!parts.baseline.steps.empty() || !parts.candidate.steps.empty()) return Compares::Steps;
    const BySide<std::set<std::int32_t>> captures = captures_of(parts);
    const bool are_captures =
        captures.baseline.size() == 1 && captures.candidate.size() == 1 && captures.baseline != captures.candidate;
    return are_captures ? Compares::Captures : Compares::Ranks;
}

std::vector<FilterTerm> terms_of(const RunPart& part) {
    std::vector<FilterTerm> terms;
    if (!part.ranks.empty()) terms.push_back({false, RankTerm{{}, part.ranks}});
    if (part.steps.empty()) return terms;
    StepTerm steps;
    for (const std::int64_t step : part.steps) steps.numbers.push_back({step, step});
    terms.push_back({false, std::move(steps)});
    return terms;
}

std::string list_ranks(const std::vector<RankKey>& ranks) {
    std::string text = ranks.size() == 1 ? "rank " : "ranks ";
    const bool plain = std::ranges::all_of(ranks, [](RankKey key) { return key.capture == 0; });
    if (!plain || ranks.size() == 1) {
        for (std::size_t i = 0; i < ranks.size(); ++i) text += (i > 0 ? "," : "") + format_rank(ranks[i]);
        return text;
    }
    std::vector<std::int64_t> numbers;
    for (const RankKey key : ranks) numbers.push_back(key.number);
    std::ranges::sort(numbers);
    bool first = true;
    for (const NumberRange& range : ranges_of(numbers, numbers)) {
        text += (std::exchange(first, false) ? "" : ",") + std::to_string(range.first);
        if (range.last != range.first) text += "-" + std::to_string(range.last);
    }
    return text;
}

// Ranks and steps that a filter's text names.
Result<RunPart> read_part(const Run& run, const std::string& text) {
    const Result<Filter> filter = parse_filter(text);
    if (!filter) return Error(filter.error()).within("'" + text + "'");
    RunPart part;
    for (const FilterTerm& term : filter->terms)
        if (term.negated ||
            (!std::holds_alternative<RankTerm>(term.what) && !std::holds_alternative<CaptureTerm>(term.what) &&
             !std::holds_alternative<StepTerm>(term.what)))
            return bad_input("'" + text + "': a part of a run is named by rank:, capture: or step:");
    if (!filter->chooses_work() || filter->terms.size() > 1)
        for (const RankSlot& rank : run.ranks())
            if (filter->accepts_rank(rank.key)) part.ranks.push_back(rank.key);
    for (const std::int64_t step : collect_step_numbers(run))
        if (filter->chooses_work() && accepts_step(*filter, step)) part.steps.push_back(step);
    if (filter->empty() || (part.ranks.empty() && !filter->chooses_work()) ||
        (part.steps.empty() && filter->chooses_work()))
        return bad_input("'" + text + "': the run has no such rank or step");
    const std::string ranks = part.ranks.empty() ? std::string() : list_ranks(part.ranks);
    const std::string steps = part.steps.empty() ? std::string() : part_of_steps(part.steps).title;
    part.title = ranks + (ranks.empty() || steps.empty() ? "" : ", ") + steps;
    return part;
}

}  // namespace

RunAlignment align_parts(const Run& run, const BySide<RunPart>& parts) {
    const BySide<std::vector<RankKey>> of_steps = ranks_of_steps(parts);
    RunAlignment alignment = align_runs(run, run, of_steps);
    if (!parts.baseline.ranks.empty() || !parts.candidate.ranks.empty()) pair_ranks(alignment, run, parts);
    if (!parts.baseline.steps.empty() || !parts.candidate.steps.empty()) pair_steps(alignment, run, parts, of_steps);
    for (const Side side : kSides) alignment.within[side] = terms_of(parts[side]);
    alignment.compares = find_compared(parts);
    leave_out_lost(alignment, {&run, &run});
    return alignment;
}

RunPart part_of_ranks(std::vector<RankKey> ranks) {
    RunPart part;
    part.title = list_ranks(ranks);
    part.ranks = std::move(ranks);
    return part;
}

RunPart part_of_steps(std::vector<std::int64_t> steps) {
    RunPart part;
    part.title = steps.size() == 1 ? "step " : "steps ";
    for (std::size_t i = 0; i < steps.size(); ++i) part.title += (i > 0 ? "," : "") + std::to_string(steps[i]);
    part.steps = std::move(steps);
    return part;
}

std::optional<RankKey> find_median_rank(const Run& run, const Filter& filter, RankKey but) {
    const std::set<std::int64_t> complete = collect_complete_steps(run, filter);
    std::vector<std::pair<double, RankKey>> times;
    for (const RankSlot& rank : run.ranks()) {
        if (rank.key == but || !filter.accepts_rank(rank.key)) continue;
        double sum = 0;
        std::size_t count = 0;
        for (const Step& step : rank.trace().steps) {
            if (!complete.contains(step.number)) continue;
            sum += static_cast<double>(step.range.length().count());
            ++count;
        }
        if (count > 0) times.emplace_back(sum / static_cast<double>(count), rank.key);
    }
    return find_median(std::move(times));
}

std::optional<std::int64_t> find_median_step(const Run& run, const Filter& filter, std::int64_t but) {
    std::map<std::int64_t, Duration> slowest;
    for (const std::int64_t step : collect_complete_steps(run, filter))
        if (step != but) slowest[step] = Duration{0};
    for (const RankSlot& rank : run.ranks()) {
        if (!filter.accepts_rank(rank.key)) continue;
        for (const Step& step : rank.trace().steps)
            if (const auto found = slowest.find(step.number); found != slowest.end())
                found->second = std::max(found->second, step.range.length());
    }
    std::vector<std::pair<double, std::int64_t>> times;
    for (const auto& [step, time] : slowest)
        if (time.count() > 0) times.emplace_back(static_cast<double>(time.count()), step);
    return find_median(std::move(times));
}

Result<BySide<RunPart>> against_median_rank(const Run& run, const Filter& filter, RankKey rank) {
    const std::optional<RankKey> median = find_median_rank(run, filter, rank);
    if (!median)
        return bad_input("no other rank of the filter has a complete step to compare rank " + format_rank(rank) +
                         " with");
    BySide<RunPart> parts{part_of_ranks({*median}), part_of_ranks({rank})};
    parts.baseline.title += " (median)";
    return parts;
}

Result<BySide<RunPart>> against_median_step(const Run& run, const Filter& filter, std::int64_t step) {
    if (!collect_step_numbers(run).contains(step)) return bad_input("the run has no step " + std::to_string(step));
    const std::optional<std::int64_t> median = find_median_step(run, filter, step);
    if (!median) return bad_input("there is no other complete step to compare step " + std::to_string(step) + " with");
    BySide<RunPart> parts{part_of_steps({*median}), part_of_steps({step})};
    parts.baseline.title += " (median)";
    return parts;
}

Result<BySide<RunPart>> against_other_ranks(const Run& run, std::vector<RankKey> ranks) {
    std::vector<RankKey> others;
    for (const RankSlot& rank : run.ranks())
        if (std::ranges::find(ranks, rank.key) == ranks.end()) others.push_back(rank.key);
    if (ranks.empty() || others.empty())
        return bad_input("restrict the filter to some of the ranks, such as rank:0-3, to compare them with the others");
    BySide<RunPart> parts{part_of_ranks(std::move(others)), part_of_ranks(std::move(ranks))};
    parts.baseline.title = "the other " + format_plural(parts.baseline.ranks.size(), "rank", "ranks");
    return parts;
}

Result<BySide<RunPart>> read_parts(const Run& run, const Filter& filter, const BySide<std::string>& texts) {
    BySide<RunPart> parts;
    for (const Side side : kSides) {
        if (texts[side] == kMedian) continue;
        Result<RunPart> part = read_part(run, texts[side]);
        if (!part) return std::move(part).error();
        parts[side] = *std::move(part);
    }
    const bool asks_median = texts.baseline == kMedian || texts.candidate == kMedian;
    if (!asks_median) return parts;
    const Side named = texts.baseline == kMedian ? Side::Candidate : Side::Baseline;
    const RunPart& part = parts[named];
    if (texts[named] == kMedian || part.ranks.size() + part.steps.size() != 1)
        return bad_input("median is that of one rank or one step, which the other side names");
    Result<BySide<RunPart>> found = part.ranks.empty() ? against_median_step(run, filter, part.steps.front())
                                                       : against_median_rank(run, filter, part.ranks.front());
    if (found && named == Side::Baseline) std::swap(found->baseline, found->candidate);
    return found;
}

// Dumps and logs beside the traces are nothing to compare them with.
std::vector<std::int32_t> collect_captures(const Run& run) {
    std::set<std::int32_t> captures;
    for (const RankSlot& rank : run.ranks())
        if (!is_beside(rank.trace().info)) captures.insert(rank.key.capture);
    return {captures.begin(), captures.end()};
}

namespace {

struct CaptureWindow {
    std::vector<std::int32_t> captures;  // that overlap
    RunRange range;
};

// Rising, overlapping ones as one.
std::vector<CaptureWindow> collect_capture_windows(const Run& run) {
    std::map<std::int32_t, RunRange> windows;
    for (const RankSlot& rank : run.ranks()) {
        if (rank.trace().size() == 0) continue;
        const RunRange own = rank.to_run(rank.trace().window);
        const auto [known, is_new] = windows.try_emplace(rank.key.capture, own);
        if (!is_new) known->second = {std::min(known->second.begin, own.begin), std::max(known->second.end, own.end)};
    }
    std::vector<CaptureWindow> sorted;
    for (const auto& [capture, range] : windows) sorted.push_back({{capture}, range});
    std::ranges::stable_sort(sorted, {}, [](const CaptureWindow& window) { return window.range.begin; });
    std::vector<CaptureWindow> apart;
    for (CaptureWindow& window : sorted) {
        if (apart.empty() || window.range.begin >= apart.back().range.end) {
            apart.push_back(std::move(window));
            continue;
        }
        apart.back().captures.push_back(window.captures.front());
        apart.back().range.end = std::max(apart.back().range.end, window.range.end);
    }
    return apart;
}

}  // namespace

std::string name_capture(const Run& run, std::int32_t capture) {
    std::optional<std::string> label;
    for (const RankSlot& rank : run.ranks()) {
        if (rank.key.capture != capture) continue;
        std::string own = find_label_in_path(rank.trace().info.path);
        if (label && *label != own) return format_capture(capture);  // not of all its files
        label = std::move(own);
    }
    return format_capture(capture) + (label && !label->empty() ? ": " + *label : "");
}

std::string describe_captures(const Run& run) {
    const std::vector<std::int32_t> captures = collect_captures(run);
    if (captures.size() < 2) return {};
    std::set<std::int32_t> ranks;
    for (const RankSlot& rank : run.ranks()) ranks.insert(rank.key.number);
    const std::vector<CaptureWindow> windows = collect_capture_windows(run);
    Duration gap{0};
    for (std::size_t i = 1; i < windows.size(); ++i)
        gap = std::max(gap, windows[i].range.begin - windows[i - 1].range.end);
    std::string text = std::to_string(captures.size()) + " captures (";
    constexpr std::size_t kMostNamed = 8;
    for (std::size_t i = 0; i < std::min(captures.size(), kMostNamed); ++i)
        text += (i > 0 ? ", " : "") + name_capture(run, captures[i]);
    return text + (captures.size() > kMostNamed ? ", \xE2\x80\xA6" : "") + ") of " +
           format_plural(ranks.size(), "rank", "ranks") +
           (gap.count() > 0 ? ", " + format_duration(gap) + " between them" : ", which overlap in time");
}

CaptureGaps find_capture_gaps(const Run& run) {
    constexpr std::int64_t kPauseShare = 50;
    CaptureGaps found;
    if (collect_captures(run).size() < 2) return found;
    const std::vector<CaptureWindow> windows = collect_capture_windows(run);
    Duration captured{0};
    for (const CaptureWindow& window : windows) captured += window.range.length();
    const Duration pause = captured / kPauseShare;
    Duration earlier{0};
    for (std::size_t i = 1; i < windows.size(); ++i) {
        const Duration gap = windows[i].range.begin - windows[i - 1].range.end;
        if (gap > 2 * pause) {
            found.gaps.push_back({windows[i - 1].range.end - earlier, gap - pause});
            earlier += gap - pause;
        }
        if (earlier.count() > 0)
            for (const std::int32_t capture : windows[i].captures) found.earlier[capture] = earlier;
    }
    return found;
}

RunPtr without_gaps(const RunPtr& run, const CaptureGaps& gaps) {
    if (gaps.gaps.empty()) return run;
    RunParts parts = run->parts();
    for (RankSlot& rank : parts.ranks) {
        const auto earlier = gaps.earlier.find(rank.key.capture);
        if (earlier == gaps.earlier.end()) continue;
        rank.clock.offset -= earlier->second;
        if (rank.recorded) rank.recorded->offset -= earlier->second;
    }
    return std::make_shared<const Run>(std::move(parts));
}

Result<BySide<RunPart>> against_next_capture(const Run& run) {
    const std::vector<std::int32_t> captures = collect_captures(run);
    if (captures.size() < 2) return bad_input("no rank of this run has more than one capture");
    BySide<RunPart> parts;
    for (const Side side : kSides) {
        const std::int32_t capture = captures[side == Side::Baseline ? 0 : 1];
        for (const RankSlot& rank : run.ranks())
            if (rank.key.capture == capture) parts[side].ranks.push_back(rank.key);
        parts[side].title = "capture " + format_capture(capture);
    }
    // Ranks that have one capture only would shift the pairs: they come last.
    const auto has_number = [](const RunPart& part, RankKey key) {
        return std::ranges::any_of(part.ranks, [&](RankKey other) { return other.number == key.number; });
    };
    std::ranges::stable_partition(parts.baseline.ranks, [&](RankKey key) { return has_number(parts.candidate, key); });
    std::ranges::stable_partition(parts.candidate.ranks, [&](RankKey key) { return has_number(parts.baseline, key); });
    return parts;
}

}  // namespace core
