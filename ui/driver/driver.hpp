#pragma once
// Operates the whole window off screen as a user would, for tests and scripts. Owns the session,
// the window and the frame loop: every call runs whole frames and returns when the window has
// reacted. Targets are found by name (target.hpp) and scrolled into view first. Errors name the
// target and the nearest matches. Main thread only; one at a time. Parsing scripts (script.hpp) and
// checking a state (match.hpp) are elsewhere.

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
    std::stop_token stop = {};  // checked between frames
    bool rasterise = false;   // rasterise every frame; else only frames whose picture is taken
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

    Input& input() { return input_; }    // of the next frames; typed text and wheel last one frame
    FrameReport frame();                 // runs one with the current input
    void frames(int count);
    void nap();  // sleeps until all jobs are done, as the window does between frames while busy
    // Runs frames until no job runs and two frames are equal. False if something keeps moving without any job.
    core::Result<bool> wait_idle(std::chrono::milliseconds limit = kLongestWait);

    core::Result<bool> hover(const Target&);
    void leave();  // moves the mouse off the window
    core::Result<bool> click(const Target&, const PointerClick& = {});
    core::Result<bool> double_click(const Target& target) { return click(target, {.button = 0, .count = 2}); }
    core::Result<bool> right_click(const Target& target) { return click(target, {.button = 1, .count = 1}); }
    core::Result<bool> drag(const Target& from, const Target& to, const PointerClick& = {}, int steps = 8);
    core::Result<bool> scroll(const Target&, float notches, std::string_view with = {}, float sideways = 0);
    core::Result<bool> key(std::string_view chord, int frames = 1);  // holds it for that many frames
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
