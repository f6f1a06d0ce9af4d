#pragma once
// The verdict on a run and a row of lights for its health, for the panel Overview. Requests both
// answers.

#include "ui/model/deferred.hpp"
#include "ui/model/panel.hpp"
#include "ui/model/panels/health_model.hpp"
#include "ui/model/weak_key.hpp"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <vector>

namespace ui {

class HealthLights {
public:
    // Requests the answers for the frame's own side, with this filter.
    void ask(Frame&, const core::Filter&);
    bool busy() const { return pending_ || model_.busy(); }
    // Null until the answers arrive.
    const HealthModel* shown() const { return shown_.get(); }
    // Draws the lights that warn, wrapped to the remaining width, then how many others there are: a click on that shows
    // or folds these. A click on a light shows the evidence, Shift+click the analysis. Item names: "light:ID" and
    // "lights", or with the side in front.
    void draw_lights(Frame&, core::Side);
    void go_to_verdict(Frame&) const;  // same as a click on the verdict
    void describe(nlohmann::json& shown) const;

private:
    struct Key {
        WeakKey<core::Run> run;
        core::AnswerPtr health;
        core::AnswerPtr verdict;
        bool operator==(const Key&) const = default;
    };
    Deferred<Key, HealthModel> model_;
    std::shared_ptr<const HealthModel> shown_;
    bool pending_ = false;
    bool unfolded_ = false;
};

}  // namespace ui
