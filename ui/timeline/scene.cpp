#include "ui/timeline/scene.hpp"

#include "ui/theme.hpp"

#include <algorithm>
#include <cmath>
#include <thread>

namespace ui {
namespace {

constexpr std::size_t kWorthThreads = 30'000;  // columns; below, starting a thread costs more than it saves

StripKind strip_kind(RowKind kind) {
    if (kind == RowKind::Rank) return StripKind::StackedClasses;
    return kind == RowKind::Counter ? StripKind::Level : StripKind::Colors;
}

std::int16_t to_px(float y) { return static_cast<std::int16_t>(std::clamp(y, -30'000.0f, 30'000.0f)); }

}  // namespace

RowInset bar_inset(const LayoutRow& row) {
    const float gap = row.kind == RowKind::Rank ? px(2) : px(1);
    return {row.kind == RowKind::Rank ? gap : 0, row.height - gap};
}

Scene::Scene() : threads_(std::max(1u, std::thread::hardware_concurrency())) {}

bool Scene::update(const SceneQuery& query, const LaneLayout& layout, EventNames& names) {
    if (query == query_) return false;
    query_ = query;
    const std::size_t count = query.last_row - query.first_row;
    const int width = std::max(0, static_cast<int>(query.view.width_px));
    pixels_.assign(count * static_cast<std::size_t>(width), 0);
    if (rows_.size() < count) rows_.resize(count);
    colors_.assign(query.looks.size(), {});
    for (std::size_t i = 0; i < colors_.size() && !query.by_class; ++i)
        colors_[i] = names.colors(query.run->rank(query.first_slot + i));
    const unsigned threads = pixels_.size() >= kWorthThreads ? threads_ : 1;
    core::parallel_for(count, threads, [&](std::size_t i) {
        const auto strip =
            std::span(pixels_).subspan(i * static_cast<std::size_t>(width), static_cast<std::size_t>(width));
        collect_row(layout, query.first_row + i, strip);
    });
    upload(layout, width);
    return true;
}

void Scene::collect_row(const LaneLayout& layout, std::size_t index, std::span<std::uint32_t> strip) {
    const LayoutRow& row = layout.rows()[index];
    RowPixels& pixels = rows_[index - query_.first_row];
    pixels.rects.clear();
    const core::RankSlot& rank = query_.run->rank(row.slot);
    const RankLook& look = query_.looks[row.slot - query_.first_slot];
    if (row.kind == RowKind::Rank) {
        const core::ClassPartition& partition = look.selection ? look.selection->partition() : rank.index->partition();
        if (!look.rejected) collect_utilisation(rank, partition, query_.view, pixels.scratch, strip);
    } else if (row.kind == RowKind::Lane) {
        LaneQuery lane;
        lane.rank = &rank;
        lane.lane = row.item;
        lane.name_colors = colors_[row.slot - query_.first_slot];
        lane.selection = look.selection.get();
        lane.faded = look.rejected;
        lane.background = color::kBackground;
        collect_lane(lane, query_.view, pixels.scratch, strip, pixels.rects);
    } else if (row.kind == RowKind::Counter) {
        collect_counter(rank, row.item, query_.view, strip);
    }
}

void Scene::upload(const LaneLayout& layout, int width) {
    for (std::vector<StripQuad>& quads : quads_) quads.clear();
    instances_.clear();
    for (std::size_t i = query_.first_row; i < query_.last_row; ++i) {
        const LayoutRow& row = layout.rows()[i];
        const std::size_t index = i - query_.first_row;
        const RowInset inset = bar_inset(row);
        const std::int16_t top = to_px(row.y - query_.scroll_y + inset.top);
        const std::int16_t bottom = to_px(row.y - query_.scroll_y + inset.bottom);
        const auto strip = std::span<std::uint32_t>(pixels_).subspan(index * static_cast<std::size_t>(width),
                                                                     static_cast<std::size_t>(width));
        const StripKind kind = strip_kind(row.kind);
        add_strip_quads(strip, static_cast<std::int32_t>(index), top, bottom, quads_[static_cast<std::size_t>(kind)]);
        // Gaps inside a stretch are drawn too.
        if (kind == StripKind::Colors)
            std::replace(strip.begin(), strip.end(), std::uint32_t{0}, static_cast<std::uint32_t>(color::kBackground));
        for (const VisibleRect& rect : rows_[i - query_.first_row].rects) {
            instances_.push_back(
                {static_cast<std::int16_t>(rect.x0), static_cast<std::int16_t>(rect.x1), top, bottom, rect.color});
        }
    }
    rect_count_ = instances_.size();
    renderer_.set_strips(width, pixels_, quads_);
    renderer_.set_rects(instances_);
}

std::span<const VisibleRect> Scene::rects(std::size_t row) const { return rows_[row - query_.first_row].rects; }

}  // namespace ui
