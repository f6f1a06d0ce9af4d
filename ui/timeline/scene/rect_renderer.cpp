#include "ui/timeline/scene/rect_renderer.hpp"

#include "ui/style/theme.hpp"

#include <cstddef>

namespace ui {
namespace {

constexpr float kDimmedShare = 0.72f;  // share of the background

std::uint64_t next_id() {
    static std::uint64_t last = 0;
    return ++last;
}

}  // namespace

void add_strip_quads(std::span<const std::uint32_t> strip, std::int32_t row, std::int16_t top, std::int16_t bottom,
                     std::vector<StripQuad>& out) {
    constexpr std::size_t kGap = 16;
    std::size_t x = 0;
    while (x < strip.size()) {
        if (strip[x] == 0) {
            ++x;
            continue;
        }
        std::size_t end = x + 1;  // past the last busy column so far
        for (std::size_t i = end; i < strip.size() && i < end + kGap; ++i) {
            if (strip[i] != 0) end = i + 1;
        }
        out.push_back({.left = static_cast<std::int16_t>(x),
                       .right = static_cast<std::int16_t>(end),
                       .top = top,
                       .bottom = bottom,
                       .row = row});
        x = end;
    }
}

RectRenderer::RectRenderer() { drawing_.id = next_id(); }

void RectRenderer::set_strips(int width, std::span<const std::uint32_t> pixels, const StripQuads& quads) {
    ++drawing_.strips_version;
    drawing_.strip_width = width;
    drawing_.quads.clear();
    for (std::size_t kind = 0; kind < kStripKinds; ++kind) {
        drawing_.quad_counts[kind] = quads[kind].size();
        drawing_.quads.insert(drawing_.quads.end(), quads[kind].begin(), quads[kind].end());
    }
    drawing_.strips.assign(pixels.begin(), pixels.end());
}

void RectRenderer::set_rects(std::span<const RectInstance> rects) {
    if (rects.empty() && drawing_.rects.empty()) return;
    ++drawing_.rects_version;
    drawing_.rects.assign(rects.begin(), rects.end());
}

bool RectRenderer::is_empty() const {
    return (drawing_.quads.empty() || drawing_.strip_width <= 0) && drawing_.rects.empty();
}

void RectRenderer::queue(ImDrawList* list, ImVec2 origin) {
    if (is_empty()) return;
    const ImU32 background = color::palette().background;
    const auto shown = [&](core::KernelClass one) {
        const ImU32 color = color::of_class(one);
        return (dimmed_ & core::set_of(one)) == 0 ? color : color::mix(color, background, kDimmedShare);
    };
    drawing_.origin = origin;
    drawing_.colors = {shown(core::KernelClass::Compute), shown(core::KernelClass::Communication),
                       shown(core::KernelClass::Memory), background};
    drawing_.waiting = color::palette().waiting;
    list->AddCallback(&scene_marker, &drawing_);
}

}  // namespace ui
