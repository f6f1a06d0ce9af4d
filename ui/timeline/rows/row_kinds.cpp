// The kinds of rows. A new kind is one file in this folder and one row here.
#include "ui/style/text.hpp"
#include "ui/timeline/rows/rows.hpp"

#include <algorithm>
#include <array>

namespace ui {

const core::Catalogue<const RowKind*>& row_kinds() {
    static const std::array<const RowKind*, 9> kKinds = {
        &group_kind(),        // a heading above ranks, or a folded group
        &rank_kind(),         // a rank; if it is open, the next kinds are below it in this order:
        &device_kind(),       // GPU streams
        &series_kind(),       // values of analyses
        &annotations_kind(),  // annotations and waits of streams
        &cpu_kind(),          // threads
        &counters_kind(),     // counters of the trace
        &counter_kind(),      // one of them
        &lane_kind(),         // one row of a stream or thread
    };
    static const core::Catalogue<const RowKind*> kCatalogue(kKinds);
    return kCatalogue;
}

const RowKind* find_row_kind(std::string_view id) {
    const std::span<const RowKind* const> kinds = row_kinds().rows();
    const auto found = std::ranges::find(kinds, id, [](const RowKind* kind) { return kind->id(); });
    return found == kinds.end() ? nullptr : *found;
}

RowInset inset_of_bars(const LayoutRow& row) { return {0, row.height - px(1)}; }

RowInset inset_of_shares(const LayoutRow& row) {
    const float rim = row.height < px(16) ? 1 : px(2);
    return {rim, row.height - rim};
}

}  // namespace ui
