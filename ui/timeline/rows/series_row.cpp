// A value that an analysis computes over time, such as the length of a stream's queue.
#include "ui/timeline/rows/plot_row.hpp"

namespace ui {
namespace {

class SeriesRow final : public PlotRow {
public:
    std::string_view id() const override { return "series"; }
    void add_rows(RankRows& rows) const override {
        for (const SeriesLine& line : rows.series()) rows.add(*this, 1, 0, rows.sizes().counter).line = &line;
    }
    std::string format_label(const core::Run&, const LayoutRow& row) const override { return row.line->name(); }
    std::vector<CounterView> collect_lines(const core::Run&, const LayoutRow& row) const override {
        return {row.line->view()};
    }
    RowIdentity identity(const core::Run&, const LayoutRow& row) const override {
        return RowIdentity::of_name(row.line->name());
    }

private:
    std::vector<CounterView> lines_in(const core::Run&, const LayoutRow& row, const TimeView& view) const override {
        return {row.line->view_at(view.px_per_ns)};
    }
    std::size_t tint(const LayoutRow& row) const override { return row.line->tint(); }
};

}  // namespace

const RowKind& series_kind() {
    static const SeriesRow kKind;
    return kKind;
}

}  // namespace ui
