#pragma once
// The Breakdown panel with two runs open: per rank the baseline's bar and the candidate's on one axis, and the
// times and shares of both with their changes.

#include "ui/charts/legend.hpp"
#include "ui/model/panel.hpp"
#include "ui/row_clicks.hpp"
#include "ui/model/panels/breakdown_comparison.hpp"
#include "ui/model/derived.hpp"
#include "ui/model/weak_key.hpp"

#include <optional>

namespace ui {

struct BreakdownChoice {
    bool share = false;
    std::optional<std::size_t> highlighted;                          // of the parts
    core::BySide<std::optional<core::RunRange>> windows;             // both, or none: the filter's answers
    core::BySide<core::Filter> filters;                              // as each side is asked
    bool lists = true;                                               // what is shown is what the filter takes
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
    Key of_windows_;                                                 // what shown_ was made of, of windows
    std::shared_ptr<const BreakdownComparison> shown_;
    RowClicks clicks_;
    bool fresh_ = true;
};

// The parts of a bar; a click filters by their class.
std::span<const BarPart> breakdown_parts();
ChartNotes breakdown_notes(bool lists);
// A bar of a rank (of both runs: as the baseline names it) or one of its parts, within windows if there are some.
RowMeaning meaning_of_breakdown(const Frame&, core::RankKey, std::optional<std::size_t> part,
                                const core::BySide<std::optional<core::RunRange>>& windows);

}  // namespace ui
