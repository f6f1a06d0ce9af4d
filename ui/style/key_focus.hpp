#pragma once
// Keyboard focus: none (the timeline), a row of tabs, a list or a table. Tab and Shift+Tab go through
// the places of the last frame in the order of drawing. A click gives a place the arrow keys only: its
// other keys and its outline come with the first arrow key, because a click must not take keys from
// commands. Main thread only.

#include <imgui.h>

#include <string>
#include <string_view>
#include <vector>

namespace ui {

class KeyFocus {
public:
    // Call after the frame began. Nothing has the keys while text is typed or a popup is open.
    void begin_frame();
    // Declares a place, once per frame; true while it has the keys. path: its name for describe(). takes_text: while it
    // is reached or walked by keys, letters and digits are its own, too.
    bool offer(ImGuiID, std::string_view path, bool takes_text = false);
    // Text typed for such a place, in lower case; it begins anew after a second without a key. again: a character was
    // typed in this frame.
    struct Typed {
        std::string text;
        bool again = false;
    };
    Typed typed(ImGuiID);
    void take(ImGuiID, bool walked);  // by a click, or by a key
    void release();  // from the next frame on: the key that ends the focus must not run a command, too
    bool is_visible(ImGuiID) const;  // reached or walked by keys
    // Pressed for the place that has the keys; commands do not see such a key. GLFW codes.
    bool pressed(ImGuiID, int key);
    // True if a key without Ctrl and Alt belongs to a place.
    bool claims(int key) const;
    std::string_view path() const { return visible_ ? std::string_view(path_) : std::string_view(); }

private:
    struct Place {
        ImGuiID id;
        std::string path;
        bool takes_text = false;
    };
    void clear();
    bool has_text() const;
    ImGuiID focus_ = 0;
    bool visible_ = false;
    bool active_ = false;  // keys count in this frame
    bool ends_ = false;
    std::string path_;
    std::string typed_;
    double typed_at_ = 0;
    std::vector<Place> open_, places_;
};
KeyFocus& key_focus();

void draw_key_focus(ImVec2 min, ImVec2 max);  // outline

}  // namespace ui
