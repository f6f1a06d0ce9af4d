#pragma once
// Gives the keyboard to a text field.

#include "ui/style/compat.hpp"

#if IMGUI_VERSION_NUM >= 19000
#include <imgui_internal.h>
#endif

namespace ui {

// Focuses the field with this label, which is drawn next in the current window. From 1.90 on, Dear ImGui finds it by
// keyboard navigation, which our windows refuse (NoNav); the label stands in for that.
inline void focus_text(const char* label) {
#if IMGUI_VERSION_NUM >= 19000
    ImGui::SetWindowFocus();
    ImGui::ActivateItemByID(ImGui::GetID(label));
    ImGui::GetCurrentContext()->NavNextActivateFlags = ImGuiActivateFlags_PreferInput;
#else
    (void)label;
    ImGui::SetKeyboardFocusHere();
#endif
}

}  // namespace ui
