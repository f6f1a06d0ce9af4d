// Stubs for parts of the window that ask the rest of it for panels and popups: two panels that draw nothing, no popups,
// and no keyboard focus.

#include "ui/model/panel.hpp"
#include "ui/style/items.hpp"
#include "ui/style/key_focus.hpp"

#include <algorithm>
#include <array>

namespace ui {

const core::Catalogue<PanelType>& panels() {
    static const std::array<PanelType, 2> kPanels = {PanelType{"kernels", "Kernels", Drawer::Left, nullptr},
                                                     PanelType{"overview", "Overview", Drawer::Right, nullptr}};
    static const core::Catalogue<PanelType> catalogue{std::span<const PanelType>(kPanels)};
    return catalogue;
}

const PanelType* find_panel(std::string_view id) {
    const auto found = std::ranges::find(all_panels(), id, &PanelType::id);
    return found == all_panels().end() ? nullptr : &*found;
}

void close_popups() {}
bool popups_can_close() { return false; }

bool KeyFocus::claims(int) const { return false; }
KeyFocus& key_focus() {
    static KeyFocus none;
    return none;
}

}  // namespace ui
