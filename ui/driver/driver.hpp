#pragma once
// Works the whole window off screen as a user would, for tests and scripts. Owns the session, the window and
// the frame loop: every call runs whole frames and returns when the window has reacted. Targets are found by
// name (target.hpp); what is scrolled out of a panel or of the timeline is brought into view first.
// Errors name the target and what comes near it. Main thread only; one at a time.
// Not its business: scripts as text (script.hpp), what a state should be (match.hpp).

#include "ui/driver/target.hpp"
#include "ui/driver/wake_signal.hpp"
#include "ui/shell/main_window.hpp"

#include <chrono>
#include <filesystem>
#include <memory>
#include <stop_token>

namespace ui {

struct DriverOptions {
    int width = 1280;
    int height = 720;
    float scale = 1;
    unsigned threads = 0;     // of the session; 0: all cores
    std::stop_token stop = {};  // looked at between frames
    bool rasterise = false;   // every frame; else only those that a picture is taken of
};

struct PointerClick {
    int button = 0;           // left, right, middle
    int count = 1;
    std::string_view with = {};  // modifiers: "ctrl", "ctrl+shift"
};

class Driver {
public:
    static constexpr std::chrono::seconds kLongestWait{600};

    static core::Result<std::unique_ptr<Driver>> open(const DriverOptions&);
    ~Driver();
    Driver(const Driver&) = delete;
    Driver& operator=(const Driver&) = delete;

    MainWindow& window() { return *window_; }
    core::Session& session() { return *session_; }
    const Platform& platform() const { return *platform_; }

    Input& input() { return input_; }    // for the next frames; what is typed and the wheel last one frame
    FrameReport frame();                 // one, with the input as it is
    void frames(int count);
    void nap();  // as the window does between frames while it is busy: until all jobs are done
    // Until no job runs and two frames are equal. False when something goes on moving without any work.
    core::Result<bool> wait_idle(std::chrono::milliseconds limit = kLongestWait);

    core::Result<bool> hover(const Target&);
    void leave();  // the mouse goes off the window
    core::Result<bool> click(const Target&, const PointerClick& = {});
    core::Result<bool> double_click(const Target& target) { return click(target, {.button = 0, .count = 2}); }
    core::Result<bool> right_click(const Target& target) { return click(target, {.button = 1, .count = 1}); }
    core::Result<bool> drag(const Target& from, const Target& to, const PointerClick& = {}, int steps = 8);
    core::Result<bool> scroll(const Target&, float notches, std::string_view with = {}, float sideways = 0);
    core::Result<bool> key(std::string_view chord, int frames = 1);  // held for so many frames
    void type(std::string_view text);
    core::Result<bool> resize(int width, int height);
    Image picture();  // of the last frame
    core::Result<bool> shot(const std::filesystem::path&);
    nlohmann::json state(bool with_items = false);

private:
    explicit Driver(const DriverOptions&);
    core::Result<ImVec2> locate(const Target&);
    core::Result<ImVec2> locate_item(const Target&);
    core::Result<ImVec2> locate_event(const Target&);
    core::Result<core::EventRef> find_event(const NamedEvent&) const;
    void bring_into_view(core::EventRef);
    core::Result<bool> move_to(const Target&);
    core::Result<bool> hold(std::string_view modifiers);
    void release_keys();

    std::stop_token stop_;
    WakeSignal wake_signal_;  // outlives the session, whose workers ring it
    std::unique_ptr<Platform> platform_;
    std::unique_ptr<core::Session> session_;
    std::unique_ptr<MainWindow> window_;
    Input input_;
};

}  // namespace ui
