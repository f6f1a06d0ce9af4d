// A rank: shares of compute, communication and memory over time, and chips that open closed nodes below it.
#include "core/base/format.hpp"
#include "core/doctor/losses.hpp"
#include "ui/style/fill.hpp"
#include "ui/style/items.hpp"
#include "ui/timeline/parts/tree_row.hpp"
#include "ui/timeline/rows/rows.hpp"
#include "ui/timeline/scene/collect_found.hpp"

#include <algorithm>

namespace ui {
namespace {

class RankRow final : public RowKind {
public:
    std::string_view id() const override { return "rank"; }

    bool opens_at_first(Opening opening, std::uint32_t slot) const override {
        const bool only_first = opening == Opening::FirstStreams || opening == Opening::FirstThreads;
        return opening != Opening::Closed && (!only_first || slot == 0);
    }
    bool is_one_per_rank() const override { return true; }

    std::string format_label(const core::Run& run, const LayoutRow& row) const override {
        return "rank " + core::format_rank(run.rank(row.slot).key);
    }
    std::size_t count_events(const core::FoundEvents& found, const core::Run&, const LayoutRow& row) const override {
        return found.events(row.slot).count();
    }
    // An open rank's row adds nothing if one of its own rows is included.
    void add_area_rows(const core::Run& run, const LayoutRow& row, std::span<const LayoutRow> crossed,
                       std::vector<core::TrackRows>& rows) const override {
        const bool has_lanes = std::ranges::any_of(crossed, [&](const LayoutRow& other) {
            return other.slot == row.slot && other.kind->lane_of(other).has_value();
        });
        if (row.open && has_lanes) return;
        rows.push_back(core::TrackRows{.rank = run.rank(row.slot).key, .whole_rank = true});
    }

    RowInset inset(const LayoutRow& row) const override { return inset_of_shares(row); }
    bool stacks_classes(const LayoutRow&) const override { return true; }
    void collect(const RowCollect& c) const override {
        if (c.look().rejected) return;
        const core::RankSlot& rank = c.rank();
        collect_utilisation(rank, find_work(rank, c.look().selection.get(), c.work),
                            c.query.find_waits(c.row.slot, c.work), c.query.view, c.pixels.scratch, c.strip);
        if (c.work == ShownWork::All && c.query.unique_events && !c.row.open)  // if open, its streams have the marks
            collect_found_on_gpu(rank, c.query.unique_events->events(c.row.slot), c.query.view, c.pixels.unique_events);
    }
    void draw_behind(const TimelineFrame& f, const LayoutRow& row) const override {
        fill(ImGui::GetWindowDrawList(), {f.plot.min.x, f.row_top(row) - 1}, {f.plot.max.x, f.row_top(row)},
             color::palette().raised);
    }
    void draw_in_tree(TreeRow& r) const override;
    void draw_tooltip(const TimelineFrame& f, const LayoutRow& row) const override { draw_utilisation_tooltip(f, row); }
};

bool is_pinned(const TimelineFrame& f, std::uint32_t slot) {
    if (!f.order || f.order->sections.empty() || !f.order->sections.front().pinned) return false;
    const std::vector<std::uint32_t>& pinned = f.order->sections.front().slots;
    return std::ranges::find(pinned, slot) != pinned.end();
}

// True if the mouse is on a chip.
bool draw_chips(const TreeRow& r, float x, float right) {
    std::vector<const RowKind*> kinds;
    for (const ClosedNode& node : r.row.closed) kinds.push_back(node.kind);
    std::ranges::stable_sort(kinds, {}, [](const RowKind* kind) { return kind->chip().place; });
    bool on_one = false;
    for (const RowKind* const kind : kinds) {
        const RowChip chip = kind->chip();
        const float width = text_width(small_style(), chip.name) + px(8);
        if (chip.name.empty()) continue;
        if (x + width > right) break;
        const ImVec2 min{x, r.top + px(1)};
        const ImVec2 max{x + width, r.top + r.row.height - px(2)};
        const bool hovered = ImGui::IsItemHovered() && ImGui::IsMouseHoveringRect(min, max);
        if (hovered) r.list->AddRectFilled(min, max, color::palette().line, px(3));
        draw_text(r.list, small_style(), {x + px(4), r.text_y(small_style())},
                  hovered ? color::palette().text : color::palette().faint, chip.name);
        record_rect("chip:" + format_row_label(*r.f.run, r.row) + ":" + std::string(chip.name), min, max, hovered);
        x = max.x + px(2);
        if (!hovered) continue;
        on_one = true;
        r.tooltip = chip.tooltip;
        if (ImGui::IsMouseClicked(0))
            r.clicks.opened.emplace_back(
                NodeKey{.rank = r.f.run->rank(r.row.slot).key.packed(), .kind = kind, .item = 0}, true);
    }
    return on_one;
}

// Draws the rank's data loss in red, or a mark alone if the text doesn't fit. Returns the right end.
float draw_loss(const TreeRow& r, float x, float right) {
    const std::shared_ptr<const core::Losses> losses = core::find_losses(*r.f.run);
    const core::Loss* const loss = losses->find(r.f.run->rank(r.row.slot).key);
    if (!loss) return x;
    if (r.hovered) r.tooltip = loss->text();
    const float width = text_width(small_style(), loss->what);
    const bool fits = x + width <= right;
    const std::string_view words = fits ? std::string_view(loss->what) : std::string_view("!");
    const float end = x + (fits ? width : text_width(heading_style(), words));
    draw_text(r.list, fits ? small_style() : heading_style(), {x, r.text_y(fits ? small_style() : heading_style())},
              color::palette().error, words);
    record_rect("loss:" + format_row_label(*r.f.run, r.row), {x, r.box.min.y}, {end, r.box.max.y}, r.hovered);
    return end + px(8);
}

void RankRow::draw_in_tree(TreeRow& r) const {
    const std::string label = format_label(*r.f.run, r.row);
    r.fill_behind(color::palette().raised);
    r.draw_triangle();
    const float right = r.right() - r.draw_shares(r.rejected() ? color::palette().faint : color::palette().muted);
    r.draw_unique_events();
    const TextStyle style = r.row.height >= px(15) ? heading_style() : small_style();
    r.draw_label(label, style, r.rejected() ? color::palette().faint : color::palette().text, right);
    const float label_end = r.left() + text_width(style, label);
    const bool is_color_key = r.f.choices().color_by == ColorBy::Rank;
    const float after = draw_loss(r, label_end + px(8) + (is_color_key ? px(14) : 0), right);
    const bool on_chip = draw_chips(r, after, right);
    if (is_color_key)
        r.list->AddRectFilled({label_end + px(6), r.middle() - px(4)}, {label_end + px(13), r.middle() + px(3)},
                              color::of_rank(r.f.run->rank(r.row.slot).key.number), px(2));
    if (is_pinned(r.f, r.row.slot))
        r.list->AddRectFilled({r.f.tree.min.x, r.box.min.y}, {r.f.tree.min.x + px(2), r.box.max.y - px(1)},
                              color::palette().accent);
    r.handle_clicks(label, on_chip);
}

}  // namespace

const RowKind& rank_kind() {
    static const RankRow kKind;
    return kKind;
}

}  // namespace ui
