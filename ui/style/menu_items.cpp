#include "ui/style/menu_items.hpp"

#include <imgui.h>

namespace ui {

// Dear ImGui stops the program at an empty label.
const char* item_label(const char* label) { return *label == '\0' ? "##unnamed" : label; }

bool menu_item(const char* label, const char* shortcut, bool chosen, bool enabled) {
    return ImGui::MenuItem(item_label(label), shortcut, chosen, enabled);
}

bool begin_menu(const char* label) { return ImGui::BeginMenu(item_label(label)); }

}  // namespace ui
