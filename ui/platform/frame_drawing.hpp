#pragma once
// Everything that a frame draws, as plain data: triangles, opaque fills, scenes of strips and
// rectangles, textures. A Renderer plays it, on OpenGL or elsewhere. Pixels are of the framebuffer,
// from its top left corner; px are Dear ImGui's, `scale` pixels each. Views into the last frame's
// data: valid until the next frame begins. Main thread only.

#include <imgui.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
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
    bool operator==(const StripQuad&) const = default;
};

struct RectInstance {          // px from the plot's corner
    std::int16_t left = 0;
    std::int16_t right = 0;
    std::int16_t top = 0;
    std::int16_t bottom = 0;
    std::uint32_t color = 0;
    bool operator==(const RectInstance&) const = default;
};

// A plot of the timeline. Strips are rows of pixel columns, drawn one quad per busy stretch; rectangles are drawn over
// them. A version changes whenever its data does.
struct SceneDrawing {
    std::uint64_t id = 0;                // of its owner, never reused
    std::uint64_t strips_version = 0;
    std::uint64_t rects_version = 0;
    int strip_width = 0;                 // columns
    std::vector<std::uint32_t> strips;   // rows of strip_width, RGBA
    std::vector<StripQuad> quads;        // those of each kind after the other
    std::array<std::size_t, kStripKinds> quad_counts{};
    std::vector<RectInstance> rects;
    ImVec2 origin{};                     // of the plot, px
    std::array<ImU32, 4> colors{};       // compute, communication, memory, nothing
    ImU32 waiting = 0;
    bool over = false;                   // pixels below stay visible where no class is
};

struct ClipPixels {                      // pixels; never empty, may reach beyond the framebuffer
    int left = 0;
    int top = 0;
    int right = 0;
    int bottom = 0;
    bool operator==(const ClipPixels&) const = default;
};

enum class DrawKind : std::uint8_t { Triangles, Fill, Scene };

struct DrawCommand {
    DrawKind kind = DrawKind::Triangles;
    ClipPixels clip;
    std::uint32_t texture = 0;           // Triangles: index into FrameDrawing::textures
    std::uint32_t first_index = 0;       // Triangles: of the list's indices
    std::uint32_t indices = 0;
    std::uint32_t first_vertex = 0;      // added to each index
    ImU32 color = 0;                     // Fill: opaque, over the whole clip rectangle
    std::uint32_t scene = 0;             // Scene: index into FrameDrawing::scenes
};

struct ListDrawing {
    std::string_view name;               // of its window; several may share one
    std::span<const ImDrawVert> vertices;
    std::span<const ImDrawIdx> indices;
    std::vector<DrawCommand> commands;   // in drawing order
};

struct TextureDrawing {
    std::uint64_t id = 0;                // never reused
    std::uint64_t version = 0;           // changes with the pixels
    int width = 0;
    int height = 0;
    std::span<const unsigned char> rgba;
};

struct FrameDrawing {
    ImVec2 size{};                       // px
    ImVec2 scale{1, 1};                  // pixels per px
    ImU32 background = 0;
    std::vector<TextureDrawing> textures;
    std::vector<const SceneDrawing*> scenes;
    std::vector<ListDrawing> lists;      // in drawing order
    float pixel_width() const { return size.x * scale.x; }
    float pixel_height() const { return size.y * scale.y; }
};

// The callback of a draw command that is a SceneDrawing, which is its user data. Recognised by address, never called
// by our renderers.
void scene_marker(const ImDrawList*, const ImDrawCmd*);

}  // namespace ui
