#include "ui/remote/input_decoder.hpp"

#include "core/base/utf8.hpp"
#include "ui/remote/wire_bytes.hpp"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>
#include <cmath>

namespace ui::remote {
namespace {

constexpr std::size_t kMostCodeBytes = 32;
constexpr std::size_t kMostTextBytes = 16'384;
constexpr float kMostNotches = 100;

struct KeyCode {
    std::string_view code;
    int key;
};
constexpr KeyCode kKeys[] = {
    {"Space", GLFW_KEY_SPACE},
    {"Quote", GLFW_KEY_APOSTROPHE},
    {"Comma", GLFW_KEY_COMMA},
    {"Minus", GLFW_KEY_MINUS},
    {"Period", GLFW_KEY_PERIOD},
    {"Slash", GLFW_KEY_SLASH},
    {"Semicolon", GLFW_KEY_SEMICOLON},
    {"Equal", GLFW_KEY_EQUAL},
    {"BracketLeft", GLFW_KEY_LEFT_BRACKET},
    {"Backslash", GLFW_KEY_BACKSLASH},
    {"BracketRight", GLFW_KEY_RIGHT_BRACKET},
    {"Backquote", GLFW_KEY_GRAVE_ACCENT},
    {"IntlBackslash", GLFW_KEY_WORLD_1},
    {"IntlRo", GLFW_KEY_WORLD_2},
    {"Escape", GLFW_KEY_ESCAPE},
    {"Enter", GLFW_KEY_ENTER},
    {"Tab", GLFW_KEY_TAB},
    {"Backspace", GLFW_KEY_BACKSPACE},
    {"Insert", GLFW_KEY_INSERT},
    {"Delete", GLFW_KEY_DELETE},
    {"ArrowRight", GLFW_KEY_RIGHT},
    {"ArrowLeft", GLFW_KEY_LEFT},
    {"ArrowDown", GLFW_KEY_DOWN},
    {"ArrowUp", GLFW_KEY_UP},
    {"PageUp", GLFW_KEY_PAGE_UP},
    {"PageDown", GLFW_KEY_PAGE_DOWN},
    {"Home", GLFW_KEY_HOME},
    {"End", GLFW_KEY_END},
    {"CapsLock", GLFW_KEY_CAPS_LOCK},
    {"ScrollLock", GLFW_KEY_SCROLL_LOCK},
    {"NumLock", GLFW_KEY_NUM_LOCK},
    {"PrintScreen", GLFW_KEY_PRINT_SCREEN},
    {"Pause", GLFW_KEY_PAUSE},
    {"NumpadDecimal", GLFW_KEY_KP_DECIMAL},
    {"NumpadDivide", GLFW_KEY_KP_DIVIDE},
    {"NumpadMultiply", GLFW_KEY_KP_MULTIPLY},
    {"NumpadSubtract", GLFW_KEY_KP_SUBTRACT},
    {"NumpadAdd", GLFW_KEY_KP_ADD},
    {"NumpadEnter", GLFW_KEY_KP_ENTER},
    {"NumpadEqual", GLFW_KEY_KP_EQUAL},
    {"ShiftLeft", GLFW_KEY_LEFT_SHIFT},
    {"ControlLeft", GLFW_KEY_LEFT_CONTROL},
    {"AltLeft", GLFW_KEY_LEFT_ALT},
    {"MetaLeft", GLFW_KEY_LEFT_SUPER},
    {"ShiftRight", GLFW_KEY_RIGHT_SHIFT},
    {"ControlRight", GLFW_KEY_RIGHT_CONTROL},
    {"AltRight", GLFW_KEY_RIGHT_ALT},
    {"MetaRight", GLFW_KEY_RIGHT_SUPER},
    {"ContextMenu", GLFW_KEY_MENU},
};

// "F1" to "F25"; 0: another text.
int find_function_key(std::string_view code) {
    if (code.size() < 2 || code.size() > 3 || code.front() != 'F') return 0;
    int number = 0;
    for (const char digit : code.substr(1)) {
        if (digit < '0' || digit > '9') return 0;
        number = number * 10 + (digit - '0');
    }
    return number >= 1 && number <= 25 && code[1] != '0' ? GLFW_KEY_F1 + number - 1 : 0;
}

// The last character of "KeyA", "Digit1", "Numpad1"; 0: another text.
char find_last(std::string_view code, std::string_view before, char first, char last) {
    if (code.size() != before.size() + 1 || !code.starts_with(before)) return 0;
    return code.back() >= first && code.back() <= last ? code.back() : '\0';
}

int to_modifiers(std::uint8_t wire, bool mac) {
    int modifiers = 0;
    if ((wire & kWireShift) != 0) modifiers |= GLFW_MOD_SHIFT;
    if ((wire & kWireControl) != 0) modifiers |= GLFW_MOD_CONTROL;
    if ((wire & kWireAlt) != 0) modifiers |= GLFW_MOD_ALT;
    if ((wire & kWireMeta) != 0) modifiers |= mac ? GLFW_MOD_CONTROL : GLFW_MOD_SUPER;
    return modifiers;
}

// WheelEvent.deltaMode: pixels, lines, pages. A page counts down and to the right as positive.
float to_notches(float delta, std::uint8_t mode) {
    const float notches = mode == 0 ? delta / 100 : mode == 1 ? delta / 3 : delta * 8;
    return -std::clamp(notches, -kMostNotches, kMostNotches);
}

class InputReader {
public:
    InputReader(std::string_view message, bool mac) : in_(message), mac_(mac) {}

    std::optional<PageInput> read() {
        page_.number = in_.take_varint();
        const std::size_t count = in_.take_count();
        if (count > kMostInputEvents) return std::nullopt;
        for (std::size_t i = 0; i < count && !in_.failed(); ++i) read_event();
        if (in_.failed() || !in_.at_end()) return std::nullopt;
        return std::move(page_);
    }

private:
    void read_event() {
        switch (static_cast<PageEvent>(in_.take_byte())) {
            case PageEvent::Pointer:
                return read_pointer();
            case PageEvent::Button:
                return read_button();
            case PageEvent::Wheel:
                return read_wheel();
            case PageEvent::Key:
                return read_key();
            case PageEvent::Text:
                return read_text();
            case PageEvent::Blur:
                page_.events.push_back({.kind = InputKind::Blur});
                return;
            case PageEvent::Size:
                return read_size();
        }
        in_.fail();
    }

    // Outside the canvas is allowed: a drag goes on there.
    void read_pointer() {
        const float x = static_cast<float>(in_.take_coordinate()) / 64;
        const float y = static_cast<float>(in_.take_coordinate()) / 64;
        page_.events.push_back({.kind = InputKind::Pointer, .x = x, .y = y});
    }

    void read_button() {
        const std::uint8_t button = in_.take_byte();
        const std::uint8_t down = in_.take_byte();
        if (button > 2 || down > 1) return in_.fail();
        page_.events.push_back({.kind = InputKind::Button, .action = static_cast<KeyAction>(down), .code = button});
    }

    void read_wheel() {
        const std::uint8_t mode = in_.take_byte();
        const float x = in_.take_float();
        const float y = in_.take_float();
        if (mode > 2 || !std::isfinite(x) || !std::isfinite(y)) return in_.fail();
        page_.events.push_back({.kind = InputKind::Wheel, .x = to_notches(x, mode), .y = to_notches(y, mode)});
    }

    // A key that we have no number for changes nothing.
    void read_key() {
        const std::string_view code = in_.take_text(kMostCodeBytes);
        const std::uint8_t action = in_.take_byte();
        const std::uint8_t modifiers = in_.take_byte();
        if (action > static_cast<std::uint8_t>(KeyAction::Repeat)) return in_.fail();
        const int key = find_key(code, mac_);
        if (key == 0) return;
        page_.events.push_back({.kind = InputKind::Key,
                                .action = static_cast<KeyAction>(action),
                                .code = key,
                                .modifiers = to_modifiers(modifiers, mac_)});
    }

    // Control characters come as keys.
    void read_text() {
        std::string_view text = in_.take_text(kMostTextBytes);
        if (!core::is_utf8(text)) return in_.fail();
        while (!text.empty()) {
            const core::CodePoint point = core::decode_utf8(text);
            text.remove_prefix(point.bytes);
            if (point.value < 0x20 || point.value == 0x7F) continue;
            page_.events.push_back({.kind = InputKind::Text, .character = point.value});
        }
    }

    void read_size() {
        const auto width = static_cast<int>(in_.take_varint(kMostSide));
        const auto height = static_cast<int>(in_.take_varint(kMostSide));
        const float ratio = in_.take_float();
        const PageSize size{.width = width, .height = height, .ratio = ratio};
        if (!is_valid(size)) return in_.fail();
        page_.size = size;
    }

    WireReader in_;
    bool mac_;
    PageInput page_;
};

}  // namespace

bool is_valid(const PageSize& size) {
    const auto fits = [](int side) { return side >= kLeastSide && side <= kMostSide; };
    return fits(size.width) && fits(size.height) && size.ratio >= 0.25f && size.ratio <= 8;
}

int find_key(std::string_view code, bool mac) {
    if (mac && code == "MetaLeft") return GLFW_KEY_LEFT_CONTROL;
    if (mac && code == "MetaRight") return GLFW_KEY_RIGHT_CONTROL;
    if (const char letter = find_last(code, "Key", 'A', 'Z'); letter != 0) return GLFW_KEY_A + (letter - 'A');
    if (const char digit = find_last(code, "Digit", '0', '9'); digit != 0) return GLFW_KEY_0 + (digit - '0');
    if (const char digit = find_last(code, "Numpad", '0', '9'); digit != 0) return GLFW_KEY_KP_0 + (digit - '0');
    if (const int key = find_function_key(code); key != 0) return key;
    const auto* const at = std::ranges::find(kKeys, code, &KeyCode::code);
    return at == std::end(kKeys) ? 0 : at->key;
}

std::optional<PageInput> decode_input(std::string_view message, bool mac) {
    if (message.size() > kMostInputBytes) return std::nullopt;
    return InputReader(message, mac).read();
}

}  // namespace ui::remote
