#include "ui/style/fill.hpp"

#include <cmath>
#include <cstdint>

namespace ui {

void fill_marker(const ImDrawList*, const ImDrawCmd*) {}

ImU32 fill_color(const ImDrawCmd& command) {
    return static_cast<ImU32>(reinterpret_cast<std::uintptr_t>(command.UserCallbackData));
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
    list->AddCallback(&fill_marker, reinterpret_cast<void*>(static_cast<std::uintptr_t>(color)));
    list->PopClipRect();
}

}  // namespace ui
