#pragma once
// Colours, fonts and sizes: a palette per theme (themes.cpp), four fonts. Sizes are pixels at scale
// 1; px() scales and rounds them. Call build_fonts() between frames.

#include "core/diff/align/side.hpp"
#include "core/index/class_rules.hpp"
#include "ui/model/theme_name.hpp"

#include <imgui.h>

#include <array>
#include <optional>
#include <string_view>

namespace ui {

namespace color {
constexpr ImU32 rgb(unsigned hex, unsigned alpha = 255) {
    return IM_COL32((hex >> 16) & 255, (hex >> 8) & 255, hex & 255, alpha);
}
struct Palette {
    ImU32 background;  // behind bars
    ImU32 panel;
    ImU32 raised;
    ImU32 line;
    ImU32 grid;  // of charts
    ImU32 plot_grid;  // of the timeline; opaque: cheaper than blending
    ImU32 text;
    ImU32 muted;
    ImU32 faint;
    ImU32 ink;  // outline of selected and hovered items
    ImU32 accent;
    ImU32 warning;
    ImU32 error;
    ImU32 found;
    ImU32 path;  // critical path; differs from every bar
    ImU32 mark;  // user's marks
    ImU32 casing;  // between the path and bars; also veils
    ImU32 arrow;
    ImU32 compute;
    ImU32 communication;
    ImU32 memory;
    ImU32 idle;
    ImU32 unclassed;
    ImU32 waiting;  // for a later rank; hatched, and without a hue: no class has it
    ImU32 baseline;
    ImU32 candidate;
    ImU32 outlier;  // stands out from its like; no class, series or side has it
    ImU32 worse;    // a change for the worse, and for the better
    ImU32 better;
    ImU32 unknown;  // cells without a value
    ImU32 lone;  // cells that only one side has
    ImU32 tick;
    ImU32 base;  // below whiskers
    ImU32 whisker;
    ImU32 flame_as_before;
    ImU32 flame_others;
    ImU32 flame_root;
    ImU32 popup;
    ImU32 frame_hovered;
    ImU32 frame_active;
    ImU32 button;
    ImU32 button_hovered;
    ImU32 button_active;
    ImU32 tab;  // selected tab
    ImU32 scrollbar;
    ImU32 scrollbar_hovered;
    ImU32 scrollbar_active;
    std::array<ImU32, 4> sets;    // concurrent classes: C+M, C+P, M+P, C+M+P
    std::array<ImU32, 6> series;  // causes, streams, kinds of copies: no class has their hues
    std::array<float, 2> other_hues;  // degrees: names of events without a class, apart from the hues of classes
    bool light;
    bool safe;  // ranks use few hues, safe for colour blindness
};
// The palette in use. It changes between frames only.
const Palette& palette();
// Colours of the current palette; they change between frames only.

// Lightness, chroma and hue (radians) of the OKLab space: equal lightness looks equally strong in every hue.
ImU32 from_oklch(float lightness, float chroma, float hue);

constexpr ImU32 with_alpha(ImU32 color, unsigned alpha) {
    return (color & ~IM_COL32_A_MASK) | (ImU32{alpha} << IM_COL32_A_SHIFT);
}
inline ImU32 of_side(core::Side side) {
    return side == core::Side::Baseline ? palette().baseline : palette().candidate;
}
ImU32 of_class(core::KernelClass);
ImU32 of_set(core::ClassSet);                 // for kernel-types; [0] is idle
// A shade of the class's hue, by a hash of the name without digits: stable between sessions and runs.
ImU32 of_name(std::string_view name, core::KernelClass);
std::uint8_t shade_of_name(std::string_view name);  // for of_shade
ImU32 of_shade(std::uint8_t shade, core::KernelClass);
ImU32 of_series(std::size_t i);  // neighbouring numbers are easy to distinguish
ImU32 of_rank(std::int32_t number);  // same
ImU32 of_hash(std::uint64_t hash);   // one of the colours of ranks, for process groups
// Durations are coloured by logarithm between these ends, with evenly rising lightness.
inline constexpr double kShortestColored = 1e3;  // ns
inline constexpr double kLongestColored = 1e8;
ImU32 of_duration(double ns);
ImU32 text_on(ImU32 background);  // dark or light text, by the background's luminance
ImU32 mix(ImU32 a, ImU32 b, float share_of_b);
}  // namespace color

const color::Palette& palette_of(Theme);
Theme theme();
void set_theme(Theme);  // sets the style too; call between frames

struct Fonts {
    ImFont* ui = nullptr;  // Inter 14
    ImFont* heading = nullptr;  // Inter SemiBold 14
    ImFont* small = nullptr;  // Inter 12
    ImFont* mono = nullptr;  // JetBrains Mono 13, for numbers
    float ui_px = 14, small_px = 12, mono_px = 13;
};
const Fonts& fonts();
void build_fonts(float scale);  // sets the style too
std::uint64_t fonts_version();  // changes with the fonts; renderers then replace their texture
float scale();
float px(float at_scale_one);  // scaled and rounded to pixels

void push_font(ImFont* font, float size_px);  // same call for every Dear ImGui version

}  // namespace ui
