#include "ui/widgets/key_list.hpp"

#include "ui/style/items.hpp"
#include "ui/style/key_focus.hpp"
#include "ui/style/theme.hpp"

#include <GLFW/glfw3.h>

#include <algorithm>
#include <utility>

namespace ui {

void KeyList::begin(const char* id) {
    constexpr std::size_t kPage = 4;
    count_ = std::exchange(next_, 0);
    id_ = ImGui::GetID(id);
    pressed_ = KeyPress::None;
    moved_ = false;
    KeyFocus& keys = key_focus();
    if (count_ == 0 || !keys.offer(id_, items().path_of(id))) return;
    cursor_ = std::min(cursor_, count_ - 1);
    const std::size_t before = cursor_;
    const bool was_visible = keys.is_visible(id_);
    if (keys.pressed(id_, GLFW_KEY_DOWN)) cursor_ = std::min(cursor_ + (was_visible ? 1 : 0), count_ - 1);
    if (keys.pressed(id_, GLFW_KEY_UP)) cursor_ -= std::min<std::size_t>(cursor_, was_visible ? 1 : 0);
    if (keys.pressed(id_, GLFW_KEY_PAGE_DOWN)) cursor_ = std::min(cursor_ + kPage, count_ - 1);
    if (keys.pressed(id_, GLFW_KEY_PAGE_UP)) cursor_ -= std::min(cursor_, kPage);
    if (keys.pressed(id_, GLFW_KEY_HOME)) cursor_ = 0;
    if (keys.pressed(id_, GLFW_KEY_END)) cursor_ = count_ - 1;
    if (keys.pressed(id_, GLFW_KEY_ENTER)) pressed_ = ImGui::GetIO().KeyShift ? KeyPress::ShiftClick : KeyPress::Click;
    if (keys.pressed(id_, GLFW_KEY_SPACE)) pressed_ = KeyPress::Click;
    if (keys.pressed(id_, GLFW_KEY_ESCAPE)) keys.release();
    moved_ = cursor_ != before || was_visible != keys.is_visible(id_);
}

KeyPress KeyList::item(ImVec2 min, ImVec2 max) {
    const std::size_t number = next_++;
    if (ImGui::IsMouseClicked(0) && ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(min, max)) {
        key_focus().take(id_, false);
        cursor_ = number;
    }
    if (number != cursor_ || !key_focus().is_visible(id_)) return KeyPress::None;
    draw_key_focus({min.x + 1, min.y}, {max.x - 1, max.y});
    const float top = ImGui::GetWindowPos().y;
    const bool is_cut = min.y < top || max.y > top + ImGui::GetWindowHeight();
    if (moved_ && is_cut) ImGui::SetScrollFromPosY(min.y - top, 0.1f);
    return pressed_;
}

std::size_t KeyList::cursor() const { return key_focus().is_visible(id_) ? cursor_ : next_; }

}  // namespace ui
