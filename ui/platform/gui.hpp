#pragma once
// Dear ImGui's context, input and rendering for one Platform. Input comes from the GLFW window, or,
// off screen, from an Input given by the caller. Main thread only; one at a time.
// Not its business: what is drawn (main_window) and fonts (theme).

#include "ui/platform/platform.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ui {

// What hands do off screen: level state, as of this frame.
struct Input {
    float mouse_x = -3.4e38f;            // off the window
    float mouse_y = -3.4e38f;
    std::array<bool, 3> buttons{};       // left, right, middle
    float wheel = 0;
    float wheel_x = 0;
    std::vector<int> keys;               // GLFW codes held down, modifiers among them
    std::string text;                    // typed in this frame, UTF-8
    float seconds = 1.0f / 60;           // since the last frame
};

class Gui {
public:
    explicit Gui(Platform&);
    ~Gui();
    Gui(const Gui&) = delete;
    Gui& operator=(const Gui&) = delete;

    // The input counts off screen only. hands_off: the pointer is nowhere in this frame, back where it was in the next.
    void begin_frame(const Input& input, bool hands_off = false);
    void end_frame();  // draws into the platform's target
    void set_rasterising(bool on) { rasterising_ = on; }  // off: frames are laid out and not drawn
    bool input_pending() const;  // keys that wait for a frame of their own
    bool touched() const { return touched_; }  // mouse or keys have done something since the frame before
    std::uint64_t frame_hash() const { return hash_; }  // of every vertex: equal frames have equal hashes

private:
    void inject(const Input& input);
    void take_hands_off();
    Platform& platform_;
    bool windowed_;
    bool touched_ = false;
    std::optional<std::array<float, 2>> pointer_;  // to be put back
    bool rasterising_ = true;
    std::uint64_t hash_ = 0;
};

}  // namespace ui
