#include "ui/driver/driver.hpp"

#include "ui/driver/describe_state.hpp"
#include "ui/platform/keys.hpp"
#include "ui/shell/saving.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr int kEqualFrames = 2;
constexpr int kMostMovingFrames = 600;   // frames without any job before "moves for ever"
constexpr int kTries = 4;                // an item may need a frame to appear, or two to scroll into view
constexpr float kRestSeconds = 0.6f;     // longer than the pause within a double click
constexpr float kEasilyHit = 3;          // pixels of an event's width
constexpr auto kLongestNap = std::chrono::milliseconds(66);

core::Error failure(std::string message) { return {core::ErrorCode::NotFound, std::move(message)}; }

ImVec2 point_in(ImVec2 min, ImVec2 max, ImVec2 share) {
    const auto between = [](float low, float high, float at) {
        return std::clamp(std::floor(low + (high - low) * at), std::ceil(low), std::max(std::ceil(low), high - 1));
    };
    return {between(min.x, max.x, share.x), between(min.y, max.y, share.y)};
}

}  // namespace

Driver::Driver(const DriverOptions& options)
    : stop_(options.stop),
      session_(std::make_unique<core::Session>(options.threads, [this] { wake_signal_.raise(); })) {
    items().enabled = true;
}

core::Result<std::unique_ptr<Driver>> Driver::open(const DriverOptions& options) {
    core::Result<std::unique_ptr<Platform>> platform = Platform::open_offscreen(options.width, options.height);
    if (!platform) return std::move(platform).error();
    std::unique_ptr<Driver> driver(new Driver(options));
    driver->platform_ = std::move(platform).value();
    driver->window_ = std::make_unique<MainWindow>(*driver->platform_, *driver->session_, options.scale);
    driver->window_->set_rasterising(options.rasterise);
    return driver;
}

// The window refers to the session, whose workers raise wake_signal_: destroy in this order.
Driver::~Driver() {
    window_.reset();
    session_.reset();
    items() = {};
}

FrameReport Driver::frame() {
    FrameReport report = window_->frame(input_);
    platform_->present();
    input_.text.clear();
    input_.wheel = 0;
    input_.wheel_x = 0;
    input_.seconds = Input{}.seconds;
    return report;
}

void Driver::frames(int count) {
    for (int i = 0; i < count; ++i) frame();
}

void Driver::nap() { wake_signal_.wait(kLongestNap); }

core::Result<bool> Driver::wait_idle(std::chrono::milliseconds limit) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    int moving = 0;
    std::string busy_with;  // busy part in the last frame
    for (int equal = 0; equal < kEqualFrames;) {
        if (stop_.stop_requested()) return core::Error{core::ErrorCode::Cancelled, "stopped"};
        if (std::chrono::steady_clock::now() > deadline)
            return core::Error{core::ErrorCode::Internal,
                               "not idle after " + std::to_string(limit.count()) + " ms, busy with:" + busy_with};
        const FrameReport report = frame();
        busy_with.clear();
        for (const std::string& who : report.busy_with) busy_with += " " + who;
        equal = report.is_idle() ? equal + 1 : 0;
        moving = report.busy() ? 0 : moving + 1;
        if (moving > kMostMovingFrames) return false;
        if (report.busy()) nap();
    }
    return true;
}

core::Result<ImVec2> Driver::locate_item(const Target& target) {
    core::Result<Item> item = find_item(items().items(), target.item);
    if (!item) {  // it may appear with an answer
        if (core::Result<bool> idle = wait_idle(); !idle) return std::move(idle).error();
        item = find_item(items().items(), target.item);
    }
    // Scrolling takes effect in the next frame, and nested child windows scroll one after another.
    for (int tries = 0; tries < kTries && !(item && item->visible); ++tries) {
        if (item) items().bring_into_view = item->path;
        frames(2);
        item = find_item(items().items(), target.item);
    }
    items().bring_into_view.clear();
    if (!item) return std::move(item).error();
    if (!item->visible) return failure(format_target(target) + " cannot be brought into view");
    return point_in(item->min, item->max, target.at);
}

core::Result<core::EventRef> Driver::find_event(const NamedEvent& named) const {
    const core::RunPtr& run = session_->run();
    if (!run) return failure("no " + format_target(Target(named)) + ": no run is open");
    return find_named_event(*run, named, window_->view().time.range());
}

// Scrolls only. Selection and panels stay as they are, because the script tests what its click does to them.
void Driver::bring_into_view(core::EventRef event) {
    window_->post(ShowEvent{event});
    frames(3);
}

core::Result<ImVec2> Driver::locate_event(const Target& target) {
    const core::Result<core::EventRef> event = find_event(*target.event);
    if (!event) return event.error();
    std::optional<Box> place = window_->timeline().place_of(*event);
    if (!target.event->only_visible && (!place || place->width() < kEasilyHit)) {
        bring_into_view(*event);
        place = window_->timeline().place_of(*event);
    }
    if (!place) return failure(format_target(target) + " is not in view");
    return point_in(place->min, place->max, target.at);
}

core::Result<ImVec2> Driver::locate(const Target& target) {
    return target.event ? locate_event(target) : locate_item(target);
}

core::Result<bool> Driver::move_to(const Target& target) {
    const core::Result<ImVec2> at = locate(target);
    if (!at) return at.error();
    input_.mouse_x = at->x;
    input_.mouse_y = at->y;
    frames(2);  // the item under the mouse is known one frame late
    if (!target.event) return true;
    // The name may now match another event, as hovering can bring an answer; checks what is really under the mouse.
    const core::Result<core::EventRef> meant = find_event(*target.event);
    if (!meant) return meant.error();
    if (window_->ephemeral().hovered == *meant) return true;
    return failure(format_target(target) + ": something else is there");
}

core::Result<bool> Driver::hover(const Target& target) { return move_to(target); }

void Driver::leave() {
    input_.mouse_x = Input{}.mouse_x;
    input_.mouse_y = Input{}.mouse_y;
    frames(2);
}

core::Result<bool> Driver::hold(std::string_view modifiers) {
    if (modifiers.empty()) return true;
    core::Result<std::vector<int>> keys = parse_chord(modifiers);
    if (!keys) return std::move(keys).error();
    input_.keys = std::move(keys).value();
    frame();
    return true;
}

// Lets more time pass than a double click allows, so that consecutive clicks stay single ones.
void Driver::release_keys() {
    input_.keys.clear();
    input_.seconds = kRestSeconds;
    frames(2);
}

core::Result<bool> Driver::click(const Target& target, const PointerClick& click) {
    if (core::Result<bool> moved = move_to(target); !moved) return moved;
    if (core::Result<bool> held = hold(click.with); !held) return held;
    bool& pressed = input_.buttons.at(static_cast<std::size_t>(click.button));
    for (int i = 0; i < click.count; ++i) {
        pressed = true;
        frame();
        pressed = false;
        frame();
    }
    release_keys();
    return true;
}

core::Result<bool> Driver::drag(const Target& from, const Target& to, const PointerClick& click, int steps) {
    const core::Result<ImVec2> end = locate(to);
    if (!end) return end.error();
    if (core::Result<bool> moved = move_to(from); !moved) return moved;
    if (core::Result<bool> held = hold(click.with); !held) return held;
    const ImVec2 begin{input_.mouse_x, input_.mouse_y};
    bool& pressed = input_.buttons.at(static_cast<std::size_t>(click.button));
    pressed = true;
    frame();
    for (int step = 1; step <= steps; ++step) {
        const float share = static_cast<float>(step) / static_cast<float>(steps);
        input_.mouse_x = std::floor(begin.x + (end->x - begin.x) * share);
        input_.mouse_y = std::floor(begin.y + (end->y - begin.y) * share);
        frame();
    }
    pressed = false;
    frame();
    release_keys();
    return true;
}

core::Result<bool> Driver::scroll(const Target& target, float notches, std::string_view with, float sideways) {
    constexpr float kMostNotches = 10'000;
    if (!(std::abs(notches) <= kMostNotches && std::abs(sideways) <= kMostNotches))
        return failure("more than 10,000 notches of a wheel");
    if (core::Result<bool> moved = move_to(target); !moved) return moved;
    if (core::Result<bool> held = hold(with); !held) return held;
    const auto take = [](float& left) {  // one notch per frame, and the fraction that remains
        const float now = std::clamp(left, -1.0f, 1.0f);
        left -= now;
        return now;
    };
    while (notches != 0 || sideways != 0) {
        input_.wheel = take(notches);
        input_.wheel_x = take(sideways);
        frame();
    }
    release_keys();
    return true;
}

core::Result<bool> Driver::key(std::string_view chord, int count) {
    core::Result<std::vector<int>> keys = parse_chord(chord);
    if (!keys) return std::move(keys).error();
    input_.keys = std::move(keys).value();
    frames(count);
    release_keys();
    return true;
}

void Driver::type(std::string_view text) {
    input_.text = text;
    frames(2);
}

core::Result<bool> Driver::resize(int width, int height) {
    if (core::Result<bool> resized = platform_->resize(width, height); !resized) return resized;
    frames(2);
    return true;
}

Image Driver::picture() { return window_->picture(); }

core::Result<bool> Driver::shot(const std::filesystem::path& file) {
    return write_png(file, picture(), inputs_of(*session_));
}

nlohmann::json Driver::state(bool with_items) {
    nlohmann::json state = describe_state(*window_, *session_);
    if (with_items) state["items"] = describe_items(items().items());
    return state;
}

}  // namespace ui
