#pragma once
// Every interactive item leaves a named record, so that a scripted test can find and click it:
// "top/filter", "kernels/row:3". Names are the scope stack plus the text after "##" (else the label).
// Recording is off unless a test turns it on; then it costs one entry per item and frame.

#include <imgui.h>

#include <string>
#include <string_view>
#include <vector>

namespace ui {

struct Item {
    std::string path;
    ImVec2 min, max;             // what is visible of it
    bool visible = false;
    bool hovered = false;
};

class ItemRegistry {
public:
    bool enabled = false;
    std::string bring_into_view;  // path of an item whose panel should scroll to it
    void begin_frame();          // what was recorded becomes what can be found
    // By exact path, or by its last parts if only one item ends so; nullptr otherwise.
    const Item* find(std::string_view path) const;
    const std::vector<Item>& items() const { return done_; }
    const std::string& tooltip() const { return done_tooltip_; }  // what the one that was shown says

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

void record_item(std::string_view label);   // the last ImGui item
void record_rect(std::string_view label, ImVec2 min, ImVec2 max, bool hovered);

void record_tooltip(std::string_view text);

// For the content of a popup: Escape closes it (Dear ImGui does so with its keyboard navigation only) and does
// nothing else: MainWindow sees to that, and who looks at the key itself asks escape_is_spent().
void close_on_escape();
bool escape_is_spent();  // by a popup of this frame

// ImGui's items, recorded.
bool button(const char* label, ImVec2 size = {0, 0});
// Not recorded. Dear ImGui does not have one without any width or height, as a tiny window leaves it.
bool invisible_button(const char* id, ImVec2 size, ImGuiButtonFlags flags = 0);
bool quiet_button(const char* label);       // without a background until hovered
bool selectable(const char* label, bool selected, ImGuiSelectableFlags flags = 0, ImVec2 size = {0, 0});
bool checkbox(const char* label, bool* value);
bool input_text(const char* label, const char* hint, std::string& text, float width, ImGuiInputTextFlags flags = 0);
// A word that is on or off.
bool toggle(const char* label, bool* on);
float toggle_width(const char* label);
// Goes on beside the last item if that leaves room for something so wide, else on a line of its own.
void same_line_for(float width, float spacing);
// One of a few: a row of words, the chosen one marked. True when another was chosen.
bool choose(const char* id, std::initializer_list<const char*> words, int& chosen);

}  // namespace ui
