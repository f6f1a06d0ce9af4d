#pragma once
// The operators of a step of both runs, aligned: what was inserted, removed, replaced or changed, side by side with
// shapes and kernels, or summed up by the kernels before and after. A click on a row selects both operators, a double
// click aligns both timelines at them.

#include "core/diff/operators/op_by_op.hpp"
#include "ui/model/deferred.hpp"
#include "ui/model/panel.hpp"
#include "ui/table/result_table.hpp"

#include <array>

namespace ui {

class OpByOpView {
public:
    // With two runs open. `search`: keeps rows with this text.
    void draw(Frame&, std::string_view search);
    bool busy() const { return made_.busy() || table_.busy(); }
    void describe(nlohmann::json& shown) const;

private:
    struct Key {
        core::BySide<std::uint64_t> runs;  // ids
        core::Filter filter;  // as named by the baseline
        core::BySide<core::Filter> filters;
        core::NameRules names;
        bool operator==(const Key&) const = default;
    };
    struct Made {
        core::OperatorComparison compared;
        core::Comparison operators;  // all of them
        core::Comparison kernels;  // those that changed
        std::string error;  // why there are none
    };
    static core::Result<Made> make(const Key&, const core::BySide<core::RunPtr>&, const core::RunAlignment&,
                                   const core::JobContext&);
    void draw_controls();
    void choose_rows();
    TableOptions table_options(std::string_view search) const;
    void follow(Frame& frame, const TableHit& hit);

    Deferred<Key, Made> made_;
    std::shared_ptr<const Made> shown_;
    ResultTable table_;
    int view_ = 0;  // operators, kernels
    std::array<bool, core::kOperatorEdits.size()> edits_{};  // chosen; none: all but the same ones
    std::array<bool, core::kOperatorEdits.size()> chosen_{};
    std::shared_ptr<const Made> chosen_of_;
    std::shared_ptr<const std::vector<bool>> only_;
    std::optional<std::size_t> selected_;  // row
};

}  // namespace ui
