#pragma once
// Input of a page in a browser as events of the window. Any bytes are safe: a message that is
// damaged, too long or out of range is refused whole. Positions are pixels of the canvas. Pure.
//
// message: number, count, events; numbers are varints
// event: kind u8, then
//   pointer: x, y coordinates · button: number u8, down u8 · wheel: mode u8, x and y floats
//   key: KeyboardEvent.code as text, action u8 (0 up, 1 down, 2 repeat), modifiers u8 · text: UTF-8
//   blur · size: width, height, ratio float

#include "ui/platform/input_queue.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ui::remote {

inline constexpr std::size_t kMostInputBytes = 65'536;
inline constexpr std::size_t kMostInputEvents = 1'000;
inline constexpr int kLeastSide = 64;  // px of a canvas
inline constexpr int kMostSide = 16'384;

enum class PageEvent : std::uint8_t { Pointer, Button, Wheel, Key, Text, Blur, Size };

// Bits of a key's modifiers on the wire.
inline constexpr std::uint8_t kWireShift = 1, kWireControl = 2, kWireAlt = 4, kWireMeta = 8;

struct PageSize {
    int width = 0;
    int height = 0;
    float ratio = 1;  // pixels per CSS px
    bool operator==(const PageSize&) const = default;
};
bool is_valid(const PageSize&);  // within the limits

struct PageInput {
    std::uint64_t number = 0;  // the page's own, rising
    std::vector<InputEvent> events;
    std::optional<PageSize> size;  // the last one of the message
};

// mac: Command acts as Control, as in the programs there.
std::optional<PageInput> decode_input(std::string_view message, bool mac);

// GLFW's code of a KeyboardEvent.code ("KeyA"); 0: none.
int find_key(std::string_view code, bool mac);

}  // namespace ui::remote
