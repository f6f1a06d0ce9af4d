#include "ui/timeline/scene/scene.hpp"

#include "ui/style/text.hpp"
#include "ui/style/theme.hpp"
#include "ui/timeline/scene/collect_found.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr std::size_t kMostGroupCells = 1 << 15;  // for all visible folded groups together, per frame
constexpr std::size_t kWorthThreads = 30'000;  // columns; below, starting a thread costs more than it saves

StripKind strip_kind(const LayoutRow& row) {
    return row.kind->stacks_classes(row) ? StripKind::StackedClasses : StripKind::Colors;
}

// Screen row for the renderer's 16-bit vertices; content far outside the window is clamped instead of wrapping around.
std::int16_t to_px(float y) { return static_cast<std::int16_t>(std::clamp(y, -30'000.0f, 30'000.0f)); }

}  // namespace

std::vector<GroupRank> collect_group_ranks(const SceneQuery& query, const std::vector<std::uint32_t>& slots,
                                           ShownWork work) {
    std::vector<GroupRank> ranks;
    for (const std::uint32_t slot : slots) {
        const RankLook& look = query.looks.of(slot);
        const core::RankSlot& rank = query.run->rank(slot);
        if (!look.rejected)
            ranks.push_back({.rank = &rank,
                             .partition = &find_work(rank, look.selection.get(), work),
                             .waits = query.find_waits(slot, work)});
    }
    return ranks;
}

void RankLooks::add(std::uint32_t slot, RankLook look) {
    looks_.insert(std::ranges::lower_bound(looks_, slot, {}, &std::pair<std::uint32_t, RankLook>::first),
                  {slot, std::move(look)});
}

const RankLook* RankLooks::find(std::uint32_t slot) const {
    const std::size_t at = index_of(slot);
    return at < looks_.size() && looks_[at].first == slot ? &looks_[at].second : nullptr;
}

std::size_t RankLooks::index_of(std::uint32_t slot) const {
    const auto at = std::ranges::lower_bound(looks_, slot, {}, &std::pair<std::uint32_t, RankLook>::first);
    return static_cast<std::size_t>(at - looks_.begin());
}

GroupsQuery collect_large_groups(const SceneQuery& query, const LaneLayout& layout) {
    const auto visible = std::span(layout.rows()).subspan(query.first_row, query.last_row - query.first_row);
    std::size_t ranks = 0;
    for (const LayoutRow& row : visible)
        if (is_folded(row)) ranks += row.slots->size();
    GroupsQuery groups;
    if (ranks * static_cast<std::size_t>(std::max(0.0f, query.view.width_px)) <= kMostGroupCells) return groups;
    groups.scene = query;
    for (std::size_t i = 0; i < visible.size(); ++i)
        if (is_folded(visible[i])) groups.slots.emplace(query.first_row + i, *visible[i].slots);
    return groups;
}

core::Result<GroupStrips> collect_group_strips(const GroupsQuery& query, const core::JobContext& job) {
    constexpr std::size_t kRanksBetweenChecks = 16;
    const auto width = static_cast<std::size_t>(std::max(0.0f, query.scene.view.width_px));
    const auto collect = [&](ShownWork work, GroupStrips::ByRow& strips) {
        for (const auto& [row, slots] : query.slots) {
            GroupSum sum(width);
            const std::vector<GroupRank> ranks = collect_group_ranks(query.scene, slots, work);
            for (std::size_t i = 0; i < ranks.size(); ++i) {
                if (i % kRanksBetweenChecks == 0 && job.cancelled()) return false;
                sum.add(ranks[i], query.scene.view);
            }
            strips[row] = sum.means();
        }
        return true;
    };
    GroupStrips strips;
    if (!collect(ShownWork::All, strips.all)) return core::cancelled_error();
    if (query.scene.highlights && !collect(ShownWork::Chosen, strips.chosen)) return core::cancelled_error();
    return strips;
}

Scene::Scene() : threads_(core::Executor::instance().threads()) {
    highlighter_.set_over(true);
    core::Executor::instance().prepare(core::Priority::Frame);
}

bool Scene::update(const SceneQuery& query, const LaneLayout& layout, EventNames& names) {
    if (query == query_) return false;
    query_ = query;
    const std::size_t count = query.last_row - query.first_row;
    const int width = std::max(0, static_cast<int>(query.view.width_px));
    pixels_.assign(count * static_cast<std::size_t>(width), 0);
    highlights_.assign(query.highlights ? pixels_.size() : 0, 0);
    if (rows_.size() < count) rows_.resize(count);
    colors_.assign(query.looks.size(), {});
    member_colors_.assign(query.looks.size(), {});
    shades_.assign(query.looks.size(), {});
    const auto visible = std::span(layout.rows()).subspan(query.first_row, count);
    const auto folded =
        static_cast<std::size_t>(std::ranges::count_if(visible, [](const LayoutRow& row) { return is_folded(row); }));
    group_cells_ = kMostGroupCells / std::max<std::size_t>(folded, 1);
    std::vector<bool> colors_events(colors_.size());
    for (const LayoutRow& row : visible)
        if (row.kind->colors_events()) colors_events[query.looks.index_of(row.slot)] = true;
    for (std::size_t i = 0; i < colors_.size(); ++i) {
        if (!colors_events[i]) continue;
        const core::RankSlot& rank = query.run->rank(query.looks.slot_at(i));
        if (query.color_by == ColorBy::Name) shades_[i] = names.shades(rank);
        if (query.color_by != ColorBy::Group) continue;
        colors_[i] = names.group_colors(rank);
        member_colors_[i] = names.member_colors(rank, query.looks.slot_at(i), query.matched);
    }
    // Waking workers costs more than collecting a small or mostly empty view on this thread.
    const bool is_much = folded > 1 || pixels_.size() >= kWorthThreads;
    const unsigned threads = is_much ? threads_ : 1;
    core::Executor::instance().parallel_for(core::Priority::Frame, count, threads,
                                            [&](std::size_t i) { collect_row(layout, query.first_row + i, width); });
    upload(layout, width);
    if (query.highlights) upload_highlights(layout, width);
    return true;
}

std::span<std::uint32_t> Scene::strip_of(std::vector<std::uint32_t>& pixels, std::size_t index, int width) const {
    return std::span(pixels).subspan((index - query_.first_row) * static_cast<std::size_t>(width),
                                     static_cast<std::size_t>(width));
}

void Scene::collect_row(const LaneLayout& layout, std::size_t index, int width) {
    const LayoutRow& row = layout.rows()[index];
    RowPixels& pixels = rows_[index - query_.first_row];
    pixels.rects.clear();
    pixels.found.clear();
    pixels.unique_events.clear();
    pixels.plot.clear();
    pixels.plot_colors.clear();
    const bool colored = row.kind->colors_events();
    const std::size_t look = colored ? query_.looks.index_of(row.slot) : 0;
    row.kind->collect({.query = query_,
                       .row = row,
                       .index = index,
                       .group_cells = group_cells_,
                       .shades = colored ? shades_[look] : std::span<const std::uint8_t>(),
                       .colors = colored ? colors_[look] : std::span<const std::uint32_t>(),
                       .member_colors = colored ? member_colors_[look] : std::span<const EventColor>(),
                       .pixels = pixels,
                       .strip = strip_of(pixels_, index, width)});
    // The dimmed strip above shows all work; this one is drawn over it and shows only events that pass the filter.
    if (query_.highlights && row.kind->stacks_classes(row))
        row.kind->collect({.query = query_,
                           .row = row,
                           .index = index,
                           .group_cells = group_cells_,
                           .pixels = pixels,
                           .strip = strip_of(highlights_, index, width),
                           .work = ShownWork::Chosen});
}

void Scene::draw_plot(ImDrawList* list, ImVec2 at, const LayoutRow& row, std::size_t index) const {
    const RowPixels& pixels = rows_[index - query_.first_row];
    const float top = at.y + static_cast<float>(to_px(row.y - query_.scroll_y + bar_inset(row).top));
    const auto corner = [&](std::int32_t x, std::int32_t y) {
        return ImVec2{at.x + static_cast<float>(x), top + static_cast<float>(y)};
    };
    for (std::size_t k = 0; k < pixels.plot.size(); ++k) {
        const PlotRect& rect = pixels.plot[k];
        draw_rect(list, corner(rect.x0, rect.y0), corner(rect.x1, rect.y1), pixels.plot_colors[k]);
    }
}

void Scene::upload(const LaneLayout& layout, int width) {
    for (std::vector<StripQuad>& quads : quads_) quads.clear();
    instances_.clear();
    rect_count_ = 0;
    for (std::size_t i = query_.first_row; i < query_.last_row; ++i) {
        const LayoutRow& row = layout.rows()[i];
        const std::size_t index = i - query_.first_row;
        const RowInset inset = bar_inset(row);
        const std::int16_t top = to_px(row.y - query_.scroll_y + inset.top);
        const std::int16_t bottom = to_px(row.y - query_.scroll_y + inset.bottom);
        const std::span<std::uint32_t> strip = strip_of(pixels_, i, width);
        const StripKind kind = strip_kind(row);
        add_strip_quads(strip, static_cast<std::int32_t>(index), top, bottom, quads_[static_cast<std::size_t>(kind)]);
        // Gaps within a stretch are drawn, too.
        if (kind == StripKind::Colors)
            std::replace(strip.begin(), strip.end(), std::uint32_t{0},
                         static_cast<std::uint32_t>(color::palette().background));
        for (const VisibleRect& rect : rows_[index].rects) {
            // A waiting event is two rectangles: the hatched wait, then the transfer in its own colour.
            const std::int32_t split = std::clamp(rect.wait_end, rect.x0, rect.x1);
            if (split > rect.x0)
                instances_.push_back({static_cast<std::int16_t>(rect.x0), static_cast<std::int16_t>(split), top, bottom,
                                      as_hatched(rect.wait_color)});
            if (split < rect.x1)
                instances_.push_back(
                    {static_cast<std::int16_t>(split), static_cast<std::int16_t>(rect.x1), top, bottom, rect.color});
        }
        rect_count_ += rows_[index].rects.size();
        for (std::size_t k = 0; k < rows_[index].plot.size(); ++k) {
            const PlotRect& rect = rows_[index].plot[k];
            const auto y = [&](std::int32_t from_top) { return static_cast<std::int16_t>(top + from_top); };
            instances_.push_back({static_cast<std::int16_t>(rect.x0), static_cast<std::int16_t>(rect.x1), y(rect.y0),
                                  y(rect.y1), rows_[index].plot_colors[k]});
        }
        const auto thick = static_cast<std::int16_t>(to_px(px(2)));
        const auto add_marks = [&](std::span<const PixelSpan> spans, std::int16_t from, std::uint32_t color) {
            for (const PixelSpan& span : spans)
                instances_.push_back({static_cast<std::int16_t>(span.x0), static_cast<std::int16_t>(span.x1), from,
                                      static_cast<std::int16_t>(from + thick), color});
        };
        add_marks(rows_[index].unique_events, top, query_.only_color);
        add_marks(rows_[index].found, static_cast<std::int16_t>(bottom - thick), color::palette().found);
    }
    renderer_.set_strips(width, pixels_, quads_);
    renderer_.set_rects(instances_);
    renderer_.set_dimmed(query_.dimmed_in_strips());
}

void Scene::upload_highlights(const LaneLayout& layout, int width) {
    StripQuads quads;
    for (std::size_t i = query_.first_row; i < query_.last_row; ++i) {
        const LayoutRow& row = layout.rows()[i];
        if (!row.kind->stacks_classes(row)) continue;
        const RowInset inset = bar_inset(row);
        add_strip_quads(strip_of(highlights_, i, width), static_cast<std::int32_t>(i - query_.first_row),
                        to_px(row.y - query_.scroll_y + inset.top), to_px(row.y - query_.scroll_y + inset.bottom),
                        quads[static_cast<std::size_t>(StripKind::StackedClasses)]);
    }
    highlighter_.set_strips(width, highlights_, quads);
}

std::span<const VisibleRect> Scene::rects(std::size_t row) const { return rows_[row - query_.first_row].rects; }

}  // namespace ui
