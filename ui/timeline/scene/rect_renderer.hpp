#pragma once
// Rows of pixel columns (a texture; one quad per busy stretch) and rectangles (12-byte instances),
// drawn by shaders of their own. Set them any time in the frame; queue() adds the drawing to an
// ImGui draw list, inside its clip rectangle. Data stays until replaced, and renderers upload it
// when its version changes, so an unchanged view costs nothing. Main thread; no GL. Has to outlive
// the frames that it is queued for.

#include "core/index/class_rules.hpp"
#include "ui/platform/frame_drawing.hpp"

#include <imgui.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace ui {

// The quads of each kind; empty columns within a quad show the plot's background.
using StripQuads = std::array<std::vector<StripQuad>, kStripKinds>;
// One quad per stretch of non-zero columns; gaps of a few columns don't split a stretch.
void add_strip_quads(std::span<const std::uint32_t> strip, std::int32_t row, std::int16_t top, std::int16_t bottom,
                     std::vector<StripQuad>& out);

class RectRenderer {
public:
    RectRenderer();
    RectRenderer(const RectRenderer&) = delete;
    RectRenderer& operator=(const RectRenderer&) = delete;

    // pixels: rows of `width`, one after the other.
    void set_strips(int width, std::span<const std::uint32_t> pixels, const StripQuads& quads);
    void set_rects(std::span<const RectInstance> rects);
    void set_dimmed(core::ClassSet classes) { dimmed_ = classes; }  // stacked classes that the filter excludes
    // Keeps the pixels below visible where there is no class: for classes drawn over others.
    void set_over(bool over) { drawing_.over = over; }
    void queue(ImDrawList*, ImVec2 origin);

private:
    bool is_empty() const;

    SceneDrawing drawing_;
    core::ClassSet dimmed_ = 0;
};

}  // namespace ui
