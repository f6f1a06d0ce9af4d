#include "ui/timeline/scene/collect_visible.hpp"

#include "core/index/summary_rank.hpp"
#include "core/store/arguments.hpp"
#include "ui/style/theme.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace ui {
namespace {

constexpr float kFaintest = 0.28f;       // share of the colour for the shortest event
constexpr float kUngroupedShare = 0.75f; // share of grey for events without a process group
constexpr float kFadedShare = 0.82f;     // share of the background for events that the filter excludes

struct RankWindow {
    core::RankTime t0;
    double fraction_ns;
    double ns_per_px;
};

RankWindow window_of(const TimeView& view, const core::RankSlot& rank) {
    return {.t0 = rank.to_rank(view.t0),
            .fraction_ns = view.fraction_ns,
            .ns_per_px = rank.to_rank_length(view.ns_per_px())};
}

// color::mix in integers, because it runs once per pixel column of the screen.
std::uint32_t blend(std::uint32_t background, std::uint32_t color, float share) {
    const auto part =
        static_cast<std::uint32_t>(share * 256 + 0.5f);  // NOLINT(bugprone-incorrect-roundings): 0 <= share
    const std::uint32_t odd = ((background & 0xFF00FFu) * (256 - part) + (color & 0xFF00FFu) * part) >> 8 & 0xFF00FFu;
    const std::uint32_t even = (background >> 8 & 0xFFu) * (256 - part) + (color >> 8 & 0xFFu) * part;
    return 0xFF000000u | odd | (even & 0xFF00u);
}

float visible_share(float busy) { return kFaintest + (1 - kFaintest) * std::min(busy, 1.0f); }

// Facts about an event of a lane. Caches the latest event, which neighbouring columns share.
class EventLook {
public:
    EventLook(const LaneQuery& query, const TimeView& view)
        : query_(query), view_(view), trace_(query.rank->trace()), classes_(query.rank->index->classes()) {
        if (query.color_by == ColorBy::Group) groups_ = trace_.texts(core::Arg::GroupName);
    }

    void show(core::EventId event, bool may_be_wide) {
        event_ = event;
        is_wide_ = may_be_wide &&
                   static_cast<double>(trace_.duration[core::index_of(event)].count()) * view_.px_per_ns >= kWidePx;
        if (is_wide_) span_ = pixel_span(view_, *query_.rank, trace_.range(event));
        color_ = color_of(event);
        is_faded_ = query_.faded || (query_.selection != nullptr && !query_.selection->passes(event));
        if (is_faded_) color_ = color::mix(color_, query_.background, kFadedShare);
    }
    core::EventId event() const { return event_; }
    bool is_wide() const { return is_wide_; }
    std::uint32_t color() const { return color_; }
    std::int32_t left() const { return span_.x0; }
    bool is_faded() const { return is_faded_; }
    // The last pixel stays free as the gap to the next event.
    std::int32_t right() const { return std::max(span_.x0 + 2, span_.x1 - 1); }
    // Share of a column that the event covers.
    float share_of(std::size_t column) const {
        const core::RankRange range = trace_.range(event_);
        const double begin = view_.to_px(query_.rank->to_run(range.begin)) - static_cast<double>(column);
        const double end = view_.to_px(query_.rank->to_run(range.end)) - static_cast<double>(column);
        return static_cast<float>(std::clamp(end, 0.0, 1.0) - std::clamp(begin, 0.0, 1.0));
    }

private:
    std::uint32_t color_of(core::EventId event) const {
        switch (query_.color_by) {
            case ColorBy::Name:
                return color::of_shade(query_.name_shades[core::index_of(trace_.name[core::index_of(event)])],
                                       classes_.of(event));
            case ColorBy::Class:
                break;
            case ColorBy::Rank:
                return query_.rank_color;
            case ColorBy::Group:
                return color_of_group(event);
            case ColorBy::Duration:
                return color::of_duration(static_cast<double>(trace_.duration[core::index_of(event)].count()));
        }
        return color::of_class(classes_.of(event));
    }
    std::uint32_t color_of_group(core::EventId event) const {
        const auto member = std::ranges::lower_bound(query_.member_colors, event, {}, &EventColor::event);
        if (member != query_.member_colors.end() && member->event == event) return member->color;
        const core::NameId* group = groups_.find(event);
        const std::uint32_t known = group ? query_.group_colors[core::index_of(*group)] : 0;
        return known != 0
                   ? known
                   : color::mix(color::of_class(classes_.of(event)), color::palette().unclassed, kUngroupedShare);
    }

    const LaneQuery& query_;
    const TimeView& view_;
    const core::RankTrace& trace_;
    const core::ClassTable& classes_;
    core::SparseColumn<core::NameId> groups_;  // for ColorBy::Group
    core::EventId event_ = core::kNoEvent;
    PixelSpan span_{};
    std::uint32_t color_ = 0;
    bool is_wide_ = false;
    bool is_faded_ = false;
};

// The rectangle of the current event, with its waiting.
VisibleRect rect_of(const LaneQuery& query, const TimeView& view, const EventLook& look) {
    VisibleRect rect{.x0 = look.left(),
                     .x1 = look.right(),
                     .event = look.event(),
                     .color = look.color(),
                     .wait_end = look.left(),
                     .wait_color = 0};
    if (query.waits == nullptr) return rect;
    const core::RankTime begin = query.rank->trace().start[core::index_of(look.event())];
    const core::RankTime end = query.waits->end_of(begin);
    if (end <= begin) return rect;
    rect.wait_end = std::min(rect.x1, pixel_span(view, *query.rank, {begin, end}).x1);
    rect.wait_color = color::palette().waiting;
    if (look.is_faded()) rect.wait_color = color::mix(rect.wait_color, query.background, kFadedShare);
    return rect;
}

// Mixes the colours of a column's classes by their shares.
std::uint32_t blend_of_classes(const core::PixelColumn& column) {
    const std::array<float, 4> shares{column.compute, column.communication, column.memory, column.other};
    std::uint32_t blend = 0;
    float sum = 0;
    for (std::size_t i = 0; i < shares.size(); ++i) {
        if (shares[i] <= 0) continue;
        sum += shares[i];
        const std::uint32_t color = color::of_class(static_cast<core::KernelClass>(i));
        blend = sum == shares[i] ? color : color::mix(blend, color, shares[i] / sum);
    }
    return blend;
}

// Colour of a column that a wide event reaches but whose rounded rectangle does not. Events of a lane do not overlap,
// so only the neighbour on that side can add something.
std::uint32_t color_of_neighbour(const LaneQuery& query, const TimeView& view, const EventLook& wide,
                                 const core::PixelColumn& column, std::size_t x) {
    const core::RankTrace& trace = query.rank->trace();
    const core::Lane& lane = trace.lanes[query.lane];
    const bool is_right = static_cast<std::int32_t>(x) >= wide.right();
    const std::size_t event = core::index_of(wide.event());
    if (is_right ? event + 1 >= core::index_of(lane.last) : event <= core::index_of(lane.first)) return 0;
    const auto neighbour = static_cast<core::EventId>(is_right ? event + 1 : event - 1);
    const auto px = [&](core::RankTime t) { return view.to_px(query.rank->to_run(t)) - static_cast<double>(x); };
    const bool reaches = is_right ? px(trace.start[core::index_of(neighbour)]) < 1 : px(trace.end(neighbour)) >= 0;
    if (!reaches) return 0;
    EventLook look(query, view);
    look.show(neighbour, true);
    if (look.is_wide()) return 0;  // has a rectangle of its own
    return blend(query.background, look.color(), visible_share(std::max(0.0f, column.busy() - wide.share_of(x))));
}

}  // namespace

PixelSpan pixel_span(const TimeView& view, const core::RankSlot& rank, core::RankRange range, int cut) {
    const double low = -cut;
    const double high = static_cast<double>(view.width_px) + cut;
    const auto edge = [&](core::RankTime t) {
        return static_cast<std::int32_t>(std::floor(std::clamp(view.to_px(rank.to_run(t)), low, high) + 0.5));
    };
    return {edge(range.begin), edge(range.end)};
}

void collect_lane(const LaneQuery& query, const TimeView& view, CollectScratch& scratch, std::span<std::uint32_t> strip,
                  std::vector<VisibleRect>& rects) {
    const RankWindow window = window_of(view, *query.rank);
    const core::RankIndex& index = *query.rank->index;
    scratch.columns.assign(strip.size(), {});
    index.pyramid(query.lane)
        .collect_columns(index.trace(), index.classes(), window.t0, window.fraction_ns, window.ns_per_px,
                         scratch.columns);
    const bool waits = query.waits != nullptr && !query.faded;
    if (waits) {
        scratch.waits.assign(strip.size(), 0);
        query.waits->add_shares(window.t0, window.fraction_ns, window.ns_per_px, scratch.waits);
    }
    EventLook look(query, view);
    const bool by_class = query.color_by == ColorBy::Class;
    for (std::size_t x = 0; x < strip.size(); ++x) {
        const core::PixelColumn& column = scratch.columns[x];
        strip[x] = 0;
        if (column.widest == core::kNoEvent) continue;
        if (column.widest != look.event()) {
            // A wide event fills two columns unless the plot's edge cuts it, so other events need no test of their
            // times.
            const bool may_be_wide = x == 0 || x + 1 == strip.size() || scratch.columns[x + 1].widest == column.widest;
            look.show(column.widest, may_be_wide);
            if (look.is_wide()) rects.push_back(rect_of(query, view, look));
        }
        const auto at = static_cast<std::int32_t>(x);
        if (!rects.empty() && rects.back().x0 <= at && at < rects.back().x1) continue;
        if (look.is_wide()) {
            strip[x] = color_of_neighbour(query, view, look, column, x);
            continue;
        }
        const bool blends = by_class && !query.faded && query.selection == nullptr;
        strip[x] =
            blend(query.background, blends ? blend_of_classes(column) : look.color(), visible_share(column.busy()));
        if (waits && scratch.waits[x] > 0 && !look.is_faded())
            strip[x] = with_wait(strip[x], scratch.waits[x] / std::max(column.busy(), scratch.waits[x]));
    }
}

std::uint32_t with_wait(std::uint32_t pixel, float share) {
    const auto part =
        static_cast<std::uint32_t>(std::lround(std::clamp(share, 0.0f, 1.0f) * 254));  // alpha stays above 0
    return (pixel & 0x00FFFFFFu) | (255 - part) << 24;
}

const core::ClassPartition& find_work(const core::RankSlot& rank, const core::Selection* selection, ShownWork work) {
    static const core::ClassPartition kNone;
    if (selection && core::summary_of(rank.trace())) selection = nullptr;  // covers few of the rank's events
    if (work == ShownWork::All) return selection ? selection->partition() : rank.index->partition();
    const core::ClassPartition* const chosen = selection ? selection->chosen_partition() : nullptr;
    return chosen ? *chosen : kNone;
}

void collect_utilisation(const core::RankSlot& rank, const core::ClassPartition& partition,
                         const core::WaitSpans* waits, const TimeView& view, CollectScratch& scratch,
                         std::span<std::uint32_t> strip) {
    const RankWindow window = window_of(view, rank);
    scratch.cells.assign(strip.size(), {});
    partition.collect_cells(window.t0, window.fraction_ns, window.ns_per_px, scratch.cells);
    for (std::size_t x = 0; x < strip.size(); ++x) {
        const core::ClassPartition::Cell& cell = scratch.cells[x];
        strip[x] = pack_shares(cell.compute, cell.communication, cell.memory);
    }
    if (waits == nullptr || waits->empty()) return;
    scratch.waits.assign(strip.size(), 0);
    waits->add_shares(window.t0, window.fraction_ns, window.ns_per_px, scratch.waits);
    for (std::size_t x = 0; x < strip.size(); ++x)
        if (scratch.waits[x] > 0 && strip[x] != 0) strip[x] = with_wait(strip[x], scratch.waits[x]);
}

void GroupSum::add(const GroupRank& of, const TimeView& view) {
    const RankWindow window = window_of(view, *of.rank);
    cells_.add(*of.partition, window.t0, window.fraction_ns, window.ns_per_px);
    if (of.waits != nullptr) of.waits->add_shares(window.t0, window.fraction_ns, window.ns_per_px, waits_);
    ranks_.insert(of.rank->key.number);
}

std::vector<std::uint32_t> GroupSum::means() const {
    std::vector<std::uint32_t> means;
    const auto ranks = static_cast<float>(std::max<std::size_t>(1, ranks_.size()));
    const float each = 1.0f / ranks;
    const float captures = static_cast<float>(cells_.added()) / ranks;  // captures per rank
    for (const core::ClassPartition::Cell& cell : cells_.means())
        means.push_back(pack_captures(cell, captures, waits_[means.size()] * each));
    return means;
}

void collect_group_utilisation(std::span<const GroupRank> ranks, const TimeView& view, std::size_t most_cells,
                               std::span<std::uint32_t> strip) {
    std::ranges::fill(strip, 0u);
    if (ranks.empty() || strip.empty()) return;
    const std::size_t wanted = ranks.size() * strip.size();
    const std::size_t step = (wanted + most_cells - 1) / most_cells;
    TimeView wide = view;
    std::size_t before = 0;  // columns of the first mean that are left of the plot
    if (step > 1) {
        double phase = std::fmod(static_cast<double>(core::ns_of(view.t0)) * view.px_per_ns, static_cast<double>(step));
        if (phase < 0) phase += static_cast<double>(step);
        before = static_cast<std::size_t>(phase);
        wide.pan(-phase);
        wide.px_per_ns /= static_cast<double>(step);
    }
    const std::size_t count = (strip.size() + before) / step + 1;
    GroupSum sum(count);
    for (const GroupRank& rank : ranks) sum.add(rank, wide);
    const std::vector<std::uint32_t> means = sum.means();
    for (std::size_t x = 0; x < strip.size(); ++x) strip[x] = means[(x + before) / step];
}

std::uint32_t pack_captures(const core::ClassPartition::Cell& mean, float captures, float wait) {
    return pack_shares(mean.compute * captures, mean.communication * captures, mean.memory * captures, wait);
}

std::uint32_t pack_shares(float compute, float communication, float memory, float wait) {
    const auto byte = [](float share) {
        if (!(share > 0)) return 0u;
        return static_cast<unsigned>(std::clamp(share * 255 + 0.5f, 1.0f, 255.0f));  // 0 is reserved for nothing active
    };
    const unsigned bytes = byte(compute) | byte(communication) << 8 | byte(memory) << 16;
    return bytes == 0 ? 0 : with_wait(bytes, wait);
}

core::EventId find_event_at(const core::RankSlot& rank, std::size_t lane_index, const TimeView& view, double px) {
    const core::RankTrace& trace = rank.trace();
    const core::Lane& lane = trace.lanes[lane_index];
    const core::RankTime t =
        rank.to_rank(view.to_time(std::floor(px) + 0.5));  // edges are rounded, so the pixel's middle decides
    const auto first = trace.start.begin() + static_cast<std::ptrdiff_t>(core::index_of(lane.first));
    const auto last = trace.start.begin() + static_cast<std::ptrdiff_t>(core::index_of(lane.last));
    const auto after = std::upper_bound(first, last, t);
    if (after != first) {
        const auto event = static_cast<core::EventId>(after - trace.start.begin() - 1);
        const bool is_wide =
            static_cast<double>(trace.duration[core::index_of(event)].count()) * view.px_per_ns >= kWidePx;
        if (is_wide && t < trace.end(event)) return event;
    }
    TimeView beside = view;
    beside.pan(std::floor(px) - 1);
    const RankWindow window = window_of(beside, rank);
    std::array<core::PixelColumn, 3> columns{};
    rank.index->pyramid(lane_index)
        .collect_columns(trace, rank.index->classes(), window.t0, window.fraction_ns, window.ns_per_px, columns);
    for (const std::size_t i : {1u, 0u, 2u}) {
        if (columns[i].widest != core::kNoEvent) return columns[i].widest;
    }
    return core::kNoEvent;
}

}  // namespace ui
