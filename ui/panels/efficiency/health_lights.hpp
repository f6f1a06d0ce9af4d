#pragma once
// The verdict on a run and a row of lights for its health, as the panel Overview shows them. Asks for both answers.

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
    // Of the frame's own side, under the filter that the answers are asked with.
    void ask(Frame&, const core::Filter&);
    bool busy() const { return pending_ || model_.busy(); }
    // Null until the answers arrive.
    const HealthModel* shown() const { return shown_.get(); }
    // Wraps to the width that is left. A click shows the evidence, with Shift the analysis. names: "light", or with the
    // side in front.
    void draw_lights(Frame&, core::Side) const;
    void go_to_verdict(Frame&) const;  // as a click on it does
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
};

}  // namespace ui
