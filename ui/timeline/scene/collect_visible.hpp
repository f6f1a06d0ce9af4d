#pragma once
// Visible content of a row in a TimeView: one colour per pixel column (a strip), and a rectangle
// for each event that is at least kWidePx wide. Pure: reads the index, touches no GL and no ImGui
// state; any thread. Cost follows columns, not events. Positions are rounded once, from integers
// and doubles, so a rectangle matches its event's own times at any zoom. Colours are RGBA bytes; 0
// means empty.

#include "core/collectives/wait_spans.hpp"
#include "core/query/selection.hpp"
#include "ui/model/color_by.hpp"
#include "ui/model/time_view.hpp"

#include <cstdint>
#include <set>
#include <span>
#include <vector>

namespace ui {

inline constexpr double kWidePx = 3;

struct VisibleRect {           // pixels from the left edge of the plot, [x0, x1), cut slightly outside of it
    std::int32_t x0 = 0;
    std::int32_t x1 = 0;       // one less than the event's end if wide enough, as a gap to its neighbour
    core::EventId event = core::kNoEvent;
    std::uint32_t color = 0;
    std::int32_t wait_end = 0;  // [x0, wait_end) waits for a later rank and is hatched; <= x0: none
    std::uint32_t wait_color = 0;
};

// Waiting is encoded in alpha, which drawing does not need otherwise; 255 means none. A strip's texel holds the
// column's share of waiting, a rectangle whether it waits.
std::uint32_t with_wait(std::uint32_t pixel, float share);
inline std::uint32_t as_hatched(std::uint32_t color) { return (color & 0x00FFFFFFu) | 0xFE000000u; }

struct EventColor {
    core::EventId event;
    std::uint32_t color;
};

struct LaneQuery {
    const core::RankSlot* rank = nullptr;
    std::size_t lane = 0;
    ColorBy color_by = ColorBy::Class;
    std::span<const std::uint8_t> name_shades;  // for Name, by NameId
    // For Group: colours of member events, by event; of others by NameId of the group's name in their arguments; 0:
    // unknown.
    std::span<const EventColor> member_colors;
    std::span<const std::uint32_t> group_colors;
    std::uint32_t rank_color = 0;  // for Rank
    const core::Selection* selection = nullptr;  // events that don't pass fade; null: all pass
    bool faded = false;  // fades the whole lane
    const core::WaitSpans* waits = nullptr;  // waits of the lane; null: none known
    std::uint32_t background = 0xFF000000;  // background that colours blend into
};

struct CollectScratch {  // reused between calls
    std::vector<core::PixelColumn> columns;
    std::vector<core::ClassPartition::Cell> cells;
    std::vector<float> waits;  // share of each column
};

// strip has one entry per whole pixel of the plot. Rectangles are appended, left to right.
void collect_lane(const LaneQuery&, const TimeView&, CollectScratch&, std::span<std::uint32_t> strip,
                  std::vector<VisibleRect>& rects);

// Shares of compute, communication and memory per column as bytes R, G, B (alpha 255), for the stacked shader; 0 if
// nothing is active. waits: exposed waiting of the rank, drawn as part of communication; or null.
void collect_utilisation(const core::RankSlot&, const core::ClassPartition&, const core::WaitSpans* waits,
                         const TimeView&, CollectScratch&, std::span<std::uint32_t> strip);

// Which work of a rank a row of classes, or the overview, shows.
enum class ShownWork : std::uint8_t {
    All,  // all work, which shares count
    Chosen,  // only events that pass the filter; nothing without a known selection
};
const core::ClassPartition& find_work(const core::RankSlot&, const core::Selection*, ShownWork = ShownWork::All);

struct GroupRank {  // inputs from a rank for the row of its folded group
    const core::RankSlot* rank = nullptr;
    const core::ClassPartition* partition = nullptr;
    const core::WaitSpans* waits = nullptr;  // exposed waiting; null: none known
};
// Sum of the ranks' utilisation in a folded group, per column.
class GroupSum {
public:
    explicit GroupSum(std::size_t columns) : cells_(columns), waits_(columns) {}
    void add(const GroupRank&, const TimeView&);
    // The mean over the ranks, per column, in the format of collect_utilisation. Captures of a rank count as one rank,
    // because successive windows fill its row.
    std::vector<std::uint32_t> means() const;

private:
    core::CellSums cells_;
    std::vector<float> waits_;
    std::set<std::int32_t> ranks_;  // numbers
};
// Utilisation of a folded group: the mean share of each class over its ranks. Reads at most about `most_cells` cells of
// its ranks: for many ranks on a wide plot, neighbouring columns share a mean over their joint time, which is also
// exact and stays at the same times wherever the view is panned.
void collect_group_utilisation(std::span<const GroupRank>, const TimeView&, std::size_t most_cells,
                               std::span<std::uint32_t> strip);

std::uint32_t pack_shares(float compute, float communication, float memory, float wait = 0);
// Adds up the captures of a rank from their mean and number; limits each class to 1.
std::uint32_t pack_captures(const core::ClassPartition::Cell& mean, float captures, float wait);

// The event at a pixel of a lane: the one under it, else the widest in its column or next to it.
core::EventId find_event_at(const core::RankSlot&, std::size_t lane, const TimeView&, double px);

// Left and right edge of an event, rounded to whole pixels and cut to [-cut, width + cut].
struct PixelSpan {
    std::int32_t x0, x1;
};
PixelSpan pixel_span(const TimeView&, const core::RankSlot&, core::RankRange, int cut = 8);

}  // namespace ui
