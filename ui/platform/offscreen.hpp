#pragma once
// An OpenGL 3.3 context without a window on the screen, for Platform::open_offscreen. Main thread only. One source is
// built: offscreen_egl.cpp needs no display; offscreen_hidden_window.cpp is for systems without EGL and needs one.

#include <optional>
#include <string_view>

namespace ui {

struct OffscreenContext {
    void* display = nullptr;  // of EGL
    void* context = nullptr;  // never null
};

std::optional<OffscreenContext> create_offscreen_context();  // makes it the current one
void destroy_offscreen_context(const OffscreenContext&);
std::string_view why_no_offscreen_context();  // with the remedy
bool load_offscreen_functions();  // of OpenGL, for the current context

}  // namespace ui
