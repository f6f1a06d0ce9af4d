#pragma once
// Draws rows of pixel columns (a texture; one quad per busy stretch) and rectangles (12-byte
// instances) with its own shaders, in one draw callback. Upload with set_...() any time in the
// frame; queue() adds the drawing to an ImGui draw list, inside its clip rectangle. Uploads stay
// until replaced, so an unchanged view costs none. Main thread; needs the GL context from
// construction to destruction.

#include "core/index/class_rules.hpp"

#include <imgui.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace ui {

enum class StripKind : std::uint8_t {
    Colors,          // each texel is its column's colour
    StackedClasses,  // shares of compute, communication, memory in R, G, B, stacked from the bottom
};
inline constexpr std::size_t kStripKinds = 2;

struct StripQuad {             // px from the plot's corner
    std::int16_t left = 0;
    std::int16_t right = 0;
    std::int16_t top = 0;
    std::int16_t bottom = 0;
    std::int32_t row = 0;      // row of the texture
};

struct RectInstance {          // px from the plot's corner
    std::int16_t left = 0;
    std::int16_t right = 0;
    std::int16_t top = 0;
    std::int16_t bottom = 0;
    std::uint32_t color = 0;
};

// The quads of each kind; empty columns within a quad show the plot's background.
using StripQuads = std::array<std::vector<StripQuad>, kStripKinds>;
// One quad per stretch of non-zero columns; gaps of a few columns don't split a stretch.
void add_strip_quads(std::span<const std::uint32_t> strip, std::int32_t row, std::int16_t top, std::int16_t bottom,
                     std::vector<StripQuad>& out);

class RectRenderer {
public:
    RectRenderer();
    ~RectRenderer();
    RectRenderer(const RectRenderer&) = delete;
    RectRenderer& operator=(const RectRenderer&) = delete;

    // pixels: rows of `width`, one after the other.
    void set_strips(int width, std::span<const std::uint32_t> pixels, const StripQuads& quads);
    void set_rects(std::span<const RectInstance> rects);
    void set_dimmed(core::ClassSet classes) { dimmed_ = classes; }  // stacked classes that the filter excludes
    // Keeps the pixels below visible where there is no class: for classes drawn over others.
    void set_over(bool over) { over_ = over; }
    void queue(ImDrawList*, ImVec2 origin);

private:
    static void draw(const ImDrawList*, const ImDrawCmd*);
    void draw_now(const ImDrawCmd&) const;
    void draw_strips(StripKind, int first) const;

    ImVec2 origin_{};
    unsigned strip_program_ = 0;
    unsigned stacked_program_ = 0;
    unsigned rect_program_ = 0;
    unsigned strip_vertices_ = 0;
    unsigned rect_vertices_ = 0;
    unsigned strip_buffer_ = 0;
    unsigned rect_buffer_ = 0;
    unsigned texture_ = 0;
    int texture_width_ = 0;
    int texture_height_ = 0;
    std::array<int, kStripKinds> strip_counts_{};
    int rect_count_ = 0;
    core::ClassSet dimmed_ = 0;
    bool over_ = false;
};

}  // namespace ui
