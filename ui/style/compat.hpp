#pragma once
// All differences between Dear ImGui 1.86 (Debian 12), 1.90 and 1.92 that affect us, except fonts
// (ui/style/theme.cpp). Before 1.87 the backend numbers keys: by GLFW code, also for injected
// input; later versions use ImGuiKey. Our code names keys by GLFW code everywhere.

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <imgui.h>

#define LOCKSTEP_IMGUI_EVENTS (IMGUI_VERSION_NUM >= 18700)         // io.AddKeyEvent etc., named keys
#define LOCKSTEP_IMGUI_DYNAMIC_FONTS (IMGUI_VERSION_NUM >= 19200)  // glyphs on demand, PushFont(font, size)

namespace ui::compat {

#if LOCKSTEP_IMGUI_EVENTS
inline ImGuiKey key_of_glfw(int key) {
    if (key >= GLFW_KEY_A && key <= GLFW_KEY_Z) return static_cast<ImGuiKey>(ImGuiKey_A + (key - GLFW_KEY_A));
    if (key >= GLFW_KEY_0 && key <= GLFW_KEY_9) return static_cast<ImGuiKey>(ImGuiKey_0 + (key - GLFW_KEY_0));
    if (key >= GLFW_KEY_F1 && key <= GLFW_KEY_F12) return static_cast<ImGuiKey>(ImGuiKey_F1 + (key - GLFW_KEY_F1));
    switch (key) {
        case GLFW_KEY_TAB:
            return ImGuiKey_Tab;
        case GLFW_KEY_LEFT:
            return ImGuiKey_LeftArrow;
        case GLFW_KEY_RIGHT:
            return ImGuiKey_RightArrow;
        case GLFW_KEY_UP:
            return ImGuiKey_UpArrow;
        case GLFW_KEY_DOWN:
            return ImGuiKey_DownArrow;
        case GLFW_KEY_PAGE_UP:
            return ImGuiKey_PageUp;
        case GLFW_KEY_PAGE_DOWN:
            return ImGuiKey_PageDown;
        case GLFW_KEY_HOME:
            return ImGuiKey_Home;
        case GLFW_KEY_END:
            return ImGuiKey_End;
        case GLFW_KEY_INSERT:
            return ImGuiKey_Insert;
        case GLFW_KEY_DELETE:
            return ImGuiKey_Delete;
        case GLFW_KEY_BACKSPACE:
            return ImGuiKey_Backspace;
        case GLFW_KEY_SPACE:
            return ImGuiKey_Space;
        case GLFW_KEY_ENTER:
            return ImGuiKey_Enter;
        case GLFW_KEY_ESCAPE:
            return ImGuiKey_Escape;
        case GLFW_KEY_COMMA:
            return ImGuiKey_Comma;
        case GLFW_KEY_PERIOD:
            return ImGuiKey_Period;
        case GLFW_KEY_SLASH:
            return ImGuiKey_Slash;
        case GLFW_KEY_MINUS:
            return ImGuiKey_Minus;
        case GLFW_KEY_EQUAL:
            return ImGuiKey_Equal;
        case GLFW_KEY_LEFT_BRACKET:
            return ImGuiKey_LeftBracket;
        case GLFW_KEY_RIGHT_BRACKET:
            return ImGuiKey_RightBracket;
        case GLFW_KEY_APOSTROPHE:
            return ImGuiKey_Apostrophe;
        case GLFW_KEY_SEMICOLON:
            return ImGuiKey_Semicolon;
        case GLFW_KEY_BACKSLASH:
            return ImGuiKey_Backslash;
        case GLFW_KEY_GRAVE_ACCENT:
            return ImGuiKey_GraveAccent;
        case GLFW_KEY_LEFT_CONTROL:
            return ImGuiKey_LeftCtrl;
        case GLFW_KEY_LEFT_SHIFT:
            return ImGuiKey_LeftShift;
        case GLFW_KEY_LEFT_ALT:
            return ImGuiKey_LeftAlt;
        default:
            return ImGuiKey_None;
    }
}
#else
inline int key_of_glfw(int key) { return key; }
#endif

inline bool is_key_pressed(int glfw_key, bool repeat = false) {
    return ImGui::IsKeyPressed(key_of_glfw(glfw_key), repeat);
}
inline bool is_key_released(int glfw_key) { return ImGui::IsKeyReleased(key_of_glfw(glfw_key)); }
inline bool is_key_down(int glfw_key) { return ImGui::IsKeyDown(key_of_glfw(glfw_key)); }

inline float text_width(ImFont* font, float size_px, const char* begin, const char* end = nullptr) {
    return font->CalcTextSizeA(size_px, 3.4e38f, 0, begin, end).x;
}

}  // namespace ui::compat
