// The left column: names of ranks, streams and threads, and exposed and idle time per rank.
#include "ui/style/fill.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/timeline/parts/tree_row.hpp"

#include <algorithm>
#include <iterator>

namespace ui {
namespace {

class TreeDrawing {
public:
    explicit TreeDrawing(TimelineFrame& f) : f_(f), list_(ImGui::GetWindowDrawList()) {}

    void draw_rows() {
        for (std::size_t i = f_.first_row; i < f_.last_row; ++i) {
            const LayoutRow& row = f_.layout.rows()[i];
            draw_row(row, f_.row_top(row), f_.uncovered_top(), false);
        }
        for (auto heading = f_.sticky.rbegin(); heading != f_.sticky.rend(); ++heading) {
            const LayoutRow& row = f_.layout.rows()[heading->row];
            const float top = f_.tree.min.y + heading->top;
            fill(list_, {f_.tree.min.x, std::max(top, f_.tree.min.y)}, {f_.tree.max.x, top + row.height},
                 color::palette().panel);
            draw_row(row, top, f_.tree.min.y, true);
        }
    }

    TreeClicks finish() {
        if (!tooltip_.empty()) show_tooltip(tooltip_);
        return std::move(clicks_);
    }

private:
    // The part above least_y is covered.
    void draw_row(const LayoutRow& row, float top, float least_y, bool sticky) {
        const Box box{{f_.tree.min.x, std::max(top, least_y)},
                      {f_.tree.max.x, std::min(top + row.height, f_.tree.max.y)}};
        if (box.height() <= 0) return;
        TreeRow drawn(f_, row, {.box = box, .top = top, .sticky = sticky}, clicks_, tooltip_);
        row.kind->draw_in_tree(drawn);
    }

    TimelineFrame& f_;
    ImDrawList* list_;
    TreeClicks clicks_;
    std::string tooltip_;
};

// Titles of the two number columns, next to the ruler.
void draw_corner(const TimelineFrame& f, ImDrawList* list) {
    const float y = f.corner.max.y - small_style().size_px - px(5);
    const float right = f.corner.max.x - px(8);
    draw_text_right(list, small_style(), {right, y}, color::palette().faint, "idle");
    draw_text_right(list, small_style(), {right - px(kTreeNumberWidth), y}, color::palette().faint, "exposed");
    if (ImGui::IsMouseHoveringRect({right - px(2 * kTreeNumberWidth), f.corner.min.y}, f.corner.max) &&
        ImGui::IsWindowHovered()) {
        ImGui::SetTooltip(
            "exposed: communication that no computation hides\nidle: no GPU work\nboth of the rank's time from first "
            "to last GPU event%s",
            f.choices().follow_visible ? ", visible part only" : "");
    }
}

TreeClicks draw_rows_of_tree(TimelineFrame& f, const char* id) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    ImGui::SetCursorScreenPos(f.tree.min);
    invisible_button(id, {f.tree.width(), f.tree.height()});
    record_item(id);
    list->PushClipRect(f.tree.min, f.tree.max, true);
    TreeDrawing drawing(f);
    drawing.draw_rows();
    list->PopClipRect();
    return drawing.finish();
}

}  // namespace

std::vector<std::uint32_t> collect_shown_ranks(const TimelineFrame& f, const LayoutRow& row) {
    if (!is_heading(row)) return {row.slot};
    std::vector<std::uint32_t> ranks;
    std::ranges::copy_if(*row.slots, std::back_inserter(ranks),
                         [&](std::uint32_t slot) { return !f.looks.of(slot).rejected; });
    return ranks;
}

void add_times(core::ClassTimes& sum, const core::ClassTimes& times) {
    for (std::size_t set = 0; set < sum.by_set.size(); ++set) sum.by_set[set] += times.by_set[set];
}

void draw_sticky_bands(const TimelineFrame& f) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    for (const StickyRow& heading : f.sticky) {
        const LayoutRow& row = f.layout.rows()[heading.row];
        const float bottom = f.plot.min.y + heading.top + row.height;
        fill(list, {f.plot.min.x, f.plot.min.y + heading.top}, {f.plot.max.x, bottom},
             is_heading(row) ? color::palette().panel : color::palette().raised);
        fill(list, {f.plot.min.x, bottom - 1}, {f.plot.max.x, bottom}, color::palette().line);
    }
}

TreeClicks draw_tree(TimelineFrame& f) {
    draw_corner(f, ImGui::GetWindowDrawList());
    return draw_rows_of_tree(f, "##tree");
}

TreeClicks draw_pinned_tree(TimelineFrame& f) { return draw_rows_of_tree(f, "##pinned-tree"); }

}  // namespace ui
