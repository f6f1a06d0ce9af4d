#pragma once
// Entries of menus, not recorded: commands are known by their ids. An empty label, which Dear ImGui refuses, is drawn
// as nothing, as in items.hpp: it may be a name of the trace.

namespace ui {

const char* item_label(const char* label);  // never empty

bool menu_item(const char* label, const char* shortcut = nullptr, bool chosen = false, bool enabled = true);
bool begin_menu(const char* label);

}  // namespace ui
