#pragma once
// A strip above the timeline of a run whose ranks have several captures (files that claim one rank): how far apart they
// are, and a click each to compare the first two, to show one alone, or to keep them as windows of one run.

#include "ui/model/panel.hpp"

#include <imgui.h>

#include <string>

namespace ui {

class CaptureOffer {
public:
    // Nothing while there is none to make: one capture, two runs, or the offer was declined.
    float height(const Frame&) const;
    void draw(Frame&, ImVec2 min, float width);

private:
    std::string declined_;  // name of the run
};

}  // namespace ui
