#pragma once
// Draws what core's comparison makes of the answers of two runs, whatever the analysis: its keys, then of the
// measure that leads baseline | candidate | change | ratio, of the others the change, as many as fit; a click on
// a measure's title, or "All measures", opens it to all four. Largest change first. Rows that only one run has say
// so and have dashes. Joined on the pool; until that is done the last comparison stays.

#include "ui/ask.hpp"
#include "ui/row_clicks.hpp"
#include "ui/widgets/result_table.hpp"

#include "core/diff/compare_runs.hpp"

#include <set>

namespace ui {

struct ComparisonOptions {
    std::string_view lead = {};                           // empty: the comparison's own
    std::string_view search = {};
    std::string table = {};  // of the answers; empty, or one that a side lacks: the main one
    core::Table (*prepare)(const core::Table&) = nullptr;  // what is compared, made of each answer's main table
    std::function<bool(const core::Table&, std::size_t row)> marked = {};
    const core::NameRules* names = nullptr;               // how names are paired; null: by the table's own choice
    bool averages = true;                                 // of sums, where the runs differ in steps or ranks
};

class ComparisonTable {
public:
    // Takes the answers when both are there. Once per frame, before draw.
    void update(Frame&, const core::Analysis&, const core::BySide<core::Request>&, const ComparisonOptions&);
    bool fresh() const { return fresh_ && !busy(); }
    bool busy() const { return !joined_.fresh() || (drawn_ && !table_.fresh()); }  // with work of its own
    // How names are matched, where rows have names, and whether all measures are open. On the line of the panel's
    // own controls.
    void draw_choices();
    // What the comparison has to say, then the table.
    TableHit draw(const char* id, Frame&, const ComparisonOptions&, ImVec2 size);
    // Of a row of the table that draw() returned.
    core::Result<RowMeaning> meaning_of(const Frame&, const core::Table&, std::size_t row) const;
    // Of some of its keys only.
    core::Result<RowMeaning> meaning_of(const Frame&, const core::Table&, std::size_t row,
                                        std::span<const std::size_t> columns) const;
    // The tables that both answers have and whose rows can be joined; none until both runs have answered.
    std::vector<std::string> tables() const;
    bool shows_main() const { return !shown_ || shown_->table.empty(); }  // of these
    // What is shown; null until both runs have answered.
    std::shared_ptr<const core::Comparison> comparison() const;
    // The answers that it is of, whose rows are its sources; null likewise.
    core::BySide<core::AnswerPtr> answers() const { return shown_ ? shown_->answers : core::BySide<core::AnswerPtr>{}; }
    // With the keys and all of the measure that leads.
    float least_width() const;
    std::size_t shown_rows() const { return table_.shown_rows(); }
    void describe(nlohmann::json& shown) const;

private:
    struct Key {
        core::BySide<core::AnswerPtr> answers;
        core::BySide<std::uint64_t> runs;  // ids
        core::BySide<core::RunTime> anchor;
        core::Filter filter;
        core::NameRules names;
        std::string table;
        core::Table (*prepare)(const core::Table&) = nullptr;
        bool averages = true;
        bool operator==(const Key&) const = default;
    };
    // What can be told of the rows beyond the table.
    struct Joined {
        core::Comparison comparison;
        std::string table;  // of the answers; empty: the main one
        core::BySide<core::AnswerPtr> answers;
        core::BySide<std::vector<std::vector<std::string>>> names;  // by row, of names that stand for several
        core::BySide<std::size_t> lone;  // rows that only this side has
    };
    static Joined join(const Key&, const core::DiffQuery&, const core::BySide<core::RunPtr>&,
                       const core::RunAlignment&);
    bool is_open(const core::Comparison&, std::size_t measure) const;
    std::vector<TableColumn> choose_columns(const core::Comparison&, float width) const;
    TableOptions table_options(const ComparisonOptions&, float width) const;
    void draw_notes(float width) const;

    const core::Analysis* analysis_ = nullptr;
    Key key_;  // asked for last
    Derived<Key, Joined> joined_;
    std::shared_ptr<const Joined> shown_;
    ResultTable table_;
    std::size_t lead_ = 0;  // of the comparison's measures, after the options
    std::set<std::string> open_;  // measures shown with all four
    std::vector<std::string> columns_;  // drawn last
    core::NameRules names_;
    bool chooses_names_ = true;
    bool all_ = false;
    bool fresh_ = false;
    bool drawn_ = false;  // its rows, in this frame
};

}  // namespace ui
