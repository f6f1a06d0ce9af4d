#pragma once
// Render target: a GLFW window, or a surfaceless EGL context with its own framebuffer (no display
// needed), both with GL 3.3 core; or only a size, for frames that are drawn elsewhere. Main thread only.

#include "core/base/output_file.hpp"
#include "core/base/result.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

struct GLFWwindow;

namespace ui {

struct Image {                  // RGBA, 8 bits, top row first
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> rgba;
};
// The part of the rectangle that is inside the image.
Image crop(const Image&, int left, int top, int right, int bottom);
core::Result<Image> read_png(const std::filesystem::path&);
core::Result<bool> write_png(const std::filesystem::path&, const Image&, const core::InputFiles& = {});
core::Result<std::string> encode_png(const Image&);  // content of a PNG file

// Keeps drivers from storing shaders on disk, from the next context on. A driver that cannot write its cache (a full
// disk) ends the program with SIGBUS, so off-screen contexts never use one; a window doesn't with --no-cache.
void disable_shader_caches();

class Platform {
public:
    static core::Result<std::unique_ptr<Platform>> open_window(int width, int height, const std::string& title,
                                                               bool visible = true);
    static core::Result<std::unique_ptr<Platform>> open_offscreen(int width, int height);
    // Without GL: the Gui needs a renderer of its own.
    static std::unique_ptr<Platform> open_undrawn(int width, int height);
    ~Platform();

    GLFWwindow* window() const { return window_; }  // null off screen
    int width() const { return width_; }
    int height() const { return height_; }
    float content_scale() const;  // scale of the monitor; 1 off screen
    core::Result<bool> resize(int width, int height);  // off screen only; users resize windows
    void begin_frame();  // binds the target and reads its size
    void present();  // swaps, or finishes off screen
    Image read_pixels();  // frame just drawn; call before present()
    std::string description() const;  // GL version, renderer

private:
    Platform() = default;
    GLFWwindow* window_ = nullptr;
    bool draws_ = true;
    int width_ = 0;
    int height_ = 0;
    void* egl_display_ = nullptr;
    void* egl_context_ = nullptr;
    unsigned framebuffer_ = 0;
    unsigned renderbuffer_ = 0;
};

}  // namespace ui
