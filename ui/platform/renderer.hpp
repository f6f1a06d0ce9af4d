#pragma once
// Plays recorded frames. GlRenderer draws them into a Platform's target; others may send them
// elsewhere. Main thread only.

#include "ui/platform/frame_drawing.hpp"
#include "ui/platform/platform.hpp"

namespace ui {

class Renderer {
public:
    Renderer() = default;
    virtual ~Renderer() = default;
    Renderer(const Renderer&) = delete;
    Renderer& operator=(const Renderer&) = delete;

    virtual void draw(const FrameDrawing&) = 0;
    virtual Image picture() = 0;  // of the frame drawn last; in a window before it is presented
};

}  // namespace ui
