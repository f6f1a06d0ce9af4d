#include "ui/style/key_focus.hpp"

#include "core/base/ascii.hpp"
#include "ui/style/compat.hpp"
#include "ui/style/theme.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace ui {
namespace {

constexpr std::array kArrows{GLFW_KEY_UP, GLFW_KEY_DOWN, GLFW_KEY_PAGE_UP, GLFW_KEY_PAGE_DOWN};
constexpr std::array kOthers{GLFW_KEY_HOME, GLFW_KEY_END, GLFW_KEY_ENTER, GLFW_KEY_SPACE, GLFW_KEY_ESCAPE};

}  // namespace

void KeyFocus::begin_frame() {
    const ImGuiIO& io = ImGui::GetIO();
    places_ = std::exchange(open_, {});
    if (std::exchange(ends_, false) || ImGui::IsMouseClicked(0)) clear();
    const auto at = std::ranges::find(places_, focus_, &Place::id);
    if (at == places_.end())
        clear();
    else
        path_ = at->path;
    active_ = !io.WantTextInput && !ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup);
    if (!active_ || io.KeyCtrl || io.KeyAlt || !compat::is_key_pressed(GLFW_KEY_TAB, true)) return;
    const std::ptrdiff_t count = std::ssize(places_);
    const std::ptrdiff_t from = focus_ == 0 ? (io.KeyShift ? count : -1) : at - places_.begin();
    const std::ptrdiff_t to = from + (io.KeyShift ? -1 : 1);
    if (to < 0 || to >= count) return clear();
    take(places_[static_cast<std::size_t>(to)].id, true);
    path_ = places_[static_cast<std::size_t>(to)].path;
}

bool KeyFocus::offer(ImGuiID id, std::string_view path, bool takes_text) {
    open_.push_back({id, std::string(path), takes_text});
    return active_ && focus_ == id;
}

void KeyFocus::take(ImGuiID id, bool walked) {
    visible_ = walked || (visible_ && focus_ == id);
    focus_ = id;
}

void KeyFocus::release() { ends_ = true; }

bool KeyFocus::has_text() const {
    const auto place = std::ranges::find(places_, focus_, &Place::id);
    return visible_ && place != places_.end() && place->takes_text;
}

KeyFocus::Typed KeyFocus::typed(ImGuiID id) {
    constexpr double kPause = 1;  // seconds
    const ImGuiIO& io = ImGui::GetIO();
    if (!active_ || focus_ != id || !has_text() || io.KeyCtrl || io.KeyAlt) return {};
    const double now = ImGui::GetTime();
    Typed typed;
    for (const ImWchar c : io.InputQueueCharacters) {
        const bool is_first = typed_.empty() || now - typed_at_ > kPause;
        if (c < 0x20 || c > 0x7E || (c == ' ' && is_first)) continue;  // Space clicks
        if (is_first) typed_.clear();
        typed_ += core::lower_ascii(static_cast<char>(c));
        typed_at_ = now;
        typed.again = true;
    }
    if (now - typed_at_ > kPause) typed_.clear();
    typed.text = typed_;
    return typed;
}

void KeyFocus::clear() {
    focus_ = 0;
    typed_.clear();
    visible_ = false;
    path_.clear();
}

bool KeyFocus::is_visible(ImGuiID id) const { return visible_ && focus_ == id; }

bool KeyFocus::pressed(ImGuiID id, int key) {
    const ImGuiIO& io = ImGui::GetIO();
    if (!active_ || focus_ != id || io.KeyAlt || !compat::is_key_pressed(key, true)) return false;
    const bool is_arrow = std::ranges::find(kArrows, key) != kArrows.end();
    if (!visible_ && !is_arrow) return false;
    if (is_arrow) take(id, true);
    return true;
}

bool KeyFocus::claims(int key) const {
    if (!active_ || focus_ == 0) return false;
    if (std::ranges::find(kArrows, key) != kArrows.end()) return true;
    const bool is_text = (key >= GLFW_KEY_A && key <= GLFW_KEY_Z) || (key >= GLFW_KEY_0 && key <= GLFW_KEY_9) ||
                         key == GLFW_KEY_MINUS || key == GLFW_KEY_SLASH || key == GLFW_KEY_PERIOD ||
                         key == GLFW_KEY_COMMA || key == GLFW_KEY_LEFT_BRACKET || key == GLFW_KEY_RIGHT_BRACKET;
    if (is_text && has_text()) return true;
    const bool of_tabs = key == GLFW_KEY_LEFT || key == GLFW_KEY_RIGHT;
    return visible_ && (std::ranges::find(kOthers, key) != kOthers.end() || (of_tabs && path_.ends_with("tabs")));
}

KeyFocus& key_focus() {
    static KeyFocus focus;
    return focus;
}

void draw_key_focus(ImVec2 min, ImVec2 max) {
    ImGui::GetWindowDrawList()->AddRect(min, max, color::palette().accent, px(3), 0, std::max(1.0f, px(1.5f)));
}

}  // namespace ui
