#include "ui/style/hatch.hpp"

#include "ui/style/text.hpp"
#include "ui/style/theme.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr ImU32 kInk = color::rgb(0x0E1116, 150);
constexpr float kPitch = 5;  // at scale 1

}  // namespace

void draw_hatch(ImDrawList* list, ImVec2 min, ImVec2 max) {
    const ImVec2 low_clip = list->GetClipRectMin();  // a bar may reach arbitrarily far off screen
    const ImVec2 high_clip = list->GetClipRectMax();
    min = {std::max(min.x, low_clip.x), std::max(min.y, low_clip.y)};
    max = {std::min(max.x, high_clip.x), std::min(max.y, high_clip.y)};
    if (!(max.x - min.x >= 2 && max.y - min.y >= 2)) return;
    const float pitch = px(kPitch);
    // x + y is constant along a line.
    for (float sum = std::ceil((min.x + min.y) / pitch) * pitch; sum < max.x + max.y; sum += pitch) {
        const ImVec2 low{std::max(min.x, sum - max.y), std::min(max.y, sum - min.x)};
        const ImVec2 high{std::min(max.x, sum - min.y), std::max(min.y, sum - max.x)};
        if (high.x > low.x) draw_line(list, low, high, kInk, px(1));
    }
}

}  // namespace ui
