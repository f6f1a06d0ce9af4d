#pragma once
// Visible content of a row in a TimeView: one colour per pixel column (a strip), and a rectangle for each event
// that is at least kWidePx wide. Pure: reads the index, touches no GL and no ImGui state; any thread.
// Cost follows columns, not events. Positions are rounded once, from integers and doubles: a rectangle lies
// where its event's own times say, at any zoom. Colours are RGBA bytes; 0 is "nothing here".

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

struct VisibleRect {           // pixels from the left edge of the plot, [x0, x1), cut a little outside of it
    std::int32_t x0 = 0;
    std::int32_t x1 = 0;       // one short of the event's end when wide enough: the gap to its neighbour
    core::EventId event = core::kNoEvent;
    std::uint32_t color = 0;
    std::int32_t wait_end = 0;  // [x0, wait_end) waits for a later rank and is hatched; x0 or less: nothing
    std::uint32_t wait_color = 0;
};

// Hatching of waiting is said by alpha, which drawing does not need otherwise: 255 is none. Of a strip's texel it is
// how much of the column waits, of a rectangle whether it does.
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
    // For Group: of member events, by event; of others by NameId of the group's name in their arguments; 0: not known.
    std::span<const EventColor> member_colors;
    std::span<const std::uint32_t> group_colors;
    std::uint32_t rank_color = 0;  // for Rank
    const core::Selection* selection = nullptr;  // events that do not pass fade; null: all pass
    bool faded = false;  // the whole lane
    const core::WaitSpans* waits = nullptr;  // of the lane; null: none known
    std::uint32_t background = 0xFF000000;  // what colours blend into
};

struct CollectScratch {  // reused between calls
    std::vector<core::PixelColumn> columns;
    std::vector<core::ClassPartition::Cell> cells;
    std::vector<float> waits;  // share of each column
};

// strip has one entry per whole pixel of the plot. Rectangles are appended, left to right.
void collect_lane(const LaneQuery&, const TimeView&, CollectScratch&, std::span<std::uint32_t> strip,
                  std::vector<VisibleRect>& rects);

// Shares of compute, communication and memory per column as bytes R, G, B (alpha 255), for the stacked shader;
// 0 where nothing is active. waits: exposed waiting of the rank, beside transfer in the share of communication; or
// null.
void collect_utilisation(const core::RankSlot&, const core::ClassPartition&, const core::WaitSpans* waits,
                         const TimeView&, CollectScratch&, std::span<std::uint32_t> strip);

// What a row of classes, or the overview, shows of a rank.
enum class ShownWork : std::uint8_t {
    All,  // what shares are of
    Chosen,  // the events alone that pass the filter; nothing where no selection is known
};
const core::ClassPartition& find_work(const core::RankSlot&, const core::Selection*, ShownWork = ShownWork::All);

struct GroupRank {  // what of a rank is counted in the row of its folded group
    const core::RankSlot* rank = nullptr;
    const core::ClassPartition* partition = nullptr;
    const core::WaitSpans* waits = nullptr;  // exposed; null: none known
};
// The sum of what ranks of a folded group use, per column.
class GroupSum {
public:
    explicit GroupSum(std::size_t columns) : cells_(columns), waits_(columns) {}
    void add(const GroupRank&, const TimeView&);
    // The mean over the ranks, per column, as collect_utilisation says it. Captures of a rank are one rank: windows one
    // after another fill its row.
    std::vector<std::uint32_t> means() const;

private:
    core::CellSums cells_;
    std::vector<float> waits_;
    std::set<std::int32_t> ranks_;  // numbers
};
// The same for a folded group: of each class the mean share over its ranks. At most about `most_cells` cells of its
// ranks are looked at: of many ranks over a wide plot, neighbouring columns share a mean over their time together,
// which is exact, too, and lies at the same times wherever the view is panned to.
void collect_group_utilisation(std::span<const GroupRank>, const TimeView&, std::size_t most_cells,
                               std::span<std::uint32_t> strip);

std::uint32_t pack_shares(float compute, float communication, float memory, float wait = 0);
// Adds up the captures of each rank, so many, from their mean; no class is more than whole.
std::uint32_t pack_captures(const core::ClassPartition::Cell& mean, float captures, float wait);

// The event at a pixel of a lane: the one under it, else the widest in its column or beside it.
core::EventId find_event_at(const core::RankSlot&, std::size_t lane, const TimeView&, double px);

// Left and right edge of an event, rounded to whole pixels and cut to [-cut, width + cut].
struct PixelSpan {
    std::int32_t x0, x1;
};
PixelSpan pixel_span(const TimeView&, const core::RankSlot&, core::RankRange, int cut = 8);

}  // namespace ui
