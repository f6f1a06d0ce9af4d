#pragma once
// Keyboard for a list that isn't a table (cards, marks, entries): arrows, PageUp, PageDown, Home and End move through
// its items, Enter and Space click, Esc releases the keyboard. The panel draws the items and reports their
// rectangles. Main thread only.

#include <imgui.h>

#include <cstddef>
#include <cstdint>

namespace ui {

enum class KeyPress : std::uint8_t { None, Click, ShiftClick };

class KeyList {
public:
    // Call once per frame, before the items. id: unique in the window.
    void begin(const char* id);
    // After an item was drawn, with its rectangle: outlines it and scrolls to it where the keyboard is. A click inside
    // gives the list the arrows from that item on.
    KeyPress item(ImVec2 min, ImVec2 max);
    // The current item; past the last: none.
    std::size_t cursor() const;

private:
    ImGuiID id_ = 0;
    std::size_t cursor_ = 0;
    std::size_t count_ = 0;  // of the last frame
    std::size_t next_ = 0;  // item in this frame
    KeyPress pressed_ = KeyPress::None;
    bool moved_ = false;
};

}  // namespace ui
