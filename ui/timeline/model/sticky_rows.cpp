#include "ui/timeline/model/sticky_rows.hpp"

#include <algorithm>

namespace ui {
namespace {

// Places a heading below `covered` pixels, or higher where its section ends.
StickyRow place_heading(const LaneLayout& layout, std::size_t row, float covered, float end) {
    return {row, std::min(covered, end - layout.rows()[row].height)};
}

std::optional<StickyRow> find_group_heading(const LaneLayout& layout, std::size_t first, float scroll_y) {
    const std::vector<LayoutRow>& rows = layout.rows();
    const std::optional<std::size_t> heading = layout.find_heading(first);
    if (!heading || rows[*heading].title->empty() || rows[*heading].y >= scroll_y) return std::nullopt;
    if (is_folded(rows[*heading])) return std::nullopt;
    const std::optional<std::size_t> next = layout.find_heading_after(first);
    return place_heading(layout, *heading, 0, (next ? rows[*next].y : layout.height()) - scroll_y);
}

std::optional<StickyRow> find_rank_heading(const LaneLayout& layout, float scroll_y, float covered) {
    const std::vector<LayoutRow>& rows = layout.rows();
    const std::size_t under = layout.find_visible(scroll_y + covered, scroll_y + covered).first;
    if (under >= rows.size() || is_heading(rows[under])) return std::nullopt;
    const auto [first, last] = layout.find_rank_rows(rows[under].slot);
    if (last - first < 2 || rows[first].y >= scroll_y + covered) return std::nullopt;
    return place_heading(layout, first, covered, rows[last - 1].y + rows[last - 1].height - scroll_y);
}

}  // namespace

std::vector<StickyRow> collect_sticky(const LaneLayout& layout, float scroll_y) {
    std::vector<StickyRow> sticky;
    const std::size_t first = layout.find_visible(scroll_y, scroll_y).first;
    if (first >= layout.rows().size()) return sticky;
    if (const auto heading = find_group_heading(layout, first, scroll_y)) sticky.push_back(*heading);
    if (const auto rank = find_rank_heading(layout, scroll_y, sticky_height(layout, sticky))) sticky.push_back(*rank);
    return sticky;
}

float sticky_height(const LaneLayout& layout, std::span<const StickyRow> sticky) {
    float height = 0;
    for (const StickyRow& row : sticky) height = std::max(height, row.top + layout.rows()[row.row].height);
    return height;
}

float room_for_heading(const LaneLayout& layout, std::uint32_t slot) {
    const auto [first, last] = layout.find_rank_rows(slot);
    const std::optional<std::size_t> heading = first < last ? layout.find_heading(first) : std::nullopt;
    if (!heading || layout.rows()[*heading].title->empty()) return 0;
    return layout.rows()[*heading].height;
}

}  // namespace ui
