#pragma once
// Button and menu for the settings of verdicts on two runs, such as the run-to-run noise. Changes
// are intents.

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
    std::string refused_;  // why the last input was refused
};

// Lists settings that differ from the defaults: "Noise unknown"; "Noise 5.00 %, tolerance 2.00 %, paired".
std::string describe_statistics_options(const core::StatisticsOptions&);

}  // namespace ui
