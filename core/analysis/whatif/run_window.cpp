#include "core/analysis/whatif/run_window.hpp"

#include "core/analysis/engine/lost_ranks.hpp"

#include <algorithm>
#include <map>

namespace core {
namespace {

// The cohort that most of the parts are in, the first of equal ones.
std::uint32_t find_cohort(const MatchedRun& matches, std::span<const PartWindow> parts) {
    std::map<std::uint32_t, std::size_t> counts;
    for (const PartWindow& part : parts) ++counts[matches.places[part.slot].cohort];
    const auto most = std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
    return most == counts.end() ? 0 : most->first;
}

}  // namespace

Result<bool> add_part(const RankView& view, WithoutStepTerm otherwise, bool with_events, Partial& partial,
                      const JobContext& context) {
    Table windows = make_record_table<PartBounds>();
    Table steps = make_record_table<PartEvent>();
    Table events = make_record_table<PartEvent>();
    const auto slot = static_cast<std::uint32_t>(view.slot);
    if (const std::optional<PathWindow> window = find_path_window(view, otherwise)) {
        add_record(windows, PartBounds{.slot = slot,
                                       .begin = window->range.begin,
                                       .end = window->range.end,
                                       .shown_end = window->shown_end,
                                       .host_end = window->host_end,
                                       .steps = std::ssize(window->steps)});
        for (const EventId mark : window->steps) add_record(steps, PartEvent{slot, mark});
        if (with_events) {
            const Result<SelectionPtr> chosen = view.build_selection_of_all_steps(context);
            if (!chosen) return chosen.error();
            for (std::uint32_t e = 0; e < view.trace().size(); ++e)
                if ((*chosen)->passes(EventId{e})) add_record(events, PartEvent{slot, EventId{e}});
        }
    } else {
        partial.excluded.push_back({"ranks that did nothing in the window", 1});
    }
    partial.tables.push_back({std::string(kPartTables[0]), std::move(windows)});
    partial.tables.push_back({std::string(kPartTables[1]), std::move(steps)});
    partial.tables.push_back({std::string(kPartTables[2]), std::move(events)});
    return true;
}

bool ChosenParts::takes(std::uint32_t slot, EventId event) const {
    return slot < chosen.size() && std::ranges::binary_search(chosen[slot], event);
}

std::vector<std::vector<PartWindow>> split_by_steps(const Run& run, std::span<const PartWindow> parts,
                                                    std::size_t most_events) {
    std::map<std::uint32_t, std::vector<Step>> steps_of;  // by slot
    std::vector<std::int64_t> numbers;
    std::size_t events = 0;
    bool is_whole = true;
    for (const PartWindow& part : parts) {
        const RankTrace& trace = run.rank(part.slot).trace();
        std::vector<Step>& steps = steps_of[part.slot];
        for (const Step& step : trace.steps)
            if (std::ranges::binary_search(part.window.steps, step.event)) steps.push_back(step);
        std::ranges::stable_sort(steps, {}, [](const Step& step) { return step.range.begin; });
        is_whole = is_whole && !steps.empty() && part.window.range.begin == steps.front().range.begin &&
                   part.window.shown_end == part.window.range.end;
        for (const Step& step : steps) numbers.push_back(step.number);
        events += trace.size();
    }
    std::ranges::sort(numbers);
    numbers.erase(std::ranges::unique(numbers).begin(), numbers.end());
    if (!is_whole || events <= most_events || numbers.size() < 2) return {{parts.begin(), parts.end()}};
    const std::size_t at_once = std::max<std::size_t>(numbers.size() * most_events / events, 1);
    std::vector<std::vector<PartWindow>> split;
    for (std::size_t i = 0; i < numbers.size(); i += at_once) {
        const std::int64_t first = numbers[i], last = numbers[std::min(i + at_once, numbers.size()) - 1];
        std::vector<PartWindow>& some = split.emplace_back();
        for (const PartWindow& part : parts) {
            std::vector<Step> chosen = steps_of[part.slot];
            std::erase_if(chosen, [&](const Step& step) { return step.number < first || step.number > last; });
            if (!chosen.empty()) some.push_back({part.slot, find_step_window(run.rank(part.slot).trace(), chosen)});
        }
    }
    return split;
}

namespace {

// The steps of a part that are shown, by begin.
std::vector<Step> collect_steps(const Run& run, const PartWindow& part) {
    std::vector<Step> steps;
    for (const Step& step : run.rank(part.slot).trace().steps) {
        const bool inside = step.range.end > part.window.range.begin && step.range.begin < part.window.shown_end;
        if (inside && (part.window.steps.empty() || std::ranges::binary_search(part.window.steps, step.event)))
            steps.push_back(step);
    }
    std::ranges::stable_sort(steps, {}, [](const Step& step) { return step.range.begin; });
    return steps;
}

// The windows of one rank, by cut: those before the last end with the GPU events of their steps, and so does the last
// where a time range ends before the part does.
class PartCutter {
public:
    PartCutter(const Run& run, const PartWindow& part, std::span<const std::int64_t> ends)
        : trace_(run.rank(part.slot).trace()), part_(part), ends_(ends), windows_(ends.size()) {}

    std::vector<std::optional<PathWindow>> cut() {
        for (const Step& step : trace_.steps)
            if (const std::optional<std::size_t> at = find_cut(step)) extend(windows_[*at], step);
        for (const EventId e : trace_.gpu_events)
            if (const Step* const step = trace_.step_of(e))
                if (const std::optional<std::size_t> at = find_cut(*step); at && windows_[*at])
                    windows_[*at]->range.end = std::max(windows_[*at]->range.end, trace_.end(e));
        join_ends();
        return std::move(windows_);
    }

private:
    // ends_: the last step number of each cut.
    std::optional<std::size_t> find_cut(const Step& step) const {
        const bool chosen = part_.window.steps.empty() || std::ranges::binary_search(part_.window.steps, step.event);
        const auto at = std::ranges::lower_bound(ends_, step.number);
        if (!chosen || at == ends_.end()) return std::nullopt;
        return static_cast<std::size_t>(at - ends_.begin());
    }
    static void extend(std::optional<PathWindow>& window, const Step& step) {
        if (!window) window = PathWindow{.range = step.range, .shown_end = {}, .host_end = step.range.end, .steps = {}};
        window->range = {std::min(window->range.begin, step.range.begin), std::max(window->range.end, step.range.end)};
        window->host_end = std::max(window->host_end, step.range.end);
        window->steps.push_back(step.event);
    }
    void join_ends() {
        std::optional<PathWindow>* last = nullptr;
        bool is_first = true;
        for (std::optional<PathWindow>& window : windows_) {
            if (!window) continue;
            if (std::exchange(is_first, false)) window->range.begin = part_.window.range.begin;
            std::ranges::sort(window->steps);
            last = &window;
        }
        const bool is_cut = part_.window.shown_end < part_.window.range.end;
        if (last && is_cut) {
            (*last)->range.end = std::max((*last)->range.end, part_.window.shown_end);
        } else if (last) {
            (*last)->range.end = part_.window.range.end;
            (*last)->host_end = part_.window.host_end;
            if (part_.window.steps.empty()) (*last)->steps.clear();
        }
        for (std::optional<PathWindow>& window : windows_)
            if (window) window->shown_end = std::clamp(part_.window.shown_end, window->range.begin, window->range.end);
    }

    const RankTrace& trace_;
    const PartWindow& part_;
    std::span<const std::int64_t> ends_;
    std::vector<std::optional<PathWindow>> windows_;
};

// The last step number of each graph; empty if one graph is enough.
std::vector<std::int64_t> find_cuts(const Run& run, std::span<const PartWindow> parts, std::size_t one_graph,
                                    std::size_t at_once) {
    std::vector<std::int64_t> numbers;
    std::size_t events = 0;
    for (const PartWindow& part : parts) {
        const std::vector<Step> steps = collect_steps(run, part);
        if (steps.empty()) return {};
        for (const Step& step : steps) numbers.push_back(step.number);
        events += run.rank(part.slot).trace().size();
    }
    std::ranges::sort(numbers);
    numbers.erase(std::ranges::unique(numbers).begin(), numbers.end());
    if (events <= one_graph || numbers.size() < 2) return {};
    const std::size_t size = std::max<std::size_t>(numbers.size() * at_once / events, 1);
    std::vector<std::int64_t> ends;
    for (std::size_t i = 0; i < numbers.size(); i += size)
        ends.push_back(numbers[std::min(i + size, numbers.size()) - 1]);
    return ends;
}

}  // namespace

std::vector<std::vector<PartWindow>> cut_at_steps(const Run& run, std::span<const PartWindow> parts,
                                                  std::size_t one_graph, std::size_t at_once) {
    const std::vector<std::int64_t> ends = find_cuts(run, parts, one_graph, at_once);
    if (ends.size() < 2) return {{parts.begin(), parts.end()}};
    std::vector<std::vector<std::optional<PathWindow>>> by_part(parts.size());
    Executor::instance().parallel_for(Priority::Answer, parts.size(), Executor::instance().threads(),
                                      [&](std::size_t p) { by_part[p] = PartCutter(run, parts[p], ends).cut(); });
    std::vector<std::vector<PartWindow>> cuts;
    std::optional<RunTime> before;
    for (std::size_t i = 0; i < ends.size(); ++i) {
        std::vector<PartWindow> some;
        std::optional<RunTime> end = before;
        for (std::size_t p = 0; p < parts.size(); ++p) {
            if (!by_part[p][i]) continue;
            const RankSlot& rank = run.rank(parts[p].slot);
            PathWindow window = *std::move(by_part[p][i]);
            // A nanosecond sooner: clocks that drift round.
            if (before) window.range.begin = std::min(window.range.begin, rank.to_rank(*before) - Duration{1});
            end = std::max(end.value_or(RunTime::min()), rank.to_run(window.range.end));
            some.push_back({parts[p].slot, std::move(window)});
        }
        before = end;
        if (!some.empty()) cuts.push_back(std::move(some));
    }
    return cuts;
}

ChosenParts collect_parts(std::span<const Partial* const> partials, const Run& run) {
    ChosenParts found;
    found.chosen.resize(run.ranks().size());
    std::map<std::uint32_t, std::int64_t> steps_of;
    for (const Partial* const partial : partials) {
        const Table* const windows = partial->find(kPartTables[0]);
        const Table* const steps = partial->find(kPartTables[1]);
        const Table* const events = partial->find(kPartTables[2]);
        if (!windows || !steps || !events || windows->rows() == 0) continue;
        const auto bounds = read_record<PartBounds>(*windows, 0);
        PartWindow part{
            .slot = bounds.slot,
            .window = {
                .range = {bounds.begin, bounds.end}, .shown_end = bounds.shown_end, .host_end = bounds.host_end}};
        for (std::size_t row = 0; row < steps->rows(); ++row)
            part.window.steps.push_back(read_record<PartEvent>(*steps, row).event);
        for (std::size_t row = 0; row < events->rows(); ++row)
            found.chosen[part.slot].push_back(read_record<PartEvent>(*events, row).event);
        steps_of[part.slot] = bounds.steps;
        found.parts.push_back(std::move(part));
    }
    const MatchedRunPtr matches = matched(run);
    const std::uint32_t cohort = find_cohort(*matches, found.parts);
    const auto is_elsewhere = [&](const PartWindow& part) { return matches->places[part.slot].cohort != cohort; };
    const std::size_t others = std::erase_if(found.parts, is_elsewhere);
    if (others > 0)
        found.excluded.push_back({"ranks of other sessions (runs that were not on at the same time)", others});
    for (const PartWindow& part : found.parts) found.steps = std::max(found.steps, steps_of[part.slot]);
    return found;
}

void leave_out_lost(ChosenParts& chosen, const Run& run) {
    const LostRanksPtr lost = lost_ranks_of(run);
    const auto is_lost = [&](const PartWindow& part) { return lost->has(part.slot); };
    if (std::ranges::all_of(chosen.parts, is_lost)) return;
    if (const std::size_t ranks = std::erase_if(chosen.parts, is_lost); ranks > 0)
        chosen.excluded.push_back({"ranks whose records are missing: what they do not show is unknown", ranks});
}

}  // namespace core
