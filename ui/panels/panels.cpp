// The table of panels.

#include "ui/model/panel.hpp"
#include "ui/model/panels/hang_model.hpp"
#include "ui/model/panels/import_model.hpp"
#include "ui/panels/compare/compare_panel.hpp"
#include "ui/panels/efficiency/efficiency_panels.hpp"
#include "ui/panels/sql/sql_panel.hpp"
#include "ui/widgets/loss_chip.hpp"

#include <algorithm>

namespace ui {

std::unique_ptr<Panel> make_findings_panel();
std::unique_ptr<Panel> make_breakdown_panel();
std::unique_ptr<Panel> make_steps_panel();
std::unique_ptr<Panel> make_communication_panel();
std::unique_ptr<Panel> make_trend_panel();
std::unique_ptr<Panel> make_kernels_panel();
std::unique_ptr<Panel> make_kernel_durations_panel();
std::unique_ptr<Panel> make_analysis_panel();
std::unique_ptr<Panel> make_what_if_panel();
std::unique_ptr<Panel> make_events_panel();
std::unique_ptr<Panel> make_found_panel();
std::unique_ptr<Panel> make_area_panel();
std::unique_ptr<Panel> make_flame_panel();
std::unique_ptr<Panel> make_hang_panel();
std::unique_ptr<Panel> make_import_panel();
std::unique_ptr<Panel> make_marks_panel();
std::unique_ptr<Panel> make_overview_panel();
std::unique_ptr<Panel> make_details_panel();

namespace {

bool compares(const core::Session& session) { return session.alignment() != nullptr; }

bool has_marks(const core::Session& session) {
    return std::ranges::any_of(core::kSides, [&](core::Side side) { return !session.marks(side).empty(); });
}

// Whether the opening of a run left out, repaired or guessed anything.
bool has_import_entries(const core::Session& session) {
    return std::ranges::any_of(core::kSides, [&](core::Side side) {
        const core::RunPtr& run = session.run(side);
        const core::RunLoad* const load = session.load(side);
        const bool is_read = !load || load->finished();  // not again for every rank that arrives
        return run && is_read && needs_import(*run);
    });
}

constexpr PanelType kPanels[] = {
    {.id = "findings", .title = "Findings", .drawer = Drawer::Left, .make = make_findings_panel},
    {.id = "breakdown", .title = "Breakdown", .drawer = Drawer::Left, .make = make_breakdown_panel, .shows_both = true},
    {.id = "steps",
     .title = "Steps",
     .drawer = Drawer::Left,
     .make = make_steps_panel,
     .shows_both = true,
     .part_of = "breakdown"},
    {.id = "communication",
     .title = "Communication",
     .drawer = Drawer::Left,
     .make = make_communication_panel,
     .shows_both = true,
     .brief = "Comms"},
    {.id = "compare",
     .title = "Compare",
     .drawer = Drawer::Left,
     .make = make_compare_panel,
     .shows_both = true,
     .needs_events = true,
     .appears = compares},
    {.id = "trend",
     .title = "Trend",
     .drawer = Drawer::Left,
     .make = make_trend_panel,
     .shows_both = true,
     .part_of = "compare"},
    {.id = "kernels", .title = "Kernels", .drawer = Drawer::Left, .make = make_kernels_panel, .shows_both = true},
    {.id = "kernel-durations",
     .title = "Kernel durations",
     .drawer = Drawer::Left,
     .make = make_kernel_durations_panel,
     .shows_both = true,
     .needs_events = true,
     .part_of = "kernels",
     .side_by_side = true,
     .brief = "Durations"},
    {.id = "flame-graph",
     .title = "Flame graph",
     .drawer = Drawer::Left,
     .make = make_flame_panel,
     .shows_both = true,
     .needs_events = true,
     .brief = "Flame"},
    {.id = "modules",
     .title = "Modules",
     .drawer = Drawer::Left,
     .make = make_modules_panel,
     .shows_both = true,
     .needs_events = true,
     .part_of = "flame-graph"},
    {.id = "analysis", .title = "Analyses", .drawer = Drawer::Left, .make = make_analysis_panel, .shows_both = true},
    {.id = "sql",
     .title = "SQL",
     .drawer = Drawer::Left,
     .make = make_sql_panel,
     .shows_both = true,
     .needs_events = true,
     .part_of = "analysis"},
    {.id = "what-if", .title = "What if", .drawer = Drawer::Left, .make = make_what_if_panel, .needs_events = true},
    {.id = "roofline",
     .title = "Roofline",
     .drawer = Drawer::Left,
     .make = make_roofline_panel,
     .shows_both = true,
     .needs_events = true},
    {.id = "events",
     .title = "Events",
     .drawer = Drawer::Left,
     .make = make_events_panel,
     .shows_both = true,
     .needs_events = true,
     .on_demand = [](const Frame& frame) { return frame.choices().listed.has_value(); }},
    {.id = "found",
     .title = "Found",
     .drawer = Drawer::Left,
     .make = make_found_panel,
     .shows_both = true,
     .needs_events = true,
     .lists_found = true,
     .on_demand = [](const Frame& frame) { return wants_find(frame.choices()); }},
    {.id = "area",
     .title = "Area",
     .drawer = Drawer::Left,
     .make = make_area_panel,
     .shows_both = true,
     .needs_events = true,
     .on_demand = [](const Frame& frame) { return frame.view().area.has_value(); }},
    {.id = "hang",
     .title = "Hang",
     .drawer = Drawer::Left,
     .make = make_hang_panel,
     .on_demand = [](const Frame& frame) { return frame.run() && has_flight_dumps(*frame.run()); }},
    {.id = "marks", .title = "Marks", .drawer = Drawer::Left, .make = make_marks_panel, .appears = has_marks},
    {.id = "import",
     .title = "Import",
     .drawer = Drawer::Left,
     .make = make_import_panel,
     .appears = has_import_entries,
     .badge = count_losses},
    {.id = "overview", .title = "Overview", .drawer = Drawer::Right, .make = make_overview_panel, .shows_both = true},
    {.id = "details", .title = "Details", .drawer = Drawer::Right, .make = make_details_panel, .shows_selection = true},
};

}  // namespace

void Panel::describe(nlohmann::json&) const {}

const core::Catalogue<PanelType>& panels() {
    static const core::Catalogue<PanelType> kCatalogue(kPanels);
    return kCatalogue;
}

const PanelType* find_panel(std::string_view id) {
    const auto found = std::ranges::find(all_panels(), id, &PanelType::id);
    return found == all_panels().end() ? nullptr : &*found;
}

const PanelType& tab_of(const PanelType& panel) {
    const PanelType* const tab = panel.part_of.empty() ? nullptr : find_panel(panel.part_of);
    return tab ? *tab : panel;
}

std::vector<const PanelType*> parts_of_tab(const PanelType& panel) {
    const PanelType& tab = tab_of(panel);
    std::vector<const PanelType*> parts{&tab};
    for (const PanelType& other : all_panels())
        if (other.part_of == tab.id) parts.push_back(&other);
    return parts;
}

}  // namespace ui
