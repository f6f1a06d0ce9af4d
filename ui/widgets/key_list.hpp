#pragma once
// Keys for a list that is no table (cards, marks, entries): arrows, PageUp, PageDown, Home and End walk its items,
// Enter and Space do what a click does, Esc lets go. The panel draws the items and says where each is. Main thread
// only.

#include <imgui.h>

#include <cstddef>
#include <cstdint>

namespace ui {

enum class KeyPress : std::uint8_t { None, Click, ShiftClick };

class KeyList {
public:
    // Once per frame, before the items. id: unique in the window.
    void begin(const char* id);
    // After an item was drawn, with its rectangle: outlines it and scrolls to it where the keyboard is. A click inside
    // gives the list the arrows from that item on.
    KeyPress item(ImVec2 min, ImVec2 max);
    // Where the keyboard is; past the last: nowhere.
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
