#pragma once
// Aligned operators of a step in both runs: inserted, removed, replaced or changed ones next to
// each other with shapes and kernels, or summed by the kernels before and after. A click on a row
// selects both operators, a double click aligns both timelines at them.

#include "core/diff/operators/op_by_op.hpp"
#include "ui/model/deferred.hpp"
#include "ui/model/panel.hpp"
#include "ui/table/result_table.hpp"

#include <array>

namespace ui {

class OpByOpView {
public:
    // Call with two runs open. `search`: keeps rows that contain the text.
    void draw(Frame&, std::string_view search);
    bool busy() const { return made_.busy() || table_.busy(); }
    void describe(nlohmann::json& shown) const;

private:
    struct Key {
        core::BySide<std::uint64_t> runs;  // ids
        core::Filter filter;  // in the baseline's numbers
        core::BySide<core::Filter> filters;
        core::NameRules names;
        bool operator==(const Key&) const = default;
    };
    struct Made {
        core::OperatorComparison compared;
        core::Comparison operators;  // all of them
        core::Comparison kernels;  // only changed ones
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
    std::array<bool, core::kOperatorEdits.size()> edits_{};  // chosen chips; none: all except equal ones
    std::array<bool, core::kOperatorEdits.size()> chosen_{};
    std::shared_ptr<const Made> chosen_of_;
    std::shared_ptr<const std::vector<bool>> only_;
    std::optional<std::size_t> selected_;  // row
};

}  // namespace ui
