#pragma once
// The Breakdown panel for two runs: per rank, the bars of baseline and candidate on one axis, and
// times and shares of both with their changes.

#include "ui/model/derived.hpp"
#include "ui/model/panel.hpp"
#include "ui/model/panels/breakdown_comparison.hpp"
#include "ui/model/weak_key.hpp"
#include "ui/table/row_clicks.hpp"
#include "ui/widgets/legend.hpp"

#include <optional>

namespace ui {

struct BreakdownChoice {
    bool share = false;
    std::optional<std::size_t> highlighted;                          // one of the parts
    core::BySide<std::optional<core::RunRange>> windows;  // both or neither; without, the filter's answers
    core::BySide<core::Filter> filters;  // query filter of each side
    bool lists = true;  // the shown data match the filter, so events can be listed
};

class BreakdownBoth {
public:
    void draw(Frame&, const BreakdownChoice&);
    bool fresh() const { return fresh_; }
    bool busy() const { return clicks_.busy(); }
    void describe(nlohmann::json& shown) const;

private:
    struct Key {
        core::BySide<WeakKey<core::Run>> runs;
        core::BySide<core::Filter> filters;
        core::BySide<BreakdownModel> models;
        bool operator==(const Key&) const = default;
    };
    void draw_answers(Frame&, const BreakdownChoice&);
    void draw_windows(Frame&, const BreakdownChoice&);
    void draw_comparison(Frame&, const BreakdownChoice&);
    void draw_times(Frame&, float width);
    bool draw_time(const ComparedTime&, std::string_view title, ImU32 swatch, bool clickable, float width);

    Derived<Key, BreakdownComparison> derived_;
    Key of_windows_;  // key of shown_, with windows
    std::shared_ptr<const BreakdownComparison> shown_;
    RowClicks clicks_;
    bool fresh_ = true;
};

// Parts of a bar; a click filters by their class.
std::span<const BarPart> breakdown_parts();
ChartNotes breakdown_notes(bool lists);
// Meaning of a rank's bar (with two runs: the baseline's rank) or of one of its parts, within the windows if any.
RowMeaning meaning_of_breakdown(const Frame&, core::RankKey, std::optional<std::size_t> part,
                                const core::BySide<std::optional<core::RunRange>>& windows);

}  // namespace ui
