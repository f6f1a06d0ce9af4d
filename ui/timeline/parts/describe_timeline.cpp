#include "ui/timeline/parts/describe_timeline.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace ui {
namespace {

nlohmann::json describe_plot(const core::Run& run, const LayoutRow& row) {
    const std::vector<CounterView> lines = row.kind->collect_lines(run, row);
    const CounterScale scale = choose_scale(lines);
    nlohmann::json series = nlohmann::json::array();
    for (const CounterView& line : lines) series.push_back(line.series);
    return {{"bottom", scale.bottom}, {"top", scale.top}, {"series", std::move(series)}};
}

nlohmann::json describe_row(const ShownTimeline& shown, const LayoutRow& row) {
    if (is_heading(row)) {
        nlohmann::json group = {{"kind", row.kind->id()}, {"title", *row.title}, {"ranks", row.count}, {"y", row.y}};
        if (row.opens) group["open"] = row.open;
        return group;
    }
    const core::RankSlot& rank = shown.shape.run->rank(row.slot);
    const RankLook& look = shown.looks.of(row.slot);
    nlohmann::json out = {{"rank", core::format_rank(rank.key)},
                          {"kind", row.kind->id()},
                          {"title", format_row_label(*shown.shape.run, row)},
                          {"faded", look.rejected}};
    out["y"] = row.y;
    if (row.opens) out["open"] = row.open;
    if (shown.unique_events)
        if (const std::size_t count = row.kind->count_events(*shown.unique_events, *shown.shape.run, row); count > 0)
            out["only_here"] = count;
    if (row.kind->is_plot()) out["scale"] = describe_plot(*shown.shape.run, row);
    return out;
}

nlohmann::json describe_event(const ShownTimeline& shown, core::EventRef ref) {
    const core::Run& run = *shown.shape.run;
    const core::RankSlot& rank = run.rank(ref.slot);
    const core::RunRange range = run.range_of(ref);
    nlohmann::json out = {{"rank", core::format_rank(rank.key)},
                          {"name", rank.trace().name_text(ref.event)},
                          {"track", rank.trace().text(rank.trace().track_of(ref.event).name)},
                          {"start_ns", (range.begin - run.origin()).count()},
                          {"duration_ns", range.length().count()}};
    if (const RankLook* look = shown.looks.find(ref.slot))
        out["faded"] = look->rejected || (look->selection && !look->selection->passes(ref.event));
    return out;
}

// The other side of a comparison.
void describe_other(const ShownTimeline& shown, nlohmann::json& out) {
    out["aligned_at"] = shown.alignment;
    out["ghosts"] = nlohmann::json::array();
    for (const GhostStep& ghost : shown.ghosts)
        out["ghosts"].push_back(
            {{"step", ghost.number}, {"begin_ns", (ghost.begin - shown.shape.run->origin()).count()}});
    if (!shown.unique_events) return;
    out["only_here"] = {{"names", shown.unique_names},
                        {"events", shown.unique_events->count()},
                        {"total_ns", shown.unique_events->total().count()},
                        {"marked", shown.marks_unique_events}};
}

}  // namespace

void describe_timeline(const ShownTimeline& shown, const TimelineStats& stats, nlohmann::json& out) {
    out["lanes"] = stats.lanes;
    out["rects"] = stats.rects;
    out["labels"] = stats.labels;
    out["arrows"] = stats.arrows;
    out["call_arrows"] = stats.call_arrows;
    if (!shown.shape.run) return;
    const core::RunTime origin = shown.shape.run->origin();
    const core::RunRange visible = shown.shape.time.range();
    out["begin_ns"] = (visible.begin - origin).count();
    out["end_ns"] = (visible.end - origin).count();
    out["rows"] = nlohmann::json::array();
    for (std::size_t i = shown.first_row; i < shown.last_row; ++i)
        out["rows"].push_back(describe_row(shown, shown.shape.layout->rows()[i]));
    if (!shown.alignment.empty()) describe_other(shown, out);
    if (shown.selected.valid()) out["selected"] = describe_event(shown, shown.selected);
    if (shown.hovered.valid()) out["hovered"] = describe_event(shown, shown.hovered);
}

std::optional<Box> find_place(const ShownTimeline& shown, core::EventRef ref) {
    const bool is_pinned = shown.pinned.run && ref.valid() && !shown.shape.shows(ref);
    const PlotShape& shape = is_pinned ? shown.pinned : shown.shape;
    if (!shape.run || !ref.valid() || ref.slot >= shape.run->ranks().size()) return std::nullopt;
    if (core::index_of(ref.event) >= shape.run->rank(ref.slot).trace().size() || !shape.shows(ref)) return std::nullopt;
    Box box = *shape.event_box(ref);
    box.min = {std::max(box.min.x, shape.plot.min.x), std::max(box.min.y, shape.plot.min.y)};
    box.max = {std::min(box.max.x, shape.plot.max.x), std::min(box.max.y, shape.plot.max.y)};
    if (box.width() <= 0 || box.height() <= 0) return std::nullopt;
    return box;
}

}  // namespace ui
