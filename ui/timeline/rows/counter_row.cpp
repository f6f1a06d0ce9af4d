// A counter of the trace, with all of its series.
#include "core/base/format.hpp"
#include "ui/timeline/rows/plot_row.hpp"

namespace ui {
namespace {

class CounterRow final : public PlotRow {
public:
    std::string_view id() const override { return "counter"; }
    std::string format_label(const core::Run& run, const LayoutRow& row) const override {
        const core::RankTrace& trace = run.rank(row.slot).trace();
        const std::string name(trace.text(trace.counters[row.item].name));
        return row.pinned ? "rank " + core::format_rank(run.rank(row.slot).key) + " \xC2\xB7 " + name : name;
    }
    std::string pin_name(const core::Run& run, const LayoutRow& row) const override {
        return name_counters(run.rank(row.slot).trace())[row.item];
    }
    std::vector<CounterView> collect_lines(const core::Run& run, const LayoutRow& row) const override {
        std::vector<CounterView> lines;
        for (std::uint32_t i = 0; i < row.count; ++i) lines.push_back(view_counter(run.rank(row.slot), row.item + i));
        return lines;
    }
    std::uint32_t find_partner(const RowPartners& partners, std::uint32_t item) const override {
        return RowPartners::look_up(partners.counters, item);
    }
};

}  // namespace

const RowKind& counter_kind() {
    static const CounterRow kKind;
    return kKind;
}

}  // namespace ui
