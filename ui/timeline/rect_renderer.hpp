#pragma once
// Draws rows of pixel columns (a texture, one quad per row) and rectangles (12-byte instances) with shaders
// of our own, in one draw callback. Upload with set_…(), any time in the frame; queue() puts the drawing into
// an ImGui draw list, inside its clip rectangle. What was uploaded stays until replaced, so an unchanged view
// costs no upload. Main thread; needs the GL context from construction to destruction.

#include <imgui.h>

#include <cstdint>
#include <span>

namespace ui {

enum class StripKind : std::int16_t { Colors = 0, StackedClasses = 1, Level = 2 };

struct StripQuad {             // px below the plot's top
    std::int16_t top = 0;
    std::int16_t bottom = 0;
    std::int16_t row = 0;      // of the texture
    StripKind kind = StripKind::Colors;
};

struct RectInstance {          // px from the plot's corner
    std::int16_t left = 0;
    std::int16_t right = 0;
    std::int16_t top = 0;
    std::int16_t bottom = 0;
    std::uint32_t color = 0;
};

class RectRenderer {
public:
    RectRenderer();
    ~RectRenderer();
    RectRenderer(const RectRenderer&) = delete;
    RectRenderer& operator=(const RectRenderer&) = delete;

    // pixels: rows of `width`, one after the other.
    void set_strips(int width, std::span<const std::uint32_t> pixels, std::span<const StripQuad> quads);
    void set_rects(std::span<const RectInstance> rects);
    void queue(ImDrawList*, ImVec2 origin);

private:
    static void draw(const ImDrawList*, const ImDrawCmd*);
    void draw_now(const ImDrawCmd&) const;

    ImVec2 origin_{};
    unsigned strip_program_ = 0;
    unsigned rect_program_ = 0;
    unsigned strip_vertices_ = 0;
    unsigned rect_vertices_ = 0;
    unsigned strip_buffer_ = 0;
    unsigned rect_buffer_ = 0;
    unsigned texture_ = 0;
    int texture_width_ = 0;
    int texture_height_ = 0;
    int width_ = 0;
    int strip_count_ = 0;
    int rect_count_ = 0;
};

}  // namespace ui
