#pragma once
// An OpenGL 3.3 context without a visible window, for Platform::open_offscreen. Main thread only.
// The build uses one source: offscreen_egl.cpp needs no display; offscreen_hidden_window.cpp, for
// systems without EGL, needs one.

#include <optional>
#include <string_view>

namespace ui {

struct OffscreenContext {
    void* display = nullptr;  // the EGL display
    void* context = nullptr;  // never null
};

std::optional<OffscreenContext> create_offscreen_context();  // and makes it current
void destroy_offscreen_context(const OffscreenContext&);
std::string_view why_no_offscreen_context();  // and how to fix it
bool load_offscreen_functions();  // OpenGL functions for the current context

}  // namespace ui
