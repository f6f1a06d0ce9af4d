#include "ui/platform/platform.hpp"

#include "ui/platform/offscreen.hpp"

#include <glad/gl.h>
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

namespace ui {
namespace {

core::Error failure(std::string message) { return {core::ErrorCode::Io, std::move(message)}; }

std::string& glfw_message() {
    static std::string message;
    return message;
}

std::string with_glfw_reason(const std::string& what) {
    return glfw_message().empty() ? what : what + ": " + glfw_message();
}

std::string gl_text(GLenum what) {
    const auto* text = reinterpret_cast<const char*>(glGetString(what));
    return text == nullptr ? "unknown" : text;
}

// Shrinks the window to the screen's work area, because without a window manager nothing else does.
void fit_to_screen(int& width, int& height) {
    GLFWmonitor* monitor = glfwGetPrimaryMonitor();
    if (monitor == nullptr) return;
    int x = 0;
    int y = 0;
    int most_width = 0;
    int most_height = 0;
    glfwGetMonitorWorkarea(monitor, &x, &y, &most_width, &most_height);
    if (most_width > 0) width = std::min(width, most_width);
    if (most_height > 0) height = std::min(height, most_height);
}

}  // namespace

void disable_shader_caches() {
    for (const char* const name : {"MESA_SHADER_CACHE_DISABLE", "MESA_GLSL_CACHE_DISABLE"}) ::setenv(name, "true", 1);
    ::setenv("__GL_SHADER_DISK_CACHE", "0", 1);  // NVIDIA's driver
}

core::Result<std::unique_ptr<Platform>> Platform::open_window(int width, int height, const std::string& title,
                                                              bool visible) {
    glfw_message().clear();
    glfwSetErrorCallback([](int, const char* text) { glfw_message() = text; });
    if (glfwInit() == GLFW_FALSE) return failure(with_glfw_reason("no display"));
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    glfwWindowHint(GLFW_VISIBLE, visible ? GLFW_TRUE : GLFW_FALSE);
    glfwWindowHint(GLFW_DEPTH_BITS, 0);
    glfwWindowHint(GLFW_STENCIL_BITS, 0);
    fit_to_screen(width, height);
    std::unique_ptr<Platform> platform(new Platform);
    platform->window_ = glfwCreateWindow(width, height, title.c_str(), nullptr, nullptr);
    if (platform->window_ == nullptr) {
        std::string message = with_glfw_reason("no window with OpenGL 3.3");
        glfwTerminate();
        return failure(std::move(message));
    }
    glfwMakeContextCurrent(platform->window_);
    if (gladLoadGL(glfwGetProcAddress) == 0) return failure("no OpenGL 3.3 functions");
    glfwSwapInterval(1);
    platform->begin_frame();
    return platform;
}

core::Result<std::unique_ptr<Platform>> Platform::open_offscreen(int width, int height) {
    disable_shader_caches();
    std::unique_ptr<Platform> platform(new Platform);
    const std::optional<OffscreenContext> made = create_offscreen_context();
    if (!made) return failure("cannot draw off screen: " + std::string(why_no_offscreen_context()));
    platform->egl_display_ = made->display;
    platform->egl_context_ = made->context;
    if (!load_offscreen_functions()) return failure("no OpenGL 3.3 functions");
    glGenFramebuffers(1, &platform->framebuffer_);
    glGenRenderbuffers(1, &platform->renderbuffer_);
    if (core::Result<bool> sized = platform->resize(width, height); !sized) return std::move(sized).error();
    return platform;
}

std::unique_ptr<Platform> Platform::open_undrawn(int width, int height) {
    std::unique_ptr<Platform> platform(new Platform);
    platform->draws_ = false;
    platform->width_ = width;
    platform->height_ = height;
    return platform;
}

core::Result<bool> Platform::resize(int width, int height) {
    assert(window_ == nullptr);
    width_ = width;
    height_ = height;
    if (!draws_) return true;
    glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer_);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, renderbuffer_);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        return failure("no framebuffer of " + std::to_string(width) + " x " + std::to_string(height) + " pixels");
    return true;
}

Platform::~Platform() {
    if (egl_context_ != nullptr) {
        glDeleteFramebuffers(1, &framebuffer_);
        glDeleteRenderbuffers(1, &renderbuffer_);
        destroy_offscreen_context({.display = egl_display_, .context = egl_context_});
    }
    if (window_ != nullptr) {
        glfwDestroyWindow(window_);
        glfwTerminate();
    }
}

float Platform::content_scale() const {
    float x = 1;
    float y = 1;
    if (window_ != nullptr) glfwGetWindowContentScale(window_, &x, &y);
    return x > 0 ? x : 1;
}

void Platform::begin_frame() {
    if (!draws_) return;
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
    if (window_ != nullptr) glfwGetFramebufferSize(window_, &width_, &height_);
}

void Platform::present() {
    if (!draws_) return;
    if (window_ != nullptr)
        glfwSwapBuffers(window_);
    else
        glFinish();
}

Image Platform::read_pixels() {
    assert(draws_);
    Image image{.width = width_, .height = height_, .rgba = {}};
    const std::size_t row = static_cast<std::size_t>(width_) * 4;
    std::vector<std::uint8_t> upside_down(row * static_cast<std::size_t>(height_));
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, width_, height_, GL_RGBA, GL_UNSIGNED_BYTE, upside_down.data());
    image.rgba.resize(upside_down.size());
    for (std::size_t y = 0; y < static_cast<std::size_t>(height_); ++y) {
        std::memcpy(&image.rgba[y * row], &upside_down[(static_cast<std::size_t>(height_) - 1 - y) * row], row);
    }
    for (std::size_t i = 3; i < image.rgba.size(); i += 4) image.rgba[i] = 255;
    return image;
}

std::string Platform::description() const {
    if (!draws_) return "drawn elsewhere";
    return "OpenGL " + gl_text(GL_VERSION) + ", " + gl_text(GL_RENDERER);
}

}  // namespace ui
