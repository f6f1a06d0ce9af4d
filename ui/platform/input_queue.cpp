#include "ui/platform/input_queue.hpp"

#include "core/base/utf8.hpp"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>
#include <iterator>

namespace ui {
namespace {

static_assert(static_cast<int>(KeyAction::Release) == GLFW_RELEASE &&
              static_cast<int>(KeyAction::Press) == GLFW_PRESS && static_cast<int>(KeyAction::Repeat) == GLFW_REPEAT);

bool is_modifier(const InputEvent& event) {
    return event.kind == InputKind::Key && event.code >= GLFW_KEY_LEFT_SHIFT && event.code <= GLFW_KEY_RIGHT_SUPER;
}

// Not the start of a text that is being typed.
bool is_chord(const InputEvent& event) {
    return event.kind == InputKind::Key && event.action == KeyAction::Press &&
           (event.code >= GLFW_KEY_ESCAPE || (event.modifiers & GLFW_MOD_CONTROL) != 0);
}

// Changes that one frame has seen so far.
class FrameSoFar {
public:
    // Whether the event belongs to this frame, too.
    bool takes(const InputEvent& event) {
        switch (event.kind) {
            case InputKind::Pointer:
                return !used_pointer_;
            case InputKind::Button:
                if (has(event)) return false;
                used_pointer_ = true;
                pressed_ |= event.action == KeyAction::Press;
                seen_.push_back(event);
                return true;
            case InputKind::Wheel:
                used_pointer_ = pressed_ = true;
                return true;
            case InputKind::Key:
                return takes_key(event);
            case InputKind::Text:
                typed_ = true;
                return true;
            case InputKind::Blur:
                return seen_.empty() && !used_pointer_ && !typed_;
        }
        return true;
    }

private:
    bool takes_key(const InputEvent& event) {
        if (has(event) || (typed_ && is_chord(event)) || (is_modifier(event) && pressed_)) return false;
        pressed_ |= !is_modifier(event) && event.action == KeyAction::Press;
        seen_.push_back(event);
        return true;
    }
    bool has(const InputEvent& event) const {
        return std::ranges::any_of(
            seen_, [&](const InputEvent& seen) { return seen.kind == event.kind && seen.code == event.code; });
    }

    std::vector<InputEvent> seen_;  // of keys and buttons
    bool typed_ = false;
    bool pressed_ = false;
    bool used_pointer_ = false;
};

}  // namespace

std::vector<InputEvent> InputQueue::take_frame() {
    FrameSoFar frame;
    std::size_t taken = 0;
    while (taken < events_.size() && frame.takes(events_[taken])) ++taken;
    const auto end = events_.begin() + static_cast<std::ptrdiff_t>(taken);
    std::vector<InputEvent> events(events_.begin(), end);
    events_.erase(events_.begin(), end);
    return events;
}

void apply_events(const std::vector<InputEvent>& events, Input& input) {
    input.wheel = input.wheel_x = 0;
    input.text.clear();
    for (const InputEvent& event : events) {
        switch (event.kind) {
            case InputKind::Pointer:
                input.mouse_x = event.x;
                input.mouse_y = event.y;
                break;
            case InputKind::Button:
                if (event.code >= 0 && static_cast<std::size_t>(event.code) < input.buttons.size())
                    input.buttons[static_cast<std::size_t>(event.code)] = event.action != KeyAction::Release;
                break;
            case InputKind::Wheel:
                input.wheel_x += event.x;
                input.wheel += event.y;
                break;
            case InputKind::Key:
                std::erase(input.keys, event.code);
                if (event.action != KeyAction::Release) input.keys.push_back(event.code);
                break;
            case InputKind::Text:
                core::append_utf8(input.text, event.character);
                break;
            case InputKind::Blur:
                input.buttons = {};
                input.keys.clear();
                break;
        }
    }
}

}  // namespace ui
