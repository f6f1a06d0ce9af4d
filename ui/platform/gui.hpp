#pragma once
// Dear ImGui's context, input and rendering for one Platform. Input comes from the GLFW window or,
// off screen, from an Input given by the caller. Main thread only; one at a time. main_window
// decides what is drawn; theme loads fonts.

#include "ui/platform/caret_blink.hpp"
#include "ui/platform/frame_recorder.hpp"
#include "ui/platform/input.hpp"
#include "ui/platform/platform.hpp"
#include "ui/platform/renderer.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

namespace ui {

class Gui {
public:
    explicit Gui(Platform&, std::unique_ptr<Renderer> = nullptr);  // null: draws with OpenGL
    ~Gui();
    Gui(const Gui&) = delete;
    Gui& operator=(const Gui&) = delete;

    // Input is used off screen only. without_pointer: hides the pointer for this frame.
    void begin_frame(const Input& input, bool without_pointer = false);
    void end_frame();  // draws into the platform's target
    void set_rasterising(bool on) { rasterising_ = on; }  // off: frames are laid out, but only pictures are drawn
    Image picture();  // of the last frame; in a window before it is presented
    const FrameDrawing& frame_drawing() const { return recorder_->frame(); }  // the last frame; until the next begins
    void walk_by_keys(bool on);  // arrows move through the entries of popups, Enter activates one
    bool input_pending() const;  // keys are queued for later frames
    bool touched() const { return touched_; }  // mouse or key input since the last frame
    bool is_caret_blinking() const;  // a text field has the keys, and was used a moment ago
    std::uint64_t frame_hash() const { return hash_; }  // equal frames have equal hashes

private:
    void inject(const Input& input);
    void hide_pointer();
    Platform& platform_;
    bool windowed_;
    bool touched_ = false;
    CaretBlink caret_{};
    std::optional<std::array<float, 2>> pointer_;  // pointer to restore
    bool rasterising_ = true;
    std::optional<FrameRecorder> recorder_;
    std::unique_ptr<Renderer> renderer_;
    std::uint64_t hash_ = 0;
};

}  // namespace ui
