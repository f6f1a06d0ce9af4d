#pragma once
// Records every interactive item by name; scripted tests find and click items by it:
// "top/filter", "kernels/row:3". Names are the scope stack plus the text after "##" (else the
// label). Off unless a test enables it; then one entry per item and frame.

#include <imgui.h>

#include <string>
#include <string_view>
#include <vector>

namespace ui {

struct Item {
    std::string path;
    ImVec2 min, max;             // visible part
    bool visible = false;
    bool hovered = false;
};

class ItemRegistry {
public:
    bool enabled = false;
    std::string bring_into_view;  // path of an item to scroll to
    void begin_frame();          // publishes the recorded items for find()
    // Finds an item by its exact path, or by its last parts if they are unique; else nullptr.
    const Item* find(std::string_view path) const;
    const std::vector<Item>& items() const { return done_; }
    std::string path_of(std::string_view label) const { return scope_ + std::string(label); }
    const std::string& tooltip() const { return done_tooltip_; }  // text of the tooltip that was shown

private:
    friend class ItemScope;
    friend void record_rect(std::string_view, ImVec2, ImVec2, bool);
    friend void record_tooltip(std::string_view);
    std::vector<Item> open_;
    std::vector<Item> done_;
    std::string scope_;
    std::string tooltip_, done_tooltip_;
};
ItemRegistry& items();

class ItemScope {
public:
    explicit ItemScope(std::string_view name);
    ~ItemScope();
    ItemScope(const ItemScope&) = delete;
    ItemScope& operator=(const ItemScope&) = delete;

private:
    std::size_t kept_;
};

void record_item(std::string_view label);   // for the last ImGui item
void record_rect(std::string_view label, ImVec2 min, ImVec2 max, bool hovered);

void record_tooltip(std::string_view text);

// For popups: Escape closes the popup (Dear ImGui does this only with keyboard navigation) and has no other effect.
// MainWindow enforces that; code that reads the key itself checks escape_is_spent().
void close_on_escape();
bool escape_is_spent();  // a popup used Escape in this frame
// Closes every open popup: a command's key was pressed.
void close_popups();
bool popups_can_close();  // one is open in this frame that does
// Typing in an open popup without text field goes to the entry that begins with it, and Enter takes that entry. Call
// once a frame after the frame began; the items below ask takes_typed themselves. had_popup: one was open before the
// frame began.
void collect_typed(bool had_popup);
bool has_typed();  // the keyboard is with an entry that was typed for
bool takes_typed(std::string_view label);  // for the last ImGui item, an entry of a popup; true: Enter takes it
// ImGui::BeginCombo, recorded; closes on Escape.
bool begin_combo(const char* label, const std::string& shown, ImGuiComboFlags flags = 0);

// ImGui's items, with recording.
bool button(const char* label, ImVec2 size = {0, 0});
// Not recorded. Accepts zero sizes, which tiny windows produce and Dear ImGui refuses.
bool invisible_button(const char* id, ImVec2 size, ImGuiButtonFlags flags = 0);
bool quiet_button(const char* label);  // background only when hovered
bool selectable(const char* label, bool selected, ImGuiSelectableFlags flags = 0, ImVec2 size = {0, 0});
bool checkbox(const char* label, bool* value);
bool input_text(const char* label, const char* hint, std::string& text, float width, ImGuiInputTextFlags flags = 0);
// Draws text that is on or off.
bool toggle(const char* label, bool* on);
float toggle_width(const char* label);
// Continues the current line if `width` fits, else starts a new one.
void same_line_for(float width, float spacing);
// Draws a choice of a few words in a row, the chosen one marked. True if the choice changed.
bool choose(const char* id, std::initializer_list<const char*> words, int& chosen);

}  // namespace ui
