#include "ui/timeline/parts/pinned_band.hpp"

#include "ui/style/fill.hpp"
#include "ui/style/items.hpp"
#include "ui/style/theme.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ui {
namespace {

constexpr float kMostOfPlot = 0.5f;
constexpr float kEdge = 3;  // px at scale 1, between the band and the rows below

// The same frame, for the rows of the band.
TimelineFrame frame_of_band(const TimelineFrame& f) {
    TimelineFrame band{.frame = f.frame,
                       .view = f.view,
                       .ephemeral = f.ephemeral,
                       .asked = f.asked,
                       .run = f.run,
                       .layout = *f.pinned,
                       .names = f.names,
                       .looks = f.looks,
                       .area_look = f.area_look};
    band.scroll_y = f.pinned_scroll;
    band.compact = f.compact;
    band.links = f.links;
    band.order = f.order;
    band.waits = f.waits;
    band.overview = f.overview;
    band.corner = f.corner;
    band.ruler = f.ruler;
    band.tree = f.pinned_tree;
    band.plot = f.pinned_plot;
    std::tie(band.first_row, band.last_row) =
        f.pinned->find_visible(f.pinned_scroll, f.pinned_scroll + f.pinned_plot.height());
    return band;
}

}  // namespace

void PinnedBand::place(TimelineFrame& f, const TimelineRows& own, const TimelineRows* partner) {
    const float rows = std::max(own.pinned().height(), partner ? partner->pinned().height() : 0.0f);
    const float height = rows > 0 ? std::min(rows, std::floor(f.plot.height() * kMostOfPlot)) : 0.0f;
    f.pinned_tree = {f.tree.min, {f.tree.max.x, f.tree.min.y + height}};
    f.pinned_plot = {f.plot.min, {f.plot.max.x, f.plot.min.y + height}};
    if (height <= 0) return;
    f.pinned = &own.pinned();
    f.tree.min.y += height + px(kEdge);
    f.plot.min.y += height + px(kEdge);
    if (const std::optional<float> y = std::exchange(shown_y_, std::nullopt);
        y && (*y < scroll_ || *y > scroll_ + height - px(16)))
        scroll_ = *y - height / 2;
    scroll_ = std::clamp(scroll_, 0.0f, std::max(0.0f, own.pinned().height() - height));
    f.pinned_scroll = std::floor(scroll_);
}

void PinnedBand::update_scroll(TimelineFrame& f) {
    if (!f.pinned) return;
    scroll_ += f.pinned_scroll - std::floor(scroll_);
    scroll_ = std::clamp(scroll_, 0.0f, std::max(0.0f, f.pinned->height() - f.pinned_plot.height()));
    f.pinned_scroll = std::floor(scroll_);
}

void PinnedBand::collect_slots(const TimelineFrame& f, std::vector<std::uint32_t>& slots) {
    if (!f.pinned) return;
    for (const LayoutRow& row : f.pinned->rows()) slots.push_back(row.slot);
}

TreeClicks PinnedBand::draw_tree(TimelineFrame& f) const {
    if (!f.pinned) return {};
    TimelineFrame band = frame_of_band(f);
    TreeClicks clicks = draw_pinned_tree(band);
    ImGui::GetWindowDrawList()->AddRectFilled(f.pinned_tree.min, {f.pinned_tree.min.x + px(2), f.pinned_tree.max.y},
                                              color::palette().accent);
    return clicks;
}

void PinnedBand::draw_bars(const TimelineFrame& f, SceneQuery query, std::uint64_t layout_version,
                           const std::function<void(const TimelineFrame&)>& overlay) {
    if (!f.pinned) return;
    const TimelineFrame band = frame_of_band(f);
    query.layout_version = layout_version;
    query.first_row = band.first_row;
    query.last_row = band.last_row;
    query.scroll_y = band.scroll_y;
    query.groups = nullptr;
    scene_.update(query, *f.pinned, f.names);
    ImDrawList* list = ImGui::GetWindowDrawList();
    fill(list, band.plot.min, {band.plot.max.x, band.plot.max.y}, color::palette().background);
    list->PushClipRect(band.plot.min, band.plot.max, true);
    for (std::size_t i = band.last_row; i > band.first_row; --i) {
        const LayoutRow& row = band.layout.rows()[i - 1];
        row.kind->draw_behind(band, row);
    }
    draw_grid(band);
    scene_.queue(list, band.plot.min);
    draw_labels(band, scene_);
    overlay(band);
    draw_marks(band);
    list->PopClipRect();
    fill(list, {band.tree.min.x, band.plot.max.y}, {band.plot.max.x, f.plot.min.y}, color::palette().line);
}

void PinnedBand::describe(nlohmann::json& shown, const core::Run& run, const LaneLayout& pinned) {
    shown = nlohmann::json::array();
    for (const LayoutRow& row : pinned.rows())
        if (const std::string label = format_row_label(run, row); !label.empty()) shown.push_back(label);
}

}  // namespace ui
