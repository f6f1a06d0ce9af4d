#pragma once
// Draws core's comparison of two answers: keys, then baseline, candidate, change and ratio of the
// leading measure, and the change of as many others as fit. A click on a measure's title, or "All
// measures", shows all four. Largest change first. Rows of one run only are marked and have dashes.
// Tested rows have verdict, margin, q and their values as dots; changed rows come first, the rest
// is faint. Joined and tested on the pool; the last comparison stays meanwhile.

#include "ui/table/ask.hpp"
#include "ui/table/result_table.hpp"
#include "ui/table/row_clicks.hpp"

#include "core/diff/join/compare_runs.hpp"
#include "core/diff/statistics/run_statistics.hpp"
#include "ui/model/panels/tested_rows.hpp"

#include <array>
#include <set>

namespace ui {

struct ComparisonOptions {
    std::string_view lead = {};                           // empty: the comparison's own lead
    std::string_view search = {};
    std::string table = {};  // table of the answers; empty, or absent on a side: the main one
    core::Table (*prepare)(const core::Table&) = nullptr;  // converts each answer's main table before comparing
    std::function<bool(const core::Table&, std::size_t row)> marked = {};
    const core::NameRules* names = nullptr;               // name pairing; null: the table's own choice
    bool averages = true;                                 // average sums if the runs differ in steps or ranks
    bool tests = false;                                   // test the rows if they are sampled per step
    std::array<bool, kRowVerdicts.size()> verdicts{};     // by verdict: rows to show; none: all
};

class ComparisonTable {
public:
    // Joins the answers once both have arrived. Call once per frame, before draw.
    void update(Frame&, const core::Analysis&, const core::BySide<core::Request>&, const ComparisonOptions&);
    bool fresh() const { return fresh_ && joined_.fresh() && tested_.fresh() && (!drawn_ || table_.fresh()); }
    bool busy() const {  // joining, testing or sorting
        return joined_.busy() || tested_.busy() || (drawn_ && table_.busy());
    }
    // Controls for name matching (if rows have names) and for all measures, drawn in the line of the panel's own
    // controls.
    void draw_choices();
    // Draws the comparison's notes, then its table.
    TableHit draw(const char* id, Frame&, const ComparisonOptions&, ImVec2 size);
    // Meaning of a row of the table that draw() returned.
    core::Result<RowMeaning> meaning_of(const Frame&, const core::Table&, std::size_t row) const;
    // Uses only some of the row's keys.
    core::Result<RowMeaning> meaning_of(const Frame&, const core::Table&, std::size_t row,
                                        std::span<const std::size_t> columns) const;
    // Tables that both answers have and whose rows can be joined; empty until both runs have answered.
    std::vector<std::string> tables() const;
    bool shows_main() const { return !shown_ || shown_->table.empty(); }  // the main table is shown
    // Shown comparison; null until both runs have answered.
    std::shared_ptr<const core::Comparison> comparison() const;
    // Test results of its rows; null without tests or while they run.
    const TestedRows* tested_rows() const { return shown_ && shown_->tests ? &shown_->rows : nullptr; }
    const core::RowStatistics* row_statistics() const { return shown_ && shown_->tests ? &*shown_->tests : nullptr; }
    // Answers that its rows come from; null without a comparison.
    core::BySide<core::AnswerPtr> answers() const { return shown_ ? shown_->answers : core::BySide<core::AnswerPtr>{}; }
    // Width of the keys and the whole leading measure.
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
        bool tests = false;
        core::StatisticsOptions statistics{};
        bool operator==(const Key&) const = default;
    };
    // Details of rows beyond the table.
    struct Joined {
        core::Comparison comparison;
        std::string table;  // table of the answers; empty: the main one
        core::BySide<core::AnswerPtr> answers;
        // by row; full names behind names that stand for several
        core::BySide<std::vector<std::vector<std::string>>> names;
        core::BySide<std::size_t> lone;  // number of rows that only this side has
        std::optional<core::RowStatistics> tests{};  // if set, the table has their columns
        TestedRows rows{};
    };
    static Joined join(const Key&, const core::DiffQuery&, const core::BySide<core::RunPtr>&,
                       const core::RunAlignment&);
    static core::Result<Joined> test(const Joined&, const Key&, const core::DiffQuery&,
                                     const core::BySide<core::RunPtr>&, const core::RunAlignment&,
                                     const core::JobContext&);
    void choose_rows(const ComparisonOptions&);
    bool is_open(const core::Comparison&, std::size_t measure) const;
    std::vector<TableColumn> choose_columns(const core::Comparison&, float width) const;
    TableOptions table_options(const ComparisonOptions&, float width) const;
    void draw_notes(float width) const;

    const core::Analysis* analysis_ = nullptr;
    Key key_;  // last requested
    Deferred<Key, Joined> joined_;
    Deferred<Key, Joined> tested_;
    std::array<bool, kRowVerdicts.size()> chosen_{};  // verdicts of only_
    std::shared_ptr<const Joined> chosen_of_;
    std::shared_ptr<const std::vector<bool>> only_;
    std::shared_ptr<const Joined> shown_;
    ResultTable table_;
    std::size_t lead_ = 0;  // index of the leading measure; set by the options
    std::set<std::string> open_;  // measures shown in full
    std::vector<std::string> columns_;  // last drawn
    core::NameRules names_;
    bool chooses_names_ = true;
    bool all_ = false;
    bool fresh_ = false;
    bool drawn_ = false;  // rows drawn in this frame
};

}  // namespace ui
