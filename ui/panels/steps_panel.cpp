// The cost of every step on every rank (step_map).

#include "ui/model/panel.hpp"
#include "ui/panels/step_map.hpp"
#include "ui/style/text.hpp"

namespace ui {
namespace {

class StepsPanel final : public Panel {
public:
    void draw(Frame& frame) override {
        if (!frame.run()) return empty_state("No run", "Open a folder of traces.");
        map_.draw(frame, ImGui::GetContentRegionAvail());
    }
    bool busy() const override { return map_.busy(); }
    void describe(nlohmann::json& shown) const override { map_.describe(shown); }

private:
    StepMap map_{"steps"};
};

}  // namespace

std::unique_ptr<Panel> make_steps_panel() { return std::make_unique<StepsPanel>(); }

}  // namespace ui
