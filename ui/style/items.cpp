#include "ui/style/items.hpp"

#include "core/base/ascii.hpp"
#include "ui/style/compat.hpp"
#include "ui/style/menu_items.hpp"
#include "ui/style/theme.hpp"

#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include <algorithm>

namespace ui {
namespace {

constexpr std::size_t kMostTyped = 64;

int escape_spent_in = -1;  // frame number
int closable_in = -1;      // frame number

// Text typed in a popup.
struct Typed {
    std::string text;
    bool changed = false;   // in this frame
    bool matched = false;   // an entry of this frame has it
};
Typed& typed() {
    static Typed state;
    return state;
}

std::string_view name_in(std::string_view label) {
    const std::size_t hashes = label.find("##");
    return hashes == std::string_view::npos ? label : label.substr(label.find_first_not_of('#', hashes));
}

// Scrolls the current ImGui window so that the rectangle is centred as far as its content allows.
void scroll_to(ImVec2 min, ImVec2 max) {
    const ImVec2 at = ImGui::GetWindowPos();
    ImGui::SetScrollFromPosX((min.x + max.x) / 2 - at.x, 0.5f);
    ImGui::SetScrollFromPosY((min.y + max.y) / 2 - at.y, 0.5f);
}

}  // namespace

ItemRegistry& items() {
    static ItemRegistry registry;
    return registry;
}

void ItemRegistry::begin_frame() {
    done_.swap(open_);
    open_.clear();
    done_tooltip_.swap(tooltip_);
    tooltip_.clear();
}

const Item* ItemRegistry::find(std::string_view path) const {
    const Item* found = nullptr;
    for (const Item& item : done_) {
        if (item.path == path) return &item;
        if (!item.path.ends_with(path) || item.path[item.path.size() - path.size() - 1] != '/') continue;
        if (found) return nullptr;
        found = &item;
    }
    return found;
}

ItemScope::ItemScope(std::string_view name) : kept_(items().scope_.size()) {
    if (items().enabled) items().scope_.append(name).append("/");
}
ItemScope::~ItemScope() { items().scope_.resize(std::min(kept_, items().scope_.size())); }

void record_rect(std::string_view label, ImVec2 min, ImVec2 max, bool hovered) {
    ItemRegistry& registry = items();
    if (!registry.enabled) return;
    const ImDrawList* list = ImGui::GetWindowDrawList();
    const ImVec2 a = list->GetClipRectMin();
    const ImVec2 b = list->GetClipRectMax();
    const ImVec2 low{std::max(min.x, a.x), std::max(min.y, a.y)};
    const ImVec2 high{std::min(max.x, b.x), std::min(max.y, b.y)};
    std::string path = registry.scope_ + std::string(name_in(label));
    if (path == registry.bring_into_view) scroll_to(min, max);
    registry.open_.push_back({.path = std::move(path),
                              .min = low,
                              .max = high,
                              .visible = high.x > low.x && high.y > low.y,
                              .hovered = hovered});
}

void record_item(std::string_view label) {
    if (items().enabled) record_rect(label, ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), ImGui::IsItemHovered());
}

void record_tooltip(std::string_view text) {
    if (items().enabled) items().tooltip_ = text;
}

void close_popups() {
    if (ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup)) ImGui::ClosePopupToLevel(0, true);
}

bool popups_can_close() { return closable_in == ImGui::GetFrameCount(); }

void collect_typed(bool had_popup) {
    Typed& now = typed();
    if (had_popup && compat::is_key_pressed(GLFW_KEY_ESCAPE)) escape_spent_in = ImGui::GetFrameCount();
    const ImGuiIO& io = ImGui::GetIO();
    now.changed = false;
    now.matched = false;
    constexpr int kArrows[] = {GLFW_KEY_UP, GLFW_KEY_DOWN, GLFW_KEY_LEFT, GLFW_KEY_RIGHT};
    const bool walks = std::ranges::any_of(kArrows, [](int key) { return compat::is_key_pressed(key, true); });
    if (!ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup) || io.WantTextInput || io.KeyCtrl || io.KeyAlt || walks) {
        now.text.clear();
        return;
    }
    for (const ImWchar c : io.InputQueueCharacters) {
        if (c < 0x20 || c > 0x7E) continue;
        now.text += static_cast<char>(c);
        now.changed = true;
    }
    if (now.text.size() > kMostTyped) now.text.clear();
    if (now.text == " ") now.text.clear();  // takes the entry that arrows went to
}

bool has_typed() { return !typed().text.empty(); }

bool takes_typed(std::string_view label) {
    Typed& now = typed();
    if (now.text.empty() || now.matched || !ImGui::IsWindowFocused()) return false;
    const std::string_view start = label.substr(0, now.text.size());
    if (!std::ranges::equal(start, now.text, {}, core::lower_ascii, core::lower_ascii)) return false;
    now.matched = true;
    ImGui::GetWindowDrawList()->AddRect(ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), color::palette().accent,
                                        px(3));
    if (now.changed) ImGui::SetScrollHereY();
    if (!compat::is_key_pressed(GLFW_KEY_ENTER)) return false;
    now.text.clear();
    ImGui::CloseCurrentPopup();
    return true;
}

bool begin_combo(const char* label, const std::string& shown, ImGuiComboFlags flags) {
    const bool open = ImGui::BeginCombo(item_label(label), shown.c_str(), flags);
    record_item(label);
    if (open) close_on_escape();
    return open;
}

void close_on_escape() {
    closable_in = ImGui::GetFrameCount();
    if (!compat::is_key_pressed(GLFW_KEY_ESCAPE)) return;
    ImGui::CloseCurrentPopup();
    escape_spent_in = ImGui::GetFrameCount();
}

bool escape_is_spent() { return escape_spent_in == ImGui::GetFrameCount(); }

bool button(const char* label, ImVec2 size) {
    const bool pressed = ImGui::Button(item_label(label), size);
    record_item(label);
    return pressed;
}

bool invisible_button(const char* id, ImVec2 size, ImGuiButtonFlags flags) {
    return ImGui::InvisibleButton(item_label(id), {std::max(size.x, 1.0f), std::max(size.y, 1.0f)}, flags);
}

bool quiet_button(const char* label) {
    ImGui::PushStyleColor(ImGuiCol_Button, 0);
    const bool pressed = button(label);
    ImGui::PopStyleColor();
    return pressed;
}

bool selectable(const char* label, bool selected, ImGuiSelectableFlags flags, ImVec2 size) {
    const bool pressed = ImGui::Selectable(item_label(label), selected, flags, size);
    record_item(label);
    return takes_typed(label) || pressed;
}

bool checkbox(const char* label, bool* value) {
    ImGui::PushStyleColor(ImGuiCol_FrameBg, color::palette().line);
    const bool changed = ImGui::Checkbox(item_label(label), value);
    ImGui::PopStyleColor();
    record_item(label);
    return changed;
}

bool input_text(const char* label, const char* hint, std::string& text, float width, ImGuiInputTextFlags flags) {
    ImGui::SetNextItemWidth(width);
    const bool changed = ImGui::InputTextWithHint(item_label(label), hint, &text, flags);
    record_item(label);
    return changed;
}

namespace {

// Text button, marked while on.
bool word_button(const char* label, bool on) {
    ImGui::PushStyleColor(ImGuiCol_Button, on ? ImGui::GetColorU32(ImGuiCol_ButtonHovered) : 0);
    ImGui::PushStyleColor(ImGuiCol_Text, on ? color::palette().text : color::palette().muted);
    const bool pressed = button(label);
    ImGui::PopStyleColor(2);
    return pressed;
}

}  // namespace

bool toggle(const char* label, bool* on) {
    if (!word_button(label, *on)) return false;
    *on = !*on;
    return true;
}

float toggle_width(const char* label) {
    return ImGui::CalcTextSize(label, nullptr, true).x + 2 * ImGui::GetStyle().FramePadding.x;
}

void same_line_for(float width, float spacing) {
    ImGui::SameLine(0, spacing);
    if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
}

bool choose(const char* id, std::initializer_list<const char*> words, int& chosen) {
    bool changed = false;
    int index = 0;
    ImGui::PushID(id);
    for (const char* word : words) {
        if (index > 0) ImGui::SameLine(0, px(2));
        if (word_button(word, index == chosen) && index != chosen) {
            chosen = index;
            changed = true;
        }
        ++index;
    }
    ImGui::PopID();
    return changed;
}

}  // namespace ui
