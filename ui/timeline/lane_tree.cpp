// The left column: names of ranks, streams and threads, and per rank how much time is exposed and idle.
#include "ui/timeline/timeline_parts.hpp"

#include "core/base/format.hpp"
#include "ui/shell/welcome.hpp"
#include "ui/widgets/fill.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace ui {
namespace {

constexpr float kIndent = 12;
constexpr float kNumberWidth = 50;
constexpr std::string_view kBeforeMembers = " \xC2\xB7 ";  // in the title of a group

void draw_triangle(ImDrawList* list, ImVec2 centre, bool open, ImU32 color) {
    const float r = px(7) / 2;
    if (open)
        list->AddTriangleFilled({centre.x - r, centre.y - r * 0.6f}, {centre.x + r, centre.y - r * 0.6f},
                                {centre.x, centre.y + r * 0.8f}, color);
    else
        list->AddTriangleFilled({centre.x - r * 0.6f, centre.y - r}, {centre.x + r * 0.8f, centre.y},
                                {centre.x - r * 0.6f, centre.y + r}, color);
}

std::string format_percent(core::Duration part, core::Duration whole) {
    if (whole.count() <= 0) return "\xE2\x80\x93";
    const double percent = 100 * static_cast<double>(part.count()) / static_cast<double>(whole.count());
    if (percent > 0 && percent < 0.5) return "<1 %";
    return std::to_string(std::lround(percent)) + " %";
}

// Over the rank's own GPU window, or the visible part of it when the breakdown follows the view.
core::ClassTimes times_of(const TimelineFrame& f, std::uint32_t slot) {
    const core::RankSlot& rank = f.run->rank(slot);
    const RankLook& look = f.looks.of(slot);
    const core::ClassPartition& partition = look.selection ? look.selection->partition() : rank.index->partition();
    core::RankRange window = look.selection ? look.selection->window() : rank.index->gpu_window();
    if (f.state.follow_visible) {
        const core::RankRange visible = rank.clock.to_rank(f.state.time.range());
        window = {std::max(window.begin, visible.begin), std::min(window.end, visible.end)};
    }
    return window.empty() ? core::ClassTimes{} : partition.times(window);
}

void draw_shares(const TimelineFrame& f, ImDrawList* list, const LayoutRow& row, float text_y, ImU32 color) {
    core::ClassTimes times;
    if (row.kind == RowKind::Rank) times = times_of(f, row.slot);
    if (row.kind == RowKind::Group)
        for (const std::uint32_t slot : collect_shown_ranks(f, row)) add_times(times, times_of(f, slot));
    const float right = f.tree.max.x - px(8);
    const std::string idle = format_percent(times.idle(), times.total());
    const std::string exposed = format_percent(times.exposed_communication(), times.total());
    draw_text_right(list, small_style(), {right, text_y}, color, idle);
    draw_text_right(list, small_style(), {right - px(kNumberWidth), text_y}, color, exposed);
}

class TreeDrawing {
public:
    explicit TreeDrawing(TimelineFrame& f) : f_(f), list_(ImGui::GetWindowDrawList()) {}

    void draw_rows() {
        for (std::size_t i = f_.first_row; i < f_.last_row; ++i) {
            const LayoutRow& row = f_.layout.rows()[i];
            draw_row(row, f_.row_top(row), f_.uncovered_top());
        }
        sticky_ = true;
        for (auto heading = f_.sticky.rbegin(); heading != f_.sticky.rend(); ++heading) {
            const LayoutRow& row = f_.layout.rows()[heading->row];
            const float top = f_.tree.min.y + heading->top;
            fill(list_, {f_.tree.min.x, std::max(top, f_.tree.min.y)}, {f_.tree.max.x, top + row.height},
                 color::kPanel);
            draw_row(row, top, f_.tree.min.y);
        }
    }

    // least_y: what is above it is covered.
    void draw_row(const LayoutRow& row, float top, float least_y) {
        const Box box{{f_.tree.min.x, std::max(top, least_y)},
                      {f_.tree.max.x, std::min(top + row.height, f_.tree.max.y)}};
        if (box.height() <= 0) return;
        if (row.kind == RowKind::Group) return draw_heading(row, top, box);
        const bool hovered = ImGui::IsItemHovered() && ImGui::IsMouseHoveringRect(box.min, box.max);
        const bool is_rank = row.kind == RowKind::Rank;
        if (is_rank) fill(list_, box.min, {box.max.x, std::min(top + row.height - px(1), box.max.y)}, color::kRaised);
        const float text_y = top + std::floor((row.height - px(1) - small_style().size_px) / 2);
        const float indent = f_.tree.min.x + px(8) + px(kIndent) * static_cast<float>(row.depth);
        const bool rejected = f_.looks.of(row.slot).rejected;
        const ImU32 color = rejected ? color::kFaint : is_rank || hovered ? color::kText : color::kMuted;
        if (row.opens)
            draw_triangle(list_, {indent + px(4), std::floor(top + row.height / 2)}, row.open,
                          hovered ? color::kText : color::kFaint);
        float right = box.max.x - px(8);
        if (is_rank) {
            draw_shares(f_, list_, row, text_y, rejected ? color::kFaint : color::kMuted);
            right -= px(2 * kNumberWidth);
        } else if (row.count > 0 && row.kind == RowKind::Lane) {
            const std::string more = "+" + std::to_string(row.count) + " rows";
            draw_text_right(list_, small_style(), {right, text_y}, color::kFaint, more);
            right -= text_width(small_style(), more) + px(8);
        }
        draw_only_here(row, top, hovered);
        if (is_plot(row.kind)) right -= draw_scale(row, right, top);
        const float left = indent + px(14);
        const std::string label = format_row_label(*f_.run, row);
        const TextStyle style = is_rank && row.height >= px(15) ? heading_style() : small_style();
        const float label_y = top + std::floor((row.height - px(1) - style.size_px) / 2);
        const bool cut = !label.empty() && draw_text(list_, style, {left, label_y}, color, label, right - left);
        if (hovered && cut) tooltip_ = tooltip_.empty() ? label : label + "\n" + tooltip_;
        bool on_chip = false;
        const float swatch = f_.state.color_by == ColorBy::Rank ? px(14) : 0;
        if (is_rank) on_chip = draw_chips(row, left + text_width(style, label) + px(8) + swatch, right, top);
        if (is_rank && f_.state.color_by == ColorBy::Rank) {
            const float y = std::floor(top + row.height / 2);
            list_->AddRectFilled({left + text_width(style, label) + px(6), y - px(4)},
                                 {left + text_width(style, label) + px(13), y + px(3)},
                                 color::of_rank(f_.run->rank(row.slot).key.number), px(2));
        }
        if (is_rank && is_pinned(row.slot))
            list_->AddRectFilled({f_.tree.min.x, box.min.y}, {f_.tree.min.x + px(2), box.max.y - px(1)},
                                 color::kAccent);
        if (hovered && ImGui::IsMouseClicked(1)) clicks_.menu = row.slot;
        if (hovered && !on_chip && row.opens && ImGui::IsMouseClicked(0)) {
            clicks_.opened.push_back({key_of(*f_.run, row), !row.open});
            if (sticky_) clicks_.scroll_to = row.y - room_for_heading(f_.layout, row.slot);
        }
        if (row.opens) record_rect("row:" + label, box.min, box.max, hovered);
    }

    TreeClicks finish() {
        if (!tooltip_.empty()) show_tooltip(tooltip_);
        return std::move(clicks_);
    }

private:
    bool is_pinned(std::uint32_t slot) const {
        const RankOrder* order = f_.order;
        return order && !order->sections.empty() && order->sections.front().pinned &&
               std::ranges::find(order->sections.front().slots, slot) != order->sections.front().slots.end();
    }
    void draw_heading(const LayoutRow& row, float top, const Box& box) {
        if (row.title->empty()) {
            const float y = std::floor(top + row.height / 2);
            return fill(list_, {box.min.x, y}, {box.max.x, y + 1}, color::kLine);
        }
        const bool hovered = ImGui::IsItemHovered() && ImGui::IsMouseHoveringRect(box.min, box.max);
        const bool folded = is_folded(row);
        const ImU32 color = folded || hovered ? color::kText : color::kMuted;
        if (folded) fill(list_, box.min, {box.max.x, std::min(top + row.height - px(1), box.max.y)}, color::kRaised);
        const float y = top + std::floor((row.height - px(folded ? 1 : 0) - small_style().size_px) / 2);
        const float left = box.min.x + px(22);
        draw_triangle(list_, {box.min.x + px(12), std::floor(top + row.height / 2)}, row.open,
                      hovered ? color::kText : color::kFaint);
        float right = box.max.x - px(8);
        if (folded) {
            draw_shares(f_, list_, row, y, color::kMuted);
            right -= px(2 * kNumberWidth);
        }
        // Where there is too little room, words that can be done without give way.
        std::string count = plural(row.count, "rank", "ranks");
        std::string_view title = *row.title;
        const auto fits = [&] {
            return left + text_width(small_style(), title) + px(8) + text_width(small_style(), count) <= right;
        };
        if (!fits()) count = "\xC3\x97" + std::to_string(row.count);
        const std::size_t members = title.find(kBeforeMembers);
        const bool brief = !fits() && members != std::string_view::npos;
        if (brief) title.remove_prefix(members + kBeforeMembers.size());
        draw_text_right(list_, small_style(), {right, y}, color::kFaint, count);
        const float room = right - left - text_width(small_style(), count) - px(8);
        const bool cut = draw_text(list_, small_style(), {left, y}, color, title, room) || brief;
        if (hovered && (cut || folded)) tooltip_ = *row.title + "\n" + plural(row.count, "rank", "ranks");
        if (folded) draw_only_here(row, top, hovered);
        record_rect("group:" + *row.title, box.min, box.max, hovered);
        if (!hovered || !ImGui::IsMouseClicked(0)) return;
        clicks_.fold = f_.state.ranks;
        fold_group(*clicks_.fold, *row.title, !folded);
        if (sticky_) clicks_.scroll_to = row.y;
    }
    // A dot at the left edge of rows that hold events which only this run has.
    void draw_only_here(const LayoutRow& row, float top, bool hovered) {
        const core::FoundEventsPtr only = f_.only_here();
        const std::size_t count = only ? count_only_here(*only, *f_.run, row) : 0;
        if (count == 0) return;
        list_->AddCircleFilled({f_.tree.min.x + px(4), std::floor(top + row.height / 2)}, px(4) / 2,
                               color::of_side(f_.frame.side));
        if (hovered)
            tooltip_ = plural(count, "event", "events") + " with a name that only the " +
                       std::string(core::name_of(f_.frame.side)) + " has";
    }
    // What top and bottom of a plot stand for, beside it. Returns the width.
    float draw_scale(const LayoutRow& row, float right, float top) {
        const std::vector<CounterView> lines = collect_lines(*f_.run, row);
        const CounterScale scale = choose_scale(lines);
        const std::string high = format_value(lines.front(), scale.top);
        const std::string low = format_value(lines.front(), scale.bottom);
        draw_text_right(list_, small_style(), {right, top + px(1)}, color::kFaint, high);
        draw_text_right(list_, small_style(), {right, top + row.height - small_style().size_px - px(3)}, color::kFaint,
                        low);
        return std::max(text_width(small_style(), high), text_width(small_style(), low)) + px(8);
    }
    // The closed groups of an open rank, to be opened. True if the mouse is on one.
    bool draw_chips(const LayoutRow& row, float x, float right, float top) {
        const struct {
            const char* name;
            RowKind kind;
            std::uint32_t members;
            const char* what;
        } chips[] = {{"CPU", RowKind::Cpu, row.closed_cpu, "Show the CPU threads"},
                     {"notes", RowKind::Marks, row.closed_marks, "Show annotations and waits of the GPU"},
                     {"counters", RowKind::Counters, row.closed_counters, "Show the counters"}};
        bool on_one = false;
        for (const auto& chip : chips) {
            const float width = text_width(small_style(), chip.name) + px(8);
            if (chip.members == 0) continue;
            if (x + width > right) break;
            const ImVec2 min{x, top + px(1)};
            const ImVec2 max{x + width, top + row.height - px(2)};
            const bool hovered = ImGui::IsItemHovered() && ImGui::IsMouseHoveringRect(min, max);
            if (hovered) list_->AddRectFilled(min, max, color::kLine, px(3));
            draw_text(list_, small_style(),
                      {x + px(4), top + std::floor((row.height - px(1) - small_style().size_px) / 2)},
                      hovered ? color::kText : color::kFaint, chip.name);
            record_rect("chip:" + format_row_label(*f_.run, row) + ":" + chip.name, min, max, hovered);
            x = max.x + px(2);
            if (!hovered) continue;
            on_one = true;
            tooltip_ = chip.what;
            if (ImGui::IsMouseClicked(0))
                clicks_.opened.push_back({{f_.run->rank(row.slot).key.packed(), chip.kind, 0}, true});
        }
        return on_one;
    }

    TimelineFrame& f_;
    ImDrawList* list_;
    TreeClicks clicks_;
    std::string tooltip_;
    bool sticky_ = false;
};

}  // namespace

// Tracks of a rank lie one after the other, lanes of a track too; a row of a group answers for nothing but itself.
std::size_t count_only_here(const core::FoundEvents& only, const core::Run& run, const LayoutRow& row) {
    const core::EventSet& events = only.events(row.slot);
    if (row.kind == RowKind::Rank) return events.count();
    if (is_folded(row)) {
        std::size_t count = 0;
        for (const std::uint32_t slot : *row.slots) count += only.events(slot).count();
        return count;
    }
    if (row.kind != RowKind::Lane) return 0;
    const core::RankTrace& trace = run.rank(row.slot).trace();
    // The first row of a track answers for those that are not shown.
    const core::Track& track = trace.tracks[row.track];
    const std::uint32_t last = row.count > 0 ? track.first_lane + track.lane_count - 1 : row.item;
    return events.count_before(trace.lanes[last].last) - events.count_before(trace.lanes[row.item].first);
}

namespace {

// Titles of the two number columns, beside the ruler.
void draw_corner(const TimelineFrame& f, ImDrawList* list) {
    const float y = f.corner.max.y - small_style().size_px - px(5);
    const float right = f.corner.max.x - px(8);
    draw_text_right(list, small_style(), {right, y}, color::kFaint, "idle");
    draw_text_right(list, small_style(), {right - px(kNumberWidth), y}, color::kFaint, "exposed");
    if (ImGui::IsMouseHoveringRect({right - px(2 * kNumberWidth), f.corner.min.y}, f.corner.max) &&
        ImGui::IsWindowHovered()) {
        ImGui::SetTooltip(
            "exposed: communication that no computation hides\nidle: no GPU work\nboth of the rank's time from first "
            "to last GPU event%s",
            f.state.follow_visible ? ", as far as it is visible" : "");
    }
}

}  // namespace

std::vector<std::uint32_t> collect_shown_ranks(const TimelineFrame& f, const LayoutRow& row) {
    if (row.kind != RowKind::Group) return {row.slot};
    std::vector<std::uint32_t> ranks;
    std::ranges::copy_if(*row.slots, std::back_inserter(ranks),
                         [&](std::uint32_t slot) { return !f.looks.of(slot).rejected; });
    return ranks;
}

void add_times(core::ClassTimes& sum, const core::ClassTimes& times) {
    for (std::size_t set = 0; set < sum.by_set.size(); ++set) sum.by_set[set] += times.by_set[set];
}

void draw_group_lines(const TimelineFrame& f) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    for (std::size_t i = f.first_row; i < f.last_row; ++i) {
        const LayoutRow& row = f.layout.rows()[i];
        if (row.kind != RowKind::Group || is_folded(row)) continue;
        const float top = f.row_top(row);
        const float middle = std::floor(top + row.height / 2);
        if (row.title->empty())
            fill(list, {f.plot.min.x, middle}, {f.plot.max.x, middle + 1}, color::kLine);
        else
            fill(list, {f.plot.min.x, top}, {f.plot.max.x, top + row.height}, color::kPanel);
    }
}

void draw_sticky_bands(const TimelineFrame& f) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    for (const StickyRow& heading : f.sticky) {
        const LayoutRow& row = f.layout.rows()[heading.row];
        const float bottom = f.plot.min.y + heading.top + row.height;
        fill(list, {f.plot.min.x, f.plot.min.y + heading.top}, {f.plot.max.x, bottom},
             row.kind == RowKind::Rank ? color::kRaised : color::kPanel);
        fill(list, {f.plot.min.x, bottom - 1}, {f.plot.max.x, bottom}, color::kLine);
    }
}

TreeClicks draw_tree(TimelineFrame& f) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_corner(f, list);
    ImGui::SetCursorScreenPos(f.tree.min);
    invisible_button("##tree", {f.tree.width(), f.tree.height()});
    record_item("##tree");
    list->PushClipRect(f.tree.min, f.tree.max, true);
    TreeDrawing drawing(f);
    drawing.draw_rows();
    list->PopClipRect();
    return drawing.finish();
}

}  // namespace ui
