#include "ui/platform/offscreen.hpp"

#include <glad/gl.h>
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace ui {

std::optional<OffscreenContext> create_offscreen_context() {
    if (glfwInit() == GLFW_FALSE) return std::nullopt;
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
    GLFWwindow* const window = glfwCreateWindow(16, 16, "", nullptr, nullptr);
    if (window == nullptr) {
        glfwTerminate();
        return std::nullopt;
    }
    glfwMakeContextCurrent(window);
    return OffscreenContext{.context = window};
}

void destroy_offscreen_context(const OffscreenContext& made) {
    glfwDestroyWindow(static_cast<GLFWwindow*>(made.context));
    glfwTerminate();
}

std::string_view why_no_offscreen_context() { return "no display, or none with OpenGL 3.3"; }

bool load_offscreen_functions() { return gladLoadGL(glfwGetProcAddress) != 0; }

}  // namespace ui
