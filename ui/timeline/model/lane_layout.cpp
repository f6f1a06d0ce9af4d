#include "ui/timeline/model/lane_layout.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace ui {
namespace {

constexpr std::size_t kFewRanks = 2;
constexpr std::size_t kManyRanks = 32;           // with more, only the first rank opens by itself
constexpr float kMostGrowth = 1.5f;
constexpr float kLowestRank = 12;                // at scale 1: its name is still readable

// Height at scale 1 that shows as many ranks as possible together with the first, open one.
float choose_rank_height(const core::Run& run, float scale, float height) {
    const RowSizes sizes = RowSizes::comfortable(scale);
    const LaneLayout first(run, {}, Opening::FirstStreams, sizes);
    const float closed = static_cast<float>(run.ranks().size()) * sizes.rank;
    const float room = height - (first.height() - closed);
    const float rank = std::floor(room / static_cast<float>(run.ranks().size()));
    return std::clamp(rank, std::floor(kLowestRank * scale + 0.5f), sizes.rank) / scale;
}

float height_of(const core::Run& run, const Arrangement& arrangement, float scale) {
    return LaneLayout(run, {}, arrangement.opening, arrangement.sizes(scale)).height();
}

bool has_streams(const core::Run& run) {
    return std::ranges::any_of(run.ranks(),
                               [](const core::RankSlot& rank) { return !group_tracks(rank.trace()).streams.empty(); });
}

// Opens threads for runs without GPU streams: all of them, or those of the first rank.
Arrangement open_threads(const core::Run& run, float scale, float height) {
    constexpr float kMostScreens = 4;
    for (const Opening opening : {Opening::Unfolded, Opening::Everything})
        for (const bool compact : {false, true}) {
            const Arrangement all{.opening = opening, .compact = compact};
            if (height_of(run, all, scale) <= height) return all;
        }
    const Arrangement all{.opening = Opening::Everything};
    if (run.ranks().size() <= kManyRanks && height_of(run, all, scale) <= kMostScreens * height) return all;
    return {.opening = Opening::FirstThreads, .rank = choose_rank_height(run, scale, height)};
}

// Opens as much as fits without scrolling: everything for few ranks, else the GPU streams of all, else those of the
// first. Lays out candidates to learn their heights, which is cheap compared with a frame's drawing.
Arrangement choose_opening(const core::Run& run, float scale, float height) {
    constexpr float kNearlyFits = 1.4f;
    if (run.ranks().size() <= kFewRanks) {
        const Arrangement all{.opening = Opening::Unfolded};
        return height_of(run, all, scale) <= height ? all : Arrangement{};
    }
    if (!has_streams(run)) return open_threads(run, scale, height);
    if (run.ranks().size() <= kManyRanks)
        for (const Opening opening : {Opening::Unfolded, Opening::Everything})
            if (const Arrangement all{.opening = opening}; height_of(run, all, scale) <= height) return all;
    const Arrangement first{.opening = Opening::FirstStreams, .rank = choose_rank_height(run, scale, height)};
    if (run.ranks().size() > kManyRanks) return first;
    for (const bool compact : {false, true}) {
        const Arrangement streams{.opening = Opening::Streams, .compact = compact};
        if (height_of(run, streams, scale) <= height * (compact ? kNearlyFits : 1)) return streams;
    }
    return first;
}

}  // namespace

Arrangement choose_arrangement(const core::Run& run, float scale, float height) {
    Arrangement arrangement = choose_opening(run, scale, height);
    if (arrangement.compact || arrangement.rank > 0) return arrangement;
    const float all = height_of(run, arrangement, scale);
    if (all > 0)
        arrangement.grow = std::clamp(height / all, 1.0f, kMostGrowth);  // with hidden rows, the rest may still fit
    return arrangement;
}

RowSizes Arrangement::sizes(float scale) const {
    RowSizes sizes = compact ? RowSizes::compact(scale) : RowSizes::comfortable(scale).grown(grow);
    if (rank > 0) sizes.rank = std::min(sizes.rank, std::floor(rank * scale + 0.5f));
    return sizes;
}

void LaneLayout::place(std::span<const float> tops, float height) {
    for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i].y = tops[i];
    height_ = height;
}

LaneLayout::LaneLayout(const core::Run& run, const RowChoices& choices, Opening opening, const RowSizes& sizes,
                       SeriesByRank series, RankOrderPtr order, const TrackChoice& hidden)
    : series_(std::move(series)), order_(std::move(order)), rank_rows_(run.ranks().size()) {
    if (!order_) order_ = std::make_shared<const RankOrder>(order_ranks(run, {}));
    RankRows rows(run, choices, opening, sizes, series_, hidden);
    for (std::size_t i = 0; i < order_->sections.size(); ++i) {
        const RankOrder::Section& section = order_->sections[i];
        if (section.pinned) continue;
        if ((i > 0 && !order_->sections[i - 1].pinned) || !section.title.empty()) {
            headings_.push_back(rows.size());
            rows.add_heading(section, i);
        }
        if (section.folded)
            for (const std::uint32_t slot : section.slots) folded_[slot] = headings_.back();
        for (const std::uint32_t slot : section.folded ? section.shown : section.slots) {
            const std::size_t first = rows.size();
            rows.add_rank(slot);
            rank_rows_[slot] = {first, rows.size()};
        }
    }
    RankRows::Rows made = std::move(rows).finish();
    rows_ = std::move(made.rows);
    closed_ = std::make_shared<const std::vector<ClosedNode>>(
        std::move(made.closed));  // the vector may move, its elements don't
    height_ = made.height;
}

LaneLayout LaneLayout::of_pinned(const core::Run& run, const RowChoices& choices, Opening opening,
                                 const RowSizes& sizes, SeriesByRank series, const RankOrderPtr& order,
                                 const TrackChoice& pinned, const TrackChoice& hidden) {
    LaneLayout layout;
    layout.order_ = order;
    layout.series_ = std::move(series);
    layout.rank_rows_.resize(run.ranks().size());
    RankRows rows(run, choices, opening, sizes, layout.series_, hidden);
    for (const RankOrder::Section& section : order->sections) {
        for (const std::uint32_t slot : section.slots) {
            if (!section.pinned) break;
            const std::size_t first = rows.size();
            rows.add_rank(slot);
            layout.rank_rows_[slot] = {first, rows.size()};
        }
    }
    const auto add = [&](std::uint32_t slot) {
        if (slot >= pinned.tracks.size() || pinned.tracks[slot].empty()) return;
        const std::size_t first = rows.size();
        rows.add_pinned(slot, pinned.tracks[slot]);
        rows.add_pinned_counters(slot, pinned.counters[slot]);
        if (layout.rank_rows_[slot].first == layout.rank_rows_[slot].second)
            layout.rank_rows_[slot] = {first, rows.size()};
    };
    for (const RankOrder::Section& section : order->sections)
        if (!section.worst) std::ranges::for_each(section.slots, add);
    std::ranges::for_each(order->hidden, add);
    RankRows::Rows made = std::move(rows).finish();
    layout.rows_ = std::move(made.rows);
    layout.closed_ = std::make_shared<const std::vector<ClosedNode>>(std::move(made.closed));
    layout.height_ = made.height;
    return layout;
}

std::pair<std::size_t, std::size_t> LaneLayout::find_visible(float top, float bottom) const {
    const auto first = std::partition_point(rows_.begin(), rows_.end(),
                                            [&](const LayoutRow& row) { return row.y + row.height <= top; });
    const auto last = std::partition_point(first, rows_.end(), [&](const LayoutRow& row) { return row.y < bottom; });
    return {static_cast<std::size_t>(first - rows_.begin()), static_cast<std::size_t>(last - rows_.begin())};
}

std::optional<std::size_t> LaneLayout::find_row_at(float y) const {
    const std::size_t index = find_visible(y, y).first;
    if (index >= rows_.size() || y < rows_[index].y) return std::nullopt;
    return index;
}

std::optional<std::size_t> LaneLayout::find_lane_row(const core::Run& run, std::uint32_t slot,
                                                     std::uint32_t lane) const {
    const auto [first, last] = find_rank_rows(slot);
    if (first == last) return find_folded(slot);
    const std::vector<NodeKey> ancestors = collect_ancestors(run, slot, lane);
    const std::uint32_t track = run.rank(slot).trace().lanes[lane].track;
    std::size_t nearest = first;  // a later row is nearer
    for (std::size_t i = nearest; i < last; ++i) {
        const LayoutRow& row = rows_[i];
        const std::optional<std::uint32_t> shown = row.kind->lane_of(row);
        if (shown == lane) return i;
        const bool holds = shown ? row.track == track
                                 : std::find(ancestors.begin(), ancestors.end(), key_of(run, row)) != ancestors.end();
        if (holds) nearest = i;
    }
    return nearest;
}

std::pair<std::size_t, std::size_t> LaneLayout::find_rank_rows(std::uint32_t slot) const {
    return slot < rank_rows_.size() ? rank_rows_[slot] : std::pair<std::size_t, std::size_t>{};
}

std::optional<std::size_t> LaneLayout::find_folded(std::uint32_t slot) const {
    const auto found = folded_.find(slot);
    return found == folded_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::size_t> LaneLayout::find_heading(std::size_t row) const {
    const auto after = std::ranges::upper_bound(headings_, row);
    if (after == headings_.begin()) return std::nullopt;
    return *(after - 1);
}

std::optional<std::size_t> LaneLayout::find_heading_after(std::size_t row) const {
    const auto after = std::ranges::upper_bound(headings_, row);
    return after == headings_.end() ? std::nullopt : std::optional(*after);
}

NodeKey key_of(const core::Run& run, const LayoutRow& row) {
    const std::int64_t rank = is_heading(row) ? -1 : run.rank(row.slot).key.packed();
    return {.rank = rank, .kind = row.kind, .item = row.kind->node_item(row)};
}

std::vector<NodeKey> collect_ancestors(const core::Run& run, std::uint32_t slot, std::uint32_t lane) {
    const core::RankSlot& rank = run.rank(slot);
    std::vector<NodeKey> keys{{.rank = rank.key.packed(), .kind = &rank_kind(), .item = 0}};
    for (const RowKind* kind : row_kinds().rows())
        if (const std::optional<std::uint32_t> item = kind->find_holder(rank.trace(), lane))
            keys.push_back({rank.key.packed(), kind, *item});
    return keys;
}

std::string format_row_label(const core::Run& run, const LayoutRow& row) { return row.kind->format_label(run, row); }

}  // namespace ui
