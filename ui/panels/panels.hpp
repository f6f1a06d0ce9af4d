#pragma once
// One factory function per panel; ui/panels/panels.cpp has the table.

#include "ui/model/panel.hpp"

namespace ui {

std::unique_ptr<Panel> make_findings_panel();
std::unique_ptr<Panel> make_breakdown_panel();
std::unique_ptr<Panel> make_steps_panel();
std::unique_ptr<Panel> make_communication_panel();
std::unique_ptr<Panel> make_compare_panel();
std::unique_ptr<Panel> make_kernels_panel();
std::unique_ptr<Panel> make_kernel_durations_panel();
std::unique_ptr<Panel> make_analysis_panel();
std::unique_ptr<Panel> make_events_panel();
std::unique_ptr<Panel> make_found_panel();
std::unique_ptr<Panel> make_area_panel();
std::unique_ptr<Panel> make_flame_panel();
std::unique_ptr<Panel> make_hang_panel();
std::unique_ptr<Panel> make_import_panel();
std::unique_ptr<Panel> make_marks_panel();
std::unique_ptr<Panel> make_overview_panel();
std::unique_ptr<Panel> make_details_panel();

}  // namespace ui
