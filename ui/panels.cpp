#include "ui/panels/panels.hpp"

#include <algorithm>

namespace ui {
namespace {

constexpr PanelType kPanels[] = {
    {"breakdown", "Breakdown", Drawer::Left, make_breakdown_panel},
};

}  // namespace

std::span<const PanelType> all_panels() { return kPanels; }

const PanelType* find_panel(std::string_view id) {
    const auto found = std::ranges::find(kPanels, id, &PanelType::id);
    return found == std::end(kPanels) ? nullptr : found;
}

}  // namespace ui
