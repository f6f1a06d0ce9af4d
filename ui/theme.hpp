#pragma once
// Colours, fonts and sizes: one dark palette, four fonts. Sizes are in pixels at scale 1; px() scales
// them and rounds to whole pixels. build_fonts() must run between frames, with a GL context.

#include "core/diff/side.hpp"
#include "core/index/class_rules.hpp"

#include <imgui.h>

#include <string_view>

namespace ui {

namespace color {
constexpr ImU32 rgb(unsigned hex, unsigned alpha = 255) {
    return IM_COL32((hex >> 16) & 255, (hex >> 8) & 255, hex & 255, alpha);
}
inline constexpr ImU32 kBackground = rgb(0x121418);
inline constexpr ImU32 kPanel = rgb(0x191C22);
inline constexpr ImU32 kRaised = rgb(0x22262E);
inline constexpr ImU32 kLine = rgb(0x2E333D);
inline constexpr ImU32 kGrid = rgb(0x262B34);  // of charts
inline constexpr ImU32 kText = rgb(0xDDE2EA);
inline constexpr ImU32 kMuted = rgb(0x98A1AE);
inline constexpr ImU32 kFaint = rgb(0x6B7482);
inline constexpr ImU32 kAccent = rgb(0x4C9BE8);
inline constexpr ImU32 kWarning = rgb(0xE0A95A);
inline constexpr ImU32 kError = rgb(0xE5736D);
inline constexpr ImU32 kFound = rgb(0xFFE680);
inline constexpr ImU32 kPath = rgb(0x5CF2CF);  // the critical path; lighter than any bar
inline constexpr ImU32 kMark = rgb(0xB9A5F2);  // what the user has marked
inline constexpr ImU32 kCompute = rgb(0x5B86D1);
inline constexpr ImU32 kCommunication = rgb(0xC47EB5);
inline constexpr ImU32 kMemory = rgb(0xE0A95A);
inline constexpr ImU32 kIdle = rgb(0x3F4652);

// Lightness, chroma and hue (radians) of the OKLab space: equal lightness looks equally strong in every hue.
ImU32 from_oklch(float lightness, float chroma, float hue);
inline constexpr ImU32 kBaseline = rgb(0x8FA3BF);
inline constexpr ImU32 kCandidate = rgb(0xF0B95B);

constexpr ImU32 with_alpha(ImU32 color, unsigned alpha) {
    return (color & ~IM_COL32_A_MASK) | (ImU32{alpha} << IM_COL32_A_SHIFT);
}
constexpr ImU32 of_side(core::Side side) { return side == core::Side::Baseline ? kBaseline : kCandidate; }
ImU32 of_class(core::KernelClass);
ImU32 of_set(core::ClassSet);                 // for kernel-types; [0] is idle
ImU32 of_name(std::string_view name);  // hash of the name with digits stripped: stable between sessions and runs
ImU32 of_series(std::size_t i);  // neighbouring numbers are easy to tell apart
ImU32 text_on(ImU32 background);  // dark or light with its luminance
ImU32 mix(ImU32 a, ImU32 b, float share_of_b);
}  // namespace color

struct Fonts {
    ImFont* ui = nullptr;  // Inter 14
    ImFont* heading = nullptr;  // Inter SemiBold 14
    ImFont* small = nullptr;  // Inter 12
    ImFont* mono = nullptr;  // JetBrains Mono 13, for numbers
    float ui_px = 14, small_px = 12, mono_px = 13;
};
const Fonts& fonts();
void build_fonts(float scale);  // and the style
float scale();
float px(float at_scale_one);  // scaled, whole pixels

void push_font(ImFont* font, float size_px);  // the same call for every Dear ImGui version

}  // namespace ui
