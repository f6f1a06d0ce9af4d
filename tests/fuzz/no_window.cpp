// Parts of the window under test ask the rest of it for panels and popups: here there are none.

#include "ui/model/panel.hpp"
#include "ui/style/items.hpp"

namespace ui {

core::Catalogue<PanelType>& panels() {
    static core::Catalogue<PanelType> none{std::span<const PanelType>()};
    return none;
}

void close_popups() {}
bool popups_can_close() { return false; }

}  // namespace ui
