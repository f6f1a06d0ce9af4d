#pragma once
// The kinds of rows listed in row_kinds.cpp, and code that several of them share.

#include "ui/timeline/model/rank_rows.hpp"

#include <cstdint>
#include <span>

namespace ui {

const RowKind& device_kind();       // a GPU of a rank with several
const RowKind& lane_kind();         // one row of a stream's or thread's events
const RowKind& series_kind();       // a value of an analysis over time
const RowKind& annotations_kind();  // annotations and synchronisation of streams
const RowKind& cpu_kind();          // CPU threads
const RowKind& counters_kind();     // counters of the trace
const RowKind& counter_kind();      // one of them

// Adds rows of tracks, below the row of a node at `depth` - 1.
void add_track_rows(RankRows&, std::span<const std::uint32_t> tracks, std::uint8_t depth);

inline constexpr bool opens_with_everything(Opening opening) { return opening <= Opening::Everything; }
RowInset inset_of_bars(const LayoutRow&);    // of events
RowInset inset_of_shares(const LayoutRow&);  // of columns stacked by class

}  // namespace ui
