#include "ui/platform/platform.hpp"

#include <glad/gl.h>
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#define EGL_NO_X11
#include <EGL/egl.h>
#include <EGL/eglext.h>

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <cstring>

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

EGLDisplay display_of(int platform) {
    const auto get_display =
        reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(eglGetProcAddress("eglGetPlatformDisplayEXT"));
    if (get_display == nullptr) return EGL_NO_DISPLAY;
    void* native = nullptr;
    if (platform == EGL_PLATFORM_DEVICE_EXT) {
        const auto devices = reinterpret_cast<PFNEGLQUERYDEVICESEXTPROC>(eglGetProcAddress("eglQueryDevicesEXT"));
        EGLDeviceEXT first{};
        EGLint count = 0;
        if (devices == nullptr || devices(1, &first, &count) == EGL_FALSE || count == 0) return EGL_NO_DISPLAY;
        native = first;
    }
    const EGLDisplay display = get_display(static_cast<EGLenum>(platform), native, nullptr);
    if (display == EGL_NO_DISPLAY || eglInitialize(display, nullptr, nullptr) == EGL_FALSE) return EGL_NO_DISPLAY;
    return display;
}

EGLContext make_context(EGLDisplay display) {
    constexpr EGLint kConfig[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
    constexpr EGLint kContext[] = {
        EGL_CONTEXT_MAJOR_VERSION,           3,       EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK,
        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
    EGLConfig config{};
    EGLint count = 0;
    if (eglBindAPI(EGL_OPENGL_API) == EGL_FALSE) return EGL_NO_CONTEXT;
    if (eglChooseConfig(display, kConfig, &config, 1, &count) == EGL_FALSE || count == 0) return EGL_NO_CONTEXT;
    const EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, kContext);
    if (context == EGL_NO_CONTEXT) return EGL_NO_CONTEXT;
    if (eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context) == EGL_FALSE) {
        eglDestroyContext(display, context);
        return EGL_NO_CONTEXT;
    }
    return context;
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
    ::setenv("__GL_SHADER_DISK_CACHE", "0", 1);  // NVIDIA's
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
    for (const int kind : {EGL_PLATFORM_SURFACELESS_MESA, EGL_PLATFORM_DEVICE_EXT}) {
        const EGLDisplay display = display_of(kind);
        if (display == EGL_NO_DISPLAY) continue;
        platform->egl_context_ = make_context(display);
        if (platform->egl_context_ != EGL_NO_CONTEXT) {
            platform->egl_display_ = display;
            break;
        }
        eglTerminate(display);
    }
    if (platform->egl_display_ == nullptr) {
        return failure("cannot draw off screen: no EGL with OpenGL 3.3 (install libegl1 and libgl1-mesa-dri)");
    }
    if (gladLoadGL(reinterpret_cast<GLADloadfunc>(eglGetProcAddress)) == 0) return failure("no OpenGL 3.3 functions");
    glGenFramebuffers(1, &platform->framebuffer_);
    glGenRenderbuffers(1, &platform->renderbuffer_);
    if (core::Result<bool> sized = platform->resize(width, height); !sized) return std::move(sized).error();
    return platform;
}

core::Result<bool> Platform::resize(int width, int height) {
    assert(window_ == nullptr);
    width_ = width;
    height_ = height;
    glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer_);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, renderbuffer_);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        return failure("no framebuffer of " + std::to_string(width) + " x " + std::to_string(height) + " pixels");
    return true;
}

Platform::~Platform() {
    if (egl_display_ != nullptr) {
        glDeleteFramebuffers(1, &framebuffer_);
        glDeleteRenderbuffers(1, &renderbuffer_);
        eglMakeCurrent(egl_display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        eglDestroyContext(egl_display_, egl_context_);
        eglTerminate(egl_display_);
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
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
    if (window_ != nullptr) glfwGetFramebufferSize(window_, &width_, &height_);
}

void Platform::present() {
    if (window_ != nullptr)
        glfwSwapBuffers(window_);
    else
        glFinish();
}

Image Platform::read_pixels() {
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

std::string Platform::description() const { return "OpenGL " + gl_text(GL_VERSION) + ", " + gl_text(GL_RENDERER); }

}  // namespace ui
