#pragma once
// The Overview panel for two runs: is the candidate slower, by how much and where; then the numbers
// behind it.

#include "ui/model/derived.hpp"
#include "ui/model/panel.hpp"
#include "ui/model/panels/overview_comparison.hpp"
#include "ui/model/weak_key.hpp"
#include "ui/panels/step_map.hpp"

namespace ui {

class OverviewBoth {
public:
    void draw(Frame&, StepMap&);  // the map is drawn below the numbers
    bool busy() const { return !comparison_.fresh(); }
    bool has_map() const { return shown_ && shown_->median_step.known(); }
    void describe(nlohmann::json& shown) const;

private:
    struct Key {
        core::BySide<WeakKey<core::Run>> runs;
        core::BySide<core::AnswerPtr> breakdowns;
        core::BySide<core::AnswerPtr> steps;
        core::BySide<core::AnswerPtr> stragglers;
        core::BySide<core::Filter> filters;
        bool operator==(const Key&) const = default;
    };
    void draw_comparison(Frame&, const OverviewComparison&, StepMap&);
    void draw_numbers(const OverviewComparison&);
    void draw_worst(Frame&, const OverviewComparison&);
    void draw_strips(Frame&, const OverviewComparison&, bool of_ranks);
    void choose_rank(Frame&, core::Side, core::RankKey);
    void choose_step(Frame&, core::Side, const StepTime&);

    Derived<Key, OverviewComparison> comparison_;
    std::shared_ptr<const OverviewComparison> shown_;
    bool fresh_ = false;
};

// For one run: "8 of 8 ranks", "6 steps".
std::string describe_ranks(const OverviewModel&);
std::string describe_steps(const StepTimes&);

}  // namespace ui
