#pragma once
// Colours, fonts and sizes: a palette per theme (themes.cpp), four fonts. Sizes are in pixels at scale 1; px() scales
// them and rounds to whole pixels. build_fonts() must run between frames, with a GL context.

#include "core/diff/side.hpp"
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
    ImU32 ink;  // outlines of what is selected or hovered
    ImU32 accent;
    ImU32 warning;
    ImU32 error;
    ImU32 found;
    ImU32 path;  // the critical path; unlike any bar
    ImU32 mark;  // what the user has marked
    ImU32 casing;  // between the path and bars; veils
    ImU32 arrow;
    ImU32 compute;
    ImU32 communication;
    ImU32 memory;
    ImU32 idle;
    ImU32 unclassed;
    ImU32 baseline;
    ImU32 candidate;
    ImU32 more;  // of two numbers
    ImU32 less;
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
    ImU32 tab;  // the chosen one
    ImU32 scrollbar;
    ImU32 scrollbar_hovered;
    ImU32 scrollbar_active;
    std::array<ImU32, 4> sets;    // classes that run at once: C+M, C+P, M+P, C+M+P
    std::array<ImU32, 6> series;  // neighbours are easy to tell apart
    bool light;
    bool safe;  // names have few hues, which every eye can tell apart
};
extern Palette g_palette;
// Of the palette in use: they change between frames only.
inline const ImU32& kBackground = g_palette.background;
inline const ImU32& kPanel = g_palette.panel;
inline const ImU32& kRaised = g_palette.raised;
inline const ImU32& kLine = g_palette.line;
inline const ImU32& kGrid = g_palette.grid;
inline const ImU32& kPlotGrid = g_palette.plot_grid;
inline const ImU32& kText = g_palette.text;
inline const ImU32& kMuted = g_palette.muted;
inline const ImU32& kFaint = g_palette.faint;
inline const ImU32& kInk = g_palette.ink;
inline const ImU32& kAccent = g_palette.accent;
inline const ImU32& kWarning = g_palette.warning;
inline const ImU32& kError = g_palette.error;
inline const ImU32& kFound = g_palette.found;
inline const ImU32& kPath = g_palette.path;
inline const ImU32& kMark = g_palette.mark;
inline const ImU32& kCasing = g_palette.casing;
inline const ImU32& kArrow = g_palette.arrow;
inline const ImU32& kCompute = g_palette.compute;
inline const ImU32& kCommunication = g_palette.communication;
inline const ImU32& kMemory = g_palette.memory;
inline const ImU32& kIdle = g_palette.idle;
inline const ImU32& kUnclassed = g_palette.unclassed;
inline const ImU32& kBaseline = g_palette.baseline;
inline const ImU32& kCandidate = g_palette.candidate;
inline const ImU32& kMore = g_palette.more;
inline const ImU32& kLess = g_palette.less;
inline const ImU32& kUnknown = g_palette.unknown;
inline const ImU32& kLone = g_palette.lone;
inline const ImU32& kTick = g_palette.tick;
inline const ImU32& kBase = g_palette.base;
inline const ImU32& kWhisker = g_palette.whisker;
inline const ImU32& kFlameAsBefore = g_palette.flame_as_before;
inline const ImU32& kFlameOthers = g_palette.flame_others;
inline const ImU32& kFlameRoot = g_palette.flame_root;
inline const ImU32& kPopup = g_palette.popup;
inline const ImU32& kFrameHovered = g_palette.frame_hovered;
inline const ImU32& kFrameActive = g_palette.frame_active;
inline const ImU32& kButton = g_palette.button;
inline const ImU32& kButtonHovered = g_palette.button_hovered;
inline const ImU32& kButtonActive = g_palette.button_active;
inline const ImU32& kTab = g_palette.tab;
inline const ImU32& kScrollbar = g_palette.scrollbar;
inline const ImU32& kScrollbarHovered = g_palette.scrollbar_hovered;
inline const ImU32& kScrollbarActive = g_palette.scrollbar_active;

// Lightness, chroma and hue (radians) of the OKLab space: equal lightness looks equally strong in every hue.
ImU32 from_oklch(float lightness, float chroma, float hue);

constexpr ImU32 with_alpha(ImU32 color, unsigned alpha) {
    return (color & ~IM_COL32_A_MASK) | (ImU32{alpha} << IM_COL32_A_SHIFT);
}
inline ImU32 of_side(core::Side side) { return side == core::Side::Baseline ? kBaseline : kCandidate; }
ImU32 of_class(core::KernelClass);
ImU32 of_set(core::ClassSet);                 // for kernel-types; [0] is idle
ImU32 of_name(std::string_view name);  // hash of the name with digits stripped: stable between sessions and runs
ImU32 of_series(std::size_t i);  // neighbouring numbers are easy to tell apart
ImU32 of_rank(std::int32_t number);  // likewise
ImU32 of_hash(std::uint64_t hash);   // one of the colours of names
// By its logarithm between the two ends; lightness rises evenly.
inline constexpr double kShortestColored = 1e3;  // ns
inline constexpr double kLongestColored = 1e8;
ImU32 of_duration(double ns);
ImU32 text_on(ImU32 background);  // dark or light with its luminance
ImU32 mix(ImU32 a, ImU32 b, float share_of_b);
}  // namespace color

const color::Palette& palette_of(Theme);
Theme theme();
void set_theme(Theme);  // between frames; and the style

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
