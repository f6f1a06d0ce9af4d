#pragma once
// Heat map, rank by step, of a chosen measure: a part of the step, or the time of one kernel. Click
// or drag filters, double click goes to the step. With two runs, three maps: both runs on one
// scale, and the change; a narrow panel shows only the change.

#include "ui/charts/heat_map.hpp"
#include "ui/model/deferred.hpp"
#include "ui/model/panels/kernel_choice.hpp"
#include "ui/model/panels/steps_model.hpp"
#include "ui/model/weak_key.hpp"
#include "ui/table/ask.hpp"
#include "ui/table/row_clicks.hpp"

namespace ui {

class StepMap {
public:
    // who: name for its requests, unique among panels.
    explicit StepMap(std::string who) : who_(std::move(who)) {}
    // Draws nothing until an answer has arrived. Call once per frame, with a run open.
    void draw(Frame&, ImVec2 size);
    // Height including controls if the map shares its panel: the rest of the panel, or the full map.
    static float height_for(std::size_t ranks);
    bool busy() const {
        if (clicks_.busy() || (choosing_ && kernels_.busy())) return true;
        return !model_.fresh();
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
    // One of the maps of two runs; the map of the change has no side.
    struct SideMap {
        std::string_view id;
        std::string_view title;
        std::optional<core::Side> side;
    };
    static const std::array<SideMap, 3> kMaps;

    static HeatMap map_of(const StepsModel&, std::optional<core::Side>, std::string_view title);
    core::Request ask_steps(Frame&) const;
    void draw_controls(Frame&, float width);
    void draw_measures(Frame&);
    void draw_kernels(Frame&);
    void draw_maps(Frame&, const StepsModel&, ImVec2 size);
    void draw_three_maps(Frame&, const StepsModel&, ImVec2 size, std::string_view values, const ChartNotes&);
    void apply_hit(Frame&, const StepsModel&, std::optional<core::Side>, const HeatHit&);

    std::string who_;
    StepsView view_;
    KernelChoice kernels_;
    std::string kernel_search_;
    Deferred<core::BySide<Key>, StepsModel> model_;  // an absent side's key is empty
    std::shared_ptr<const StepsModel> shown_;
    RowClicks clicks_;
    bool choosing_ = false;  // kernel list is open
    bool fresh_ = false;
};

}  // namespace ui
