#pragma once
// Where frames go: a GLFW window, or a surfaceless EGL context with a framebuffer of our own (no
// display needed). Same GL 3.3 core either way. Main thread only.

#include "core/base/result.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

struct GLFWwindow;

namespace ui {

struct Image {                  // RGBA, 8 bits, rows from the top
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> rgba;
};
// What of the rectangle lies in the image.
Image crop(const Image&, int left, int top, int right, int bottom);
core::Result<Image> read_png(const std::filesystem::path&);
core::Result<bool> write_png(const std::filesystem::path&, const Image&);  // by way of a temporary name
core::Result<std::string> encode_png(const Image&);                        // the bytes of such a file

class Platform {
public:
    static core::Result<std::unique_ptr<Platform>> open_window(int width, int height, const std::string& title,
                                                               bool visible = true);
    static core::Result<std::unique_ptr<Platform>> open_offscreen(int width, int height);
    ~Platform();

    GLFWwindow* window() const { return window_; }  // null off screen
    int width() const { return width_; }
    int height() const { return height_; }
    float content_scale() const;                    // of the monitor; 1 off screen
    core::Result<bool> resize(int width, int height);  // off screen; a window is resized by its user
    void begin_frame();                             // binds the target, takes the current size
    void present();                                 // swaps, or finishes off screen
    Image read_pixels();                            // of the frame just drawn, before present()
    std::string description() const;                // GL version, renderer

private:
    Platform() = default;
    GLFWwindow* window_ = nullptr;
    int width_ = 0;
    int height_ = 0;
    void* egl_display_ = nullptr;
    void* egl_context_ = nullptr;
    unsigned framebuffer_ = 0;
    unsigned renderbuffer_ = 0;
};

}  // namespace ui
