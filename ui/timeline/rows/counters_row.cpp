// The counters of a rank's trace. While closed, the rank's row offers to open them.
#include "ui/timeline/parts/tree_row.hpp"
#include "ui/timeline/rows/rows.hpp"

namespace ui {
namespace {

// A counter's first series and their number. Series of one counter are adjacent.
struct CounterSeries {
    std::uint32_t first;
    std::uint32_t count;
};

std::vector<CounterSeries> collect_counters(const core::RankTrace& trace) {
    std::vector<CounterSeries> counters;
    for (std::uint32_t i = 0; i < trace.counters.size(); ++i) {
        const core::CounterTrack& counter = trace.counters[i];
        const bool same =
            i > 0 && trace.counters[i - 1].name == counter.name && trace.counters[i - 1].process == counter.process;
        if (!same) counters.push_back({i, 0});
        ++counters.back().count;
    }
    return counters;
}

class CountersRow final : public RowKind {
public:
    std::string_view id() const override { return "counters"; }

    void add_rows(RankRows& rows) const override {
        const std::vector<CounterSeries> counters = collect_counters(rows.trace());
        if (!rows.add_closable(*this, counters.size())) return;
        for (const CounterSeries& counter : counters)
            rows.add(counter_kind(), 2, counter.first, rows.sizes().counter).count = counter.count;
    }
    void add_pinned_counters(RankRows& rows, const std::vector<bool>& pinned) const override {
        for (const CounterSeries& counter : collect_counters(rows.trace()))
            if (counter.first < pinned.size() && pinned[counter.first])
                rows.add(counter_kind(), 1, counter.first, rows.sizes().counter).count = counter.count;
    }
    bool opens_at_first(Opening opening, std::uint32_t) const override { return opens_with_everything(opening); }
    bool is_one_per_rank() const override { return true; }
    RowChip chip() const override { return {.place = 2, .name = "counters", .tooltip = "Show the counters"}; }
    std::string format_label(const core::Run&, const LayoutRow& row) const override {
        return "Counters \xC2\xB7 " + std::to_string(row.count);
    }
    RowInset inset(const LayoutRow& row) const override { return inset_of_bars(row); }
    void draw_in_tree(TreeRow& r) const override { r.draw_plain(); }
};

}  // namespace

const RowKind& counters_kind() {
    static const CountersRow kKind;
    return kKind;
}

}  // namespace ui
