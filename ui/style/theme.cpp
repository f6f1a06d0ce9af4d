#include "ui/style/theme.hpp"

#include "assets/embedded.hpp"
#include "ui/style/compat.hpp"

#include <imgui_freetype.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>

namespace ui {
namespace {

Fonts g_fonts;
float g_scale = 1;
std::uint64_t g_fonts_version = 0;
Theme g_theme = Theme::Dark;

constexpr ImWchar kGlyphs[] = {0x20,   0x17F,  0x370,  0x3FF,  0x2010, 0x2030, 0x2070, 0x209F, 0x20AC, 0x20AC,
                               0x2190, 0x21FF, 0x2200, 0x22FF, 0x25A0, 0x25FF, 0x2700, 0x27BF, 0};

ImFont* add_font(ImFontAtlas& atlas, std::string_view file, float size_px) {
    const std::span<const unsigned char> bytes = assets::font(file);
    ImFontConfig config;
    config.FontDataOwnedByAtlas = false;
    config.OversampleH = 1;
    config.OversampleV = 1;
    config.PixelSnapH = true;
#if LOCKSTEP_IMGUI_DYNAMIC_FONTS
    config.FontLoaderFlags = ImGuiFreeTypeLoaderFlags_LightHinting;
#else
    config.FontBuilderFlags = ImGuiFreeTypeBuilderFlags_LightHinting;
#endif
    // ImGui takes a mutable pointer but does not write, because it does not own the bytes.
    return atlas.AddFontFromMemoryTTF(const_cast<unsigned char*>(bytes.data()), static_cast<int>(bytes.size()), size_px,
                                      &config, kGlyphs);
}

void set_sizes(ImGuiStyle& style) {
    style.WindowPadding = {10, 8};
    style.FramePadding = {8, 4};
    style.ItemSpacing = {8, 6};
    style.ItemInnerSpacing = {6, 4};
    style.CellPadding = {8, 3};
    style.IndentSpacing = 14;
    style.ScrollbarSize = 11;
    style.GrabMinSize = 10;
    style.WindowRounding = 0;
    style.ChildRounding = 0;
    style.FrameRounding = 4;
    style.PopupRounding = 6;
    style.ScrollbarRounding = 6;
    style.GrabRounding = 4;
    style.TabRounding = 4;
    style.WindowBorderSize = 0;
    style.ChildBorderSize = 0;
    style.PopupBorderSize = 1;
    style.FrameBorderSize = 0;
    style.TabBorderSize = 0;
    style.WindowMenuButtonPosition = ImGuiDir_None;
}

void set_color(ImGuiStyle& style, ImGuiCol which, ImU32 color) {
    style.Colors[which] = ImGui::ColorConvertU32ToFloat4(color);
}

void set_tab_colors(ImGuiStyle& style) {
    set_color(style, ImGuiCol_Tab, 0);
    set_color(style, ImGuiCol_TabHovered, color::palette().button_hovered);
#if IMGUI_VERSION_NUM >= 19090
    set_color(style, ImGuiCol_TabSelected, color::palette().tab);
    set_color(style, ImGuiCol_TabDimmed, 0);
    set_color(style, ImGuiCol_TabDimmedSelected, color::palette().tab);
    set_color(style, ImGuiCol_TabSelectedOverline, color::palette().accent);
#else
    set_color(style, ImGuiCol_TabActive, color::palette().tab);
    set_color(style, ImGuiCol_TabUnfocused, 0);
    set_color(style, ImGuiCol_TabUnfocusedActive, color::palette().tab);
#endif
#if IMGUI_VERSION_NUM >= 19140
    set_color(style, ImGuiCol_NavCursor, color::palette().accent);
#else
    set_color(style, ImGuiCol_NavHighlight, color::palette().accent);
#endif
}

void set_colors(ImGuiStyle& style) {
    if (color::palette().light)
        ImGui::StyleColorsLight(&style);
    else
        ImGui::StyleColorsDark(&style);
    set_color(style, ImGuiCol_WindowBg, color::palette().background);
    set_color(style, ImGuiCol_ChildBg, 0);  // fill() draws backgrounds
    set_color(style, ImGuiCol_PopupBg, color::with_alpha(color::palette().popup, 250));
    set_color(style, ImGuiCol_Border, color::palette().line);
    set_color(style, ImGuiCol_Text, color::palette().text);
    set_color(style, ImGuiCol_TextDisabled, color::palette().muted);
    set_color(style, ImGuiCol_FrameBg, color::palette().raised);
    set_color(style, ImGuiCol_FrameBgHovered, color::palette().frame_hovered);
    set_color(style, ImGuiCol_FrameBgActive, color::palette().frame_active);
    set_color(style, ImGuiCol_MenuBarBg, color::palette().panel);
    set_color(style, ImGuiCol_TitleBg, color::palette().panel);
    set_color(style, ImGuiCol_TitleBgActive, color::palette().panel);
    set_color(style, ImGuiCol_Button, color::palette().button);
    set_color(style, ImGuiCol_ButtonHovered, color::palette().button_hovered);
    set_color(style, ImGuiCol_ButtonActive, color::palette().button_active);
    set_color(style, ImGuiCol_Header, color::rgb(0x4C9BE8, 46));
    set_color(style, ImGuiCol_HeaderHovered, color::rgb(0x4C9BE8, 30));
    set_color(style, ImGuiCol_HeaderActive, color::rgb(0x4C9BE8, 70));
    set_color(style, ImGuiCol_Separator, color::palette().line);
    set_color(style, ImGuiCol_CheckMark, color::palette().accent);
    set_color(style, ImGuiCol_SliderGrab, color::palette().accent);
    set_color(style, ImGuiCol_SliderGrabActive, color::rgb(0x6DB3F2));
    set_color(style, ImGuiCol_TextSelectedBg, color::rgb(0x4C9BE8, 90));
    set_color(style, ImGuiCol_TableHeaderBg, color::palette().unknown);
    set_color(style, ImGuiCol_TableBorderStrong, color::palette().grid);
    set_color(style, ImGuiCol_TableBorderLight, color::palette().grid);
    set_color(style, ImGuiCol_TableRowBg, 0);
    set_color(style, ImGuiCol_TableRowBgAlt, color::with_alpha(color::palette().ink, 5));
    set_color(style, ImGuiCol_ScrollbarBg, 0);
    set_color(style, ImGuiCol_ScrollbarGrab, color::palette().scrollbar);
    set_color(style, ImGuiCol_ScrollbarGrabHovered, color::palette().scrollbar_hovered);
    set_color(style, ImGuiCol_ScrollbarGrabActive, color::palette().scrollbar_active);
    set_color(style, ImGuiCol_ModalWindowDimBg, color::rgb(0x0A0C10, 150));
    set_tab_colors(style);
}

void build_style() {
    ImGuiStyle style;
    set_sizes(style);
    set_colors(style);
    style.ScaleAllSizes(g_scale);
    style.PopupBorderSize = std::max(1.0f, std::floor(g_scale));  // ScaleAllSizes does not scale borders
    ImGui::GetStyle() = style;
}

constexpr float kEvenLuminance = 0.19f;  // dark and light text are equally readable on this luminance
constexpr std::size_t kHues = 24;
constexpr std::size_t kShades = 3;
constexpr std::size_t kNameShades = 24;  // of each class
constexpr std::size_t kShadeLights = 6;
constexpr std::size_t kDurations = 64;
constexpr float kFullTurn = 2 * std::numbers::pi_v<float>;
using RankColors = std::array<ImU32, kHues * kShades>;
using NameShades = std::array<std::array<ImU32, kNameShades>, core::kKernelClasses + 1>;

// Bars are darker on a white background.
RankColors build_rank_colors(bool light) {
    constexpr std::array<std::array<float, 2>, kShades> kOnDark{{{0.69f, 0.105f}, {0.77f, 0.085f}, {0.62f, 0.1f}}};
    constexpr std::array<std::array<float, 2>, kShades> kOnLight{{{0.63f, 0.115f}, {0.68f, 0.09f}, {0.52f, 0.11f}}};
    RankColors colors{};
    for (std::size_t i = 0; i < colors.size(); ++i) {
        const auto [lightness, chroma] = (light ? kOnLight : kOnDark)[i / kHues];
        const float turn = static_cast<float>(i % kHues) / static_cast<float>(kHues);
        colors[i] = color::from_oklch(lightness, chroma, turn * kFullTurn);
    }
    return colors;
}

// Seven hues in two shades each. They differ in lightness as much as in hue, which keeps them distinct in any colour
// blindness.
constexpr std::array<ImU32, 7> kSafeHues{color::rgb(0x3D86C6), color::rgb(0xE6A02B), color::rgb(0x14A67F),
                                         color::rgb(0xF0E35A), color::rgb(0xD2601F), color::rgb(0x86CDF0),
                                         color::rgb(0xCB80AE)};

RankColors build_safe_rank_colors() {
    RankColors colors{};
    for (std::size_t i = 0; i < colors.size(); ++i) {
        const ImU32 hue = kSafeHues[i % kSafeHues.size()];
        const std::size_t shade = i / kSafeHues.size() % kShades;
        colors[i] = color::mix(hue, color::rgb(0xFFFFFF), 0.15f * static_cast<float>(shade));
    }
    return colors;
}

const RankColors& rank_colors() {
    static const RankColors kOnDark = build_rank_colors(false);
    static const RankColors kOnLight = build_rank_colors(true);
    static const RankColors kSafe = build_safe_rank_colors();
    return color::palette().safe ? kSafe : color::palette().light ? kOnLight : kOnDark;
}

struct Oklch {
    float lightness, chroma, hue;
};

float linear_of(ImU32 color, int shift) {
    const float c = static_cast<float>((color >> shift) & 255) / 255;
    return c <= 0.04045f ? c / 12.92f : std::pow((c + 0.055f) / 1.055f, 2.4f);
}

Oklch to_oklch(ImU32 color) {
    const float r = linear_of(color, IM_COL32_R_SHIFT);
    const float g = linear_of(color, IM_COL32_G_SHIFT);
    const float b = linear_of(color, IM_COL32_B_SHIFT);
    const float l = std::cbrt(0.4122214708f * r + 0.5363325363f * g + 0.0514459929f * b);
    const float m = std::cbrt(0.2119034982f * r + 0.6806995451f * g + 0.1073969566f * b);
    const float s = std::cbrt(0.0883024619f * r + 0.2817188376f * g + 0.6299787005f * b);
    const float x = 1.9779984951f * l - 2.4285922050f * m + 0.4505937099f * s;
    const float y = 0.0259040371f * l + 0.7827717662f * m - 0.8086757660f * s;
    return {.lightness = 0.2104542553f * l + 0.7936177850f * m - 0.0040720468f * s,
            .chroma = std::hypot(x, y),
            .hue = std::atan2(y, x)};
}

float luminance_of(ImU32 color) {
    return 0.2126f * linear_of(color, IM_COL32_R_SHIFT) + 0.7152f * linear_of(color, IM_COL32_G_SHIFT) +
           0.0722f * linear_of(color, IM_COL32_B_SHIFT);
}

bool stands_out_from(ImU32 color, const color::Palette& palette) {
    const float bar = luminance_of(color) + 0.05f;
    const float behind = luminance_of(palette.background) + 0.05f;
    return std::max(bar, behind) >= (palette.light ? 2.55f : 3.05f) * std::min(bar, behind);
}

// Text on a bar has the least contrast at a luminance of about 0.18: makes the bar lighter until text is readable.
ImU32 readable_shade(Oklch shade) {
    for (;; shade.lightness += 0.01f) {
        const ImU32 color = color::from_oklch(shade.lightness, shade.chroma, shade.hue);
        const float luminance = luminance_of(color);
        if (luminance < 0.155f || luminance > 0.208f) return color;
    }
}

// Middle of a range of lightness around that of the shade; the whole range stands out from the background.
float fit_lightness(const color::Palette& palette, Oklch shade, float reach) {
    const float step = palette.light ? -0.005f : 0.005f;
    const float edge = palette.light ? reach : -reach;  // the end that is nearer to the background
    while (!stands_out_from(color::from_oklch(shade.lightness + edge, shade.chroma, shade.hue), palette))
        shade.lightness += step;
    return shade.lightness;
}

// Shades of one class: its hue a little to both sides, darker and lighter. Neighbouring numbers differ in lightness.
void add_class_shades(const color::Palette& palette, ImU32 of_class, std::array<ImU32, kNameShades>& shades) {
    constexpr float kLightStep = 0.034f;
    constexpr float kHueStep = 0.09f;
    const Oklch middle = to_oklch(of_class);
    for (std::size_t i = 0; i < shades.size(); ++i) {
        const float light = static_cast<float>(i * 5 % kShadeLights) - 2.5f;
        const std::size_t round = i / kShadeLights;
        const float turn = static_cast<float>(round) - 1.5f;
        Oklch shade{.lightness = middle.lightness,
                    .chroma = middle.chroma * (1 - 0.05f * std::abs(light)),
                    .hue = middle.hue + kHueStep * turn};
        shade.lightness = fit_lightness(palette, shade, 2.5f * kLightStep) + kLightStep * light;
        shades[i] = readable_shade(shade);
    }
}

// Names without a class: quiet, in hues that no class has.
void add_other_shades(const color::Palette& palette, std::array<ImU32, kNameShades>& shades) {
    constexpr float kLightStep = 0.07f;
    const float arc = palette.other_hues[1] - palette.other_hues[0];
    constexpr std::size_t kTurns = kNameShades / kShadeLights * 2;
    for (std::size_t i = 0; i < shades.size(); ++i) {
        const float share = static_cast<float>(i * 3 % kTurns) / (kTurns - 1);
        Oklch shade{
            .lightness = 0.64f, .chroma = 0.075f, .hue = (palette.other_hues[0] + arc * share) / 360 * kFullTurn};
        const std::size_t round = i / kTurns;
        shade.lightness = fit_lightness(palette, shade, kLightStep) + kLightStep * (static_cast<float>(round) - 1);
        shades[i] = readable_shade(shade);
    }
}

NameShades build_name_shades(const color::Palette& palette) {
    NameShades shades{};
    add_other_shades(palette, shades[static_cast<std::size_t>(core::KernelClass::None)]);
    add_class_shades(palette, palette.compute, shades[static_cast<std::size_t>(core::KernelClass::Compute)]);
    add_class_shades(palette, palette.communication,
                     shades[static_cast<std::size_t>(core::KernelClass::Communication)]);
    add_class_shades(palette, palette.memory, shades[static_cast<std::size_t>(core::KernelClass::Memory)]);
    return shades;
}

const NameShades& name_shades() {
    static const std::array kShadesOf{build_name_shades(palette_of(Theme::Dark)),
                                      build_name_shades(palette_of(Theme::Light)),
                                      build_name_shades(palette_of(Theme::Safe))};
    return kShadesOf[static_cast<std::size_t>(g_theme)];
}

// Dark blue, violet, orange, yellow; reversed on white, so that long durations always stand out.
std::array<ImU32, kDurations> build_duration_colors(bool light) {
    std::array<ImU32, kDurations> colors{};
    for (std::size_t i = 0; i < kDurations; ++i) {
        const float at = static_cast<float>(i) / (kDurations - 1);
        const float lightness = light ? 0.88f - 0.5f * at : 0.4f + 0.48f * at;
        const float chroma = 0.06f + 0.09f * std::sin(at * kFullTurn / 2);
        const float turn = light ? 1.26f - 0.5f * at : 0.74f + 0.52f * at;
        colors[i] = color::from_oklch(lightness, chroma, kFullTurn * turn);
    }
    return colors;
}

std::uint64_t mixed(std::uint64_t hash) {
    hash ^= hash >> 29;
    hash *= 0xBF58476D1CE4E5B9u;
    return hash ^ hash >> 32;
}

float channel_of(ImU32 color, int shift) { return static_cast<float>((color >> shift) & 255); }

}  // namespace

namespace color {

const Palette& palette() { return palette_of(g_theme); }

ImU32 from_oklch(float lightness, float chroma, float hue) {
    const float a = chroma * std::cos(hue);
    const float b = chroma * std::sin(hue);
    const float l = std::pow(lightness + 0.3963377774f * a + 0.2158037573f * b, 3.0f);
    const float m = std::pow(lightness - 0.1055613458f * a - 0.0638541728f * b, 3.0f);
    const float s = std::pow(lightness - 0.0894841775f * a - 1.2914855480f * b, 3.0f);
    const auto channel = [](float linear) {
        const float v = std::clamp(linear, 0.0f, 1.0f);
        const float curved = v <= 0.0031308f ? 12.92f * v : 1.055f * std::pow(v, 1 / 2.4f) - 0.055f;
        return static_cast<unsigned>(std::lround(curved * 255));
    };
    return rgb(channel(4.0767416621f * l - 3.3077115913f * m + 0.2309699292f * s) << 16 |
               channel(-1.2684380046f * l + 2.6097574011f * m - 0.3413193965f * s) << 8 |
               channel(-0.0041960863f * l - 0.7034186147f * m + 1.7076147010f * s));
}

ImU32 of_class(core::KernelClass c) {
    switch (c) {
        case core::KernelClass::Compute:
            return palette().compute;
        case core::KernelClass::Communication:
            return palette().communication;
        case core::KernelClass::Memory:
            return palette().memory;
        case core::KernelClass::None:
            break;
    }
    return palette().unclassed;
}

ImU32 of_set(core::ClassSet set) {
    const std::array<ImU32, core::kClassSets> colors{palette().idle,    palette().compute, palette().communication,
                                                     palette().sets[0], palette().memory,  palette().sets[1],
                                                     palette().sets[2], palette().sets[3]};
    return colors[set & (core::kClassSets - 1)];
}

ImU32 of_hash(std::uint64_t hash) { return rank_colors()[mixed(hash) % rank_colors().size()]; }

ImU32 of_rank(std::int32_t number) {
    constexpr std::size_t kStep = 7;  // coprime to kHues, so all hues occur before one repeats
    const auto at = static_cast<std::size_t>(std::abs(number));
    if (palette().safe) return rank_colors()[at % (7 * kShades)];
    return rank_colors()[at * kStep % kHues];
}

ImU32 of_duration(double ns) {
    static const auto kOnDark = build_duration_colors(false);
    static const auto kOnLight = build_duration_colors(true);
    const double share = std::log(std::max(ns, 1.0) / kShortestColored) / std::log(kLongestColored / kShortestColored);
    const auto at = static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * (kDurations - 1)));
    return (palette().light ? kOnLight : kOnDark)[at];
}

std::uint8_t shade_of_name(std::string_view name) {
    std::uint64_t hash = 0xCBF29CE484222325u;
    for (const char c : name) {
        if (c >= '0' && c <= '9') continue;
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
    }
    return static_cast<std::uint8_t>(mixed(hash) % kNameShades);
}

ImU32 of_shade(std::uint8_t shade, core::KernelClass kernel_class) {
    return name_shades()[static_cast<std::size_t>(kernel_class)][shade % kNameShades];
}

ImU32 of_name(std::string_view name, core::KernelClass kernel_class) {
    return of_shade(shade_of_name(name), kernel_class);
}

ImU32 of_series(std::size_t i) {
    constexpr float kRepeatedShare = 0.4f;  // of the background, where colours come again
    const std::size_t count = palette().series.size();
    const ImU32 color = palette().series[i % count];
    return i / count % 2 == 0 ? color : mix(color, palette().background, kRepeatedShare);
}

ImU32 text_on(ImU32 background) {
    const auto light = [&](int shift) {
        const float part = channel_of(background, shift) / 255;
        return part * part;  // approximates linear light
    };
    const float luminance =
        0.2126f * light(IM_COL32_R_SHIFT) + 0.7152f * light(IM_COL32_G_SHIFT) + 0.0722f * light(IM_COL32_B_SHIFT);
    return luminance > kEvenLuminance ? rgb(0x0E1116) : rgb(0xF2F5F9);
}

ImU32 mix(ImU32 a, ImU32 b, float share_of_b) {
    const float share = std::clamp(share_of_b, 0.0f, 1.0f);
    ImU32 result = 0;
    for (const int shift : {0, 8, 16, 24}) {
        const float value = channel_of(a, shift) + (channel_of(b, shift) - channel_of(a, shift)) * share;
        result |= static_cast<ImU32>(std::lround(value)) << shift;
    }
    return result;
}

}  // namespace color

Theme theme() { return g_theme; }

void set_theme(Theme theme) {
    g_theme = theme;
    if (ImGui::GetCurrentContext()) build_style();
}

const Fonts& fonts() { return g_fonts; }
std::uint64_t fonts_version() { return g_fonts_version; }
float scale() { return g_scale; }
float px(float at_scale_one) { return std::floor(at_scale_one * g_scale + 0.5f); }

void build_fonts(float scale) {
    g_scale = std::clamp(scale, 0.5f, 4.0f);
    ++g_fonts_version;
    ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
#if LOCKSTEP_IMGUI_DYNAMIC_FONTS
    atlas.Clear();
    atlas.SetFontLoader(ImGuiFreeType::GetFontLoader());
#else
    atlas.Clear();
    atlas.FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
#endif
    g_fonts.ui_px = px(14);
    g_fonts.small_px = px(12);
    g_fonts.mono_px = px(13);
    g_fonts.ui = add_font(atlas, "Inter-Regular.otf", g_fonts.ui_px);
    g_fonts.heading = add_font(atlas, "Inter-SemiBold.otf", g_fonts.ui_px);
    g_fonts.mono = add_font(atlas, "JetBrainsMono-Regular.ttf", g_fonts.mono_px);
#if LOCKSTEP_IMGUI_DYNAMIC_FONTS
    g_fonts.small = g_fonts.ui;  // rendered at any size on demand
#else
    g_fonts.small = add_font(atlas, "Inter-Regular.otf", g_fonts.small_px);  // one font per size
    atlas.Build();
#endif
    ImGui::GetIO().FontDefault = g_fonts.ui;
    build_style();
}

void push_font(ImFont* font, float size_px) {
#if LOCKSTEP_IMGUI_DYNAMIC_FONTS
    ImGui::PushFont(font, size_px);
#else
    static_cast<void>(size_px);
    ImGui::PushFont(font);
#endif
}

}  // namespace ui
