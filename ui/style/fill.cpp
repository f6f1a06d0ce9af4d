#include "ui/style/fill.hpp"

#include <glad/gl.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace ui {
namespace {

// The rectangle is the command's clip rectangle and the colour its user data, so no data has to outlive the frame.
void clear_clip_rect(const ImDrawList*, const ImDrawCmd* command) {
    if (!set_scissor(*command)) return;
    const auto color = static_cast<ImU32>(reinterpret_cast<std::uintptr_t>(command->UserCallbackData));
    const ImVec4 rgba = ImGui::ColorConvertU32ToFloat4(color);
    glClearColor(rgba.x, rgba.y, rgba.z, 1);
    glClear(GL_COLOR_BUFFER_BIT);
}

}  // namespace

bool set_scissor(const ImDrawCmd& command) {
    const ImDrawData& data = *ImGui::GetDrawData();
    const ImVec2 scale = data.FramebufferScale;
    const float width = data.DisplaySize.x * scale.x;
    const float height = data.DisplaySize.y * scale.y;
    const int x0 = static_cast<int>(std::max(0.0f, (command.ClipRect.x - data.DisplayPos.x) * scale.x));
    const int y0 = static_cast<int>(std::max(0.0f, (command.ClipRect.y - data.DisplayPos.y) * scale.y));
    const int x1 = static_cast<int>(std::min(width, (command.ClipRect.z - data.DisplayPos.x) * scale.x));
    const int y1 = static_cast<int>(std::min(height, (command.ClipRect.w - data.DisplayPos.y) * scale.y));
    if (x1 <= x0 || y1 <= y0) return false;
    glEnable(GL_SCISSOR_TEST);
    glScissor(x0, static_cast<int>(height) - y1, x1 - x0, y1 - y0);
    return true;
}

void fill(ImDrawList* list, ImVec2 min, ImVec2 max, ImU32 color) {
    const ImVec2 a{std::floor(min.x + 0.5f), std::floor(min.y + 0.5f)};
    const ImVec2 b{std::floor(max.x + 0.5f), std::floor(max.y + 0.5f)};
    if (b.x <= a.x || b.y <= a.y) return;
    if ((color >> IM_COL32_A_SHIFT) != 255) {
        list->AddRectFilled(a, b, color);
        return;
    }
    list->PushClipRect(a, b, true);
    list->AddCallback(clear_clip_rect, reinterpret_cast<void*>(static_cast<std::uintptr_t>(color)));
    list->PopClipRect();
}

}  // namespace ui
