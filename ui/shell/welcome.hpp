#pragma once
// The window without a run: what to do, what is going on, or what went wrong.

#include "core/session/recent_runs.hpp"
#include "ui/model/panel.hpp"
#include "ui/shell/saving.hpp"

#include <imgui.h>

#include <string>

namespace ui {

struct Welcome {
    const core::RecentRuns& recent;
    const std::filesystem::path& left_behind;  // a session of a start that ended without saving it; empty: none
    const Notice& notice;
    bool makes_sample = false;  // the sample run is being written
};
void draw_welcome(Frame&, const Welcome&, ImVec2 min, ImVec2 size);

// How far a load is, in words and as a share.
std::string load_text(const core::RunLoad&);
double load_share(const core::RunLoad&);

}  // namespace ui
