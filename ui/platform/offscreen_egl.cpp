#include "ui/platform/offscreen.hpp"

#include <glad/gl.h>
#define EGL_NO_X11
#include <EGL/egl.h>
#include <EGL/eglext.h>

namespace ui {
namespace {

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

}  // namespace

std::optional<OffscreenContext> create_offscreen_context() {
    for (const int kind : {EGL_PLATFORM_SURFACELESS_MESA, EGL_PLATFORM_DEVICE_EXT}) {
        const EGLDisplay display = display_of(kind);
        if (display == EGL_NO_DISPLAY) continue;
        const EGLContext context = make_context(display);
        if (context != EGL_NO_CONTEXT) return OffscreenContext{.display = display, .context = context};
        eglTerminate(display);
    }
    return std::nullopt;
}

void destroy_offscreen_context(const OffscreenContext& made) {
    eglMakeCurrent(made.display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(made.display, made.context);
    eglTerminate(made.display);
}

std::string_view why_no_offscreen_context() { return "no EGL with OpenGL 3.3 (install libegl1 and libgl1-mesa-dri)"; }

bool load_offscreen_functions() { return gladLoadGL(reinterpret_cast<GLADloadfunc>(eglGetProcAddress)) != 0; }

}  // namespace ui
