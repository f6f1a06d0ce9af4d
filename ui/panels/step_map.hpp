#pragma once
// What every step cost on every rank, as a heat map of a measure that is chosen: a part of the step, or the time in
// which one kernel runs. A click or a drag over cells filters, a double click goes there. With two runs three maps:
// both runs on one scale, and the change; where there is little room the change alone.

#include "ui/ask.hpp"
#include "ui/charts/heat_map.hpp"
#include "ui/row_clicks.hpp"
#include "ui/model/derived.hpp"
#include "ui/model/kernel_choice.hpp"
#include "ui/model/panels/steps_comparison.hpp"
#include "ui/model/weak_key.hpp"

namespace ui {

class StepMap {
public:
    // who: asks for its answers by this name; unique among panels.
    explicit StepMap(std::string who) : who_(std::move(who)) {}
    // Nothing is drawn while no answer has come. Once per frame, with a run open.
    void draw(Frame&, ImVec2 size);
    // With its controls, where it is one of several things in a panel: so as to fit into what is left of it, or be whole.
    static float height_for(std::size_t ranks);
    bool busy() const {
        if (clicks_.busy() || (choosing_ && kernels_.busy())) return true;
        return shows_both_ ? !comparison_.fresh() : !model_.fresh();
    }
    void describe(nlohmann::json& shown) const;

private:
    struct Key {
        WeakKey<core::Run> run;
        core::AnswerPtr steps;
        core::Filter filter;
        StepsView view;
        bool operator==(const Key&) const = default;
    };
    using BothKeys = core::BySide<Key>;
    // One of the maps of two runs; of the change there is no side.
    struct SideMap {
        std::string_view id;
        std::string_view title;
        std::optional<core::Side> side;
    };
    static const std::array<SideMap, 3> kMaps;

    static StepsModel make_model(const core::Run&, const Key&);
    static HeatMap map_of(const StepsComparison&, const SideMap&, std::string_view title);
    core::Request ask_steps(Frame&) const;
    void draw_controls(Frame&, float width);
    void draw_measures(Frame&);
    void draw_kernels(Frame&);
    void draw_run(Frame&, ImVec2 size);
    void draw_model(Frame&, const StepsModel&, ImVec2 size);
    void draw_both(Frame&, ImVec2 size);
    void draw_comparison(Frame&, const StepsComparison&, ImVec2 size);
    void follow_hit(Frame&, const StepsModel&, const HeatHit&);
    void follow_hit(Frame&, const StepsComparison&, std::optional<core::Side>, const HeatHit&);

    std::string who_;
    StepsView view_;
    KernelChoice kernels_;
    std::string kernel_search_;
    Derived<Key, StepsModel> model_;
    std::shared_ptr<const StepsModel> shown_;
    Derived<BothKeys, StepsComparison> comparison_;
    std::shared_ptr<const StepsComparison> both_;
    RowClicks clicks_;
    bool choosing_ = false;  // the list of kernels is open
    bool shows_both_ = false;  // what the other way of drawing began is not waited for
    bool fresh_ = false;
};

}  // namespace ui
