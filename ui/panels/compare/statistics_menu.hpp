#pragma once
// The button that names what verdicts on two runs go by, such as the run-to-run noise, and its menu. Changes are
// intents.

#include "core/diff/align/step_sample.hpp"
#include "ui/model/panel.hpp"

#include <string>

namespace ui {

class StatisticsMenu {
public:
    void draw(Frame&);

private:
    void draw_entries(Frame&);
    void begin_entries(const core::StatisticsOptions&);

    std::string noise_, tolerance_, warmup_;  // as typed
    std::string refused_;  // why what was typed last is not taken
};

// "Noise unknown"; "Noise 5.00 %, tolerance 2.00 %, paired": what differs from the defaults.
std::string describe_statistics_options(const core::StatisticsOptions&);

}  // namespace ui
