// The table of panels.

#include "ui/model/panel.hpp"
#include "ui/model/panels/hang_model.hpp"
#include "ui/widgets/loss_chip.hpp"

#include <algorithm>

namespace ui {

std::unique_ptr<Panel> make_findings_panel();
std::unique_ptr<Panel> make_breakdown_panel();
std::unique_ptr<Panel> make_steps_panel();
std::unique_ptr<Panel> make_communication_panel();
std::unique_ptr<Panel> make_compare_panel();
std::unique_ptr<Panel> make_trend_panel();
std::unique_ptr<Panel> make_kernels_panel();
std::unique_ptr<Panel> make_kernel_durations_panel();
std::unique_ptr<Panel> make_analysis_panel();
std::unique_ptr<Panel> make_what_if_panel();
std::unique_ptr<Panel> make_sql_panel();
std::unique_ptr<Panel> make_events_panel();
std::unique_ptr<Panel> make_found_panel();
std::unique_ptr<Panel> make_area_panel();
std::unique_ptr<Panel> make_roofline_panel();
std::unique_ptr<Panel> make_modules_panel();
std::unique_ptr<Panel> make_flame_panel();
std::unique_ptr<Panel> make_hang_panel();
std::unique_ptr<Panel> make_import_panel();
std::unique_ptr<Panel> make_marks_panel();
std::unique_ptr<Panel> make_overview_panel();
std::unique_ptr<Panel> make_details_panel();

namespace {

constexpr PanelType kPanels[] = {
    {"findings", "Findings", Drawer::Left, make_findings_panel},
    {"breakdown", "Breakdown", Drawer::Left, make_breakdown_panel, true},
    {"steps", "Steps", Drawer::Left, make_steps_panel, true},
    {"communication", "Communication", Drawer::Left, make_communication_panel, true, false, nullptr, nullptr, "Comms"},
    {"compare", "Compare", Drawer::Left, make_compare_panel, true},
    {"kernels", "Kernels", Drawer::Left, make_kernels_panel, true},
    {"kernel-durations", "Kernel durations", Drawer::Left, make_kernel_durations_panel, true, false, nullptr, nullptr,
     "Durations"},
    {"flame-graph", "Flame graph", Drawer::Left, make_flame_panel, true, false, nullptr, nullptr, "Flame"},
    {"analysis", "Analyses", Drawer::Left, make_analysis_panel, true},
    {"what-if", "What if", Drawer::Left, make_what_if_panel},
    {"roofline", "Roofline", Drawer::Left, make_roofline_panel, true},
    {"modules", "Modules", Drawer::Left, make_modules_panel, true},
    {"trend", "Trend", Drawer::Left, make_trend_panel, true},
    {"sql", "SQL", Drawer::Left, make_sql_panel, true, false,
     [](const Frame& frame) { return frame.choices().sql_open; }},
    {"events", "Events", Drawer::Left, make_events_panel, true, false,
     [](const Frame& frame) { return frame.choices().listed.has_value(); }},
    {"found", "Found", Drawer::Left, make_found_panel, true, false,
     [](const Frame& frame) { return wants_find(frame.choices()); }},
    {"area", "Area", Drawer::Left, make_area_panel, true, false,
     [](const Frame& frame) { return frame.view().area.has_value(); }},
    {"hang", "Hang", Drawer::Left, make_hang_panel, false, false,
     [](const Frame& frame) { return frame.run() && has_flight_dumps(*frame.run()); }},
    {"marks", "Marks", Drawer::Left, make_marks_panel},
    {"import", "Import", Drawer::Left, make_import_panel, false, false, nullptr, count_losses},
    {"overview", "Overview", Drawer::Right, make_overview_panel, true},
    {"details", "Details", Drawer::Right, make_details_panel, false, true},
};

}  // namespace

void Panel::describe(nlohmann::json&) const {}

const core::Catalogue<PanelType>& panels() {
    static const core::Catalogue<PanelType> catalogue(kPanels);
    return catalogue;
}

const PanelType* find_panel(std::string_view id) {
    const auto found = std::ranges::find(all_panels(), id, &PanelType::id);
    return found == all_panels().end() ? nullptr : &*found;
}

}  // namespace ui
