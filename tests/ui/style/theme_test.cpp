#include "ui/style/theme.hpp"

#include "ui/charts/heat_colors.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>

namespace {

using Vector = std::array<double, 3>;
using Matrix = std::array<Vector, 3>;

// Simulates colour vision in linear light (Machado, Oliveira and Fernandes 2009).
constexpr Matrix kTrichromat{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr Matrix kDeuteranope{
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}};
constexpr Matrix kProtanope{
    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}};
constexpr Matrix kTritanope{
    {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}};
constexpr std::array kEyes{kTrichromat, kDeuteranope, kProtanope, kTritanope};

Vector linear(ImU32 color) {
    Vector light{};
    const std::array<int, 3> shifts{IM_COL32_R_SHIFT, IM_COL32_G_SHIFT, IM_COL32_B_SHIFT};
    for (std::size_t i = 0; i < 3; ++i) {
        const double c = static_cast<double>((color >> shifts[i]) & 255) / 255;
        light[i] = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    }
    return light;
}

Vector times(const Matrix& matrix, const Vector& v) {
    Vector result{};
    for (std::size_t i = 0; i < 3; ++i) result[i] = matrix[i][0] * v[0] + matrix[i][1] * v[1] + matrix[i][2] * v[2];
    return result;
}

Vector to_lab(const Vector& light) {
    constexpr Matrix kXyz{{{0.4124, 0.3576, 0.1805}, {0.2126, 0.7152, 0.0722}, {0.0193, 0.1192, 0.9505}}};
    const Vector xyz = times(kXyz, light);
    const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
    const double x = f(xyz[0] / 0.95047);
    const double y = f(xyz[1]);
    const double z = f(xyz[2] / 1.08883);
    return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

double distance(ImU32 a, ImU32 b, const Matrix& eye) {
    const auto seen = [&](ImU32 color) {
        Vector light = times(eye, linear(color));
        for (double& c : light) c = std::clamp(c, 0.0, 1.0);
        return to_lab(light);
    };
    const Vector p = seen(a);
    const Vector q = seen(b);
    return std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}

double contrast(ImU32 a, ImU32 b) {
    const auto luminance = [](ImU32 color) {
        const Vector light = linear(color);
        return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2];
    };
    const double high = std::max(luminance(a), luminance(b));
    const double low = std::min(luminance(a), luminance(b));
    return (high + 0.05) / (low + 0.05);
}

// For the kind of vision that confuses the two most.
double least_distance(ImU32 a, ImU32 b) {
    double least = 1000;
    for (const Matrix& eye : kEyes) least = std::min(least, distance(a, b, eye));
    return least;
}

// Degrees between two hues in Lab space, for normal vision.
double hue_between(ImU32 a, ImU32 b) {
    constexpr double kDegrees = 57.29577951308232;
    const Vector p = to_lab(linear(a));
    const Vector q = to_lab(linear(b));
    const double turn = std::abs(std::atan2(p[2], p[1]) - std::atan2(q[2], q[1])) * kDegrees;
    return std::min(turn, 360 - turn);
}

constexpr std::array kKernelKinds{core::KernelClass::Compute, core::KernelClass::Communication,
                                  core::KernelClass::Memory};

struct ThemeScope {
    explicit ThemeScope(ui::Theme theme) { ui::set_theme(theme); }
    ~ThemeScope() { ui::set_theme(ui::Theme::Dark); }
    ThemeScope(const ThemeScope&) = delete;
    ThemeScope& operator=(const ThemeScope&) = delete;
};

}  // namespace

TEST_CASE("class colours are distinct for colour-blind users in every theme") {
    for (const ui::Theme theme : ui::kThemes) {
        const ThemeScope scope(theme);
        const std::array<ImU32, 5> colors{ui::color::palette().compute, ui::color::palette().communication,
                                          ui::color::palette().memory, ui::color::palette().idle,
                                          ui::color::palette().background};
        const double least = theme == ui::Theme::Safe ? 22 : 15;
        const ImU32 unclassed = ui::color::of_class(core::KernelClass::None);
        for (std::size_t i = 0; i < colors.size(); ++i) {
            for (std::size_t k = 0; k < i; ++k) CHECK(least_distance(colors[i], colors[k]) > least);
            CHECK(least_distance(colors[i], unclassed) > 15);
        }
    }
}

TEST_CASE("series colours are distinct for colour-blind users in every theme") {
    for (const ui::Theme theme : ui::kThemes) {
        const ThemeScope scope(theme);
        for (std::size_t i = 0; i < 6; ++i) {
            CHECK(least_distance(ui::color::of_series(i), ui::color::palette().background) > 30);
            for (std::size_t k = 0; k < i; ++k)
                CHECK(least_distance(ui::color::of_series(i), ui::color::of_series(k)) > 14);
        }
    }
}

TEST_CASE("no series, side, outlier or change looks like a class, in every theme and to every eye") {
    for (const ui::Theme theme : ui::kThemes) {
        const ThemeScope scope(theme);
        const ui::color::Palette& palette = ui::color::palette();
        for (const core::KernelClass kind : kKernelKinds) {
            const ImU32 of_class = ui::color::of_class(kind);
            for (const ImU32 role : {palette.candidate, palette.outlier, palette.worse, palette.better})
                CHECK(least_distance(role, of_class) > 15);
            CHECK(least_distance(palette.baseline, of_class) > 15);
            for (std::size_t i = 0; i < 6; ++i) CHECK(least_distance(ui::color::of_series(i), of_class) > 12);
        }
        for (const ImU32 role : {palette.candidate, palette.outlier, palette.worse, palette.better}) {
            CHECK(least_distance(role, palette.idle) > 20);
            CHECK(least_distance(role, palette.unclassed) > 10);
        }
        CHECK(least_distance(palette.worse, palette.better) > 30);
        CHECK(least_distance(palette.candidate, palette.baseline) > 15);
        CHECK(least_distance(palette.candidate, palette.outlier) > 15);
        for (std::size_t i = 0; i < 6; ++i) CHECK(least_distance(ui::color::of_series(i), palette.outlier) > 12);
    }
}

TEST_CASE("names of kernels are shades of their class, and names without a class have none of these hues") {
    for (const ui::Theme theme : ui::kThemes) {
        const ThemeScope scope(theme);
        for (int shade = 0; shade < 24; ++shade) {
            for (const core::KernelClass kind : kKernelKinds) {
                const ImU32 color = ui::color::of_shade(static_cast<std::uint8_t>(shade), kind);
                CHECK(hue_between(color, ui::color::of_class(kind)) < 16);
                for (const core::KernelClass other : kKernelKinds)
                    if (other != kind) CHECK(hue_between(color, ui::color::of_class(other)) > 30);
            }
            const ImU32 plain = ui::color::of_shade(static_cast<std::uint8_t>(shade), core::KernelClass::None);
            for (const core::KernelClass kind : kKernelKinds) CHECK(hue_between(plain, ui::color::of_class(kind)) > 16);
        }
    }
}

TEST_CASE("names of one class have many shades") {
    for (const ui::Theme theme : ui::kThemes) {
        const ThemeScope scope(theme);
        for (const core::KernelClass kind : kKernelKinds) {
            std::set<ImU32> shades;
            for (int shade = 0; shade < 24; ++shade)
                shades.insert(ui::color::of_shade(static_cast<std::uint8_t>(shade), kind));
            CHECK(shades.size() >= 20);
        }
    }
}

TEST_CASE("name colours of the safe theme are distinct for colour-blind users") {
    const ThemeScope scope(ui::Theme::Safe);
    for (std::int32_t i = 0; i < 7; ++i)
        for (std::int32_t k = 0; k < i; ++k)
            for (const Matrix& eye : {kTrichromat, kDeuteranope, kProtanope})
                CHECK(distance(ui::color::of_rank(i), ui::color::of_rank(k), eye) > 15);
}

TEST_CASE("text is readable on every bar and surface, in every theme") {
    for (const ui::Theme theme : ui::kThemes) {
        const ThemeScope scope(theme);
        std::string name;
        for (int i = 0; i < 500; ++i) {
            name += static_cast<char>('a' + i % 26);
            for (const core::KernelClass kind : {core::KernelClass::Compute, core::KernelClass::Communication,
                                                 core::KernelClass::Memory, core::KernelClass::None}) {
                const ImU32 color = ui::color::of_name(name, kind);
                CHECK(contrast(color, ui::color::text_on(color)) > 4.5);
                CHECK(contrast(color, ui::color::palette().background) > (theme == ui::Theme::Light ? 2.5 : 3));
            }
        }
        for (const core::KernelClass kind : {core::KernelClass::Compute, core::KernelClass::Communication,
                                             core::KernelClass::Memory, core::KernelClass::None}) {
            const ImU32 color = ui::color::of_class(kind);
            CHECK(contrast(color, ui::color::text_on(color)) > 4.5);
        }
        for (const ImU32 surface :
             {ui::color::palette().background, ui::color::palette().panel, ui::color::palette().raised}) {
            CHECK(contrast(ui::color::palette().text, surface) > 7);
            CHECK(contrast(ui::color::palette().muted, surface) > 4.5);
            CHECK(contrast(ui::color::palette().faint, surface) > 3);
            CHECK(contrast(ui::color::palette().error, surface) > 3);
            CHECK(contrast(ui::color::palette().accent, surface) > 3);
            CHECK(contrast(ui::color::palette().candidate, surface) > 4.5);
            CHECK(contrast(ui::color::palette().worse, surface) > 4.5);
            CHECK(contrast(ui::color::palette().better, surface) > 4.5);
        }
    }
}

TEST_CASE("duration colours get evenly lighter and are distinct where most durations are") {
    for (const ui::Theme theme : ui::kThemes) {
        const ThemeScope scope(theme);
        const double sign = theme == ui::Theme::Light ? -1 : 1;
        double before = -1000;
        for (double ns = 1e3; ns <= 1.1e8; ns *= 10) {
            const double lightness = sign * to_lab(linear(ui::color::of_duration(ns)))[0];
            CHECK(lightness > before + 5);
            before = lightness;
        }
        CHECK(ui::color::of_duration(0) == ui::color::of_duration(1e3));
        CHECK(ui::color::of_duration(1e12) == ui::color::of_duration(1e8));
    }
}

TEST_CASE("neighbouring ranks have distant hues") {
    for (const ui::Theme theme : ui::kThemes) {
        const ThemeScope scope(theme);
        for (std::int32_t rank = 0; rank < 40; ++rank)
            CHECK(distance(ui::color::of_rank(rank), ui::color::of_rank(rank + 1), kTrichromat) > 10);
    }
}

TEST_CASE("the first 24 ranks have different colours, then colours repeat") {
    for (const ui::Theme theme : {ui::Theme::Dark, ui::Theme::Light}) {
        const ThemeScope scope(theme);
        for (std::int32_t rank = 0; rank < 24; ++rank) {
            for (std::int32_t other = 0; other < rank; ++other)
                CHECK(ui::color::of_rank(rank) != ui::color::of_rank(other));
            CHECK(distance(ui::color::of_rank(rank), ui::color::of_rank(rank + 1), kTrichromat) > 30);
            CHECK(ui::color::of_rank(rank) == ui::color::of_rank(rank + 24));
        }
    }
}

TEST_CASE("on a light theme, greater heat-map values are darker and zero change is close to the panel's colour") {
    const ThemeScope scope(ui::Theme::Light);
    const auto lightness = [](const core::HeatScale& scale, double value) {
        return to_lab(linear(ui::heat_color(scale, value)))[0];
    };
    const core::HeatScale rising{0, 1, false, false};
    for (int i = 1; i <= 16; ++i) CHECK(lightness(rising, i / 16.0) < lightness(rising, (i - 1) / 16.0));
    const core::HeatScale both{-1, 1, false, true};
    CHECK(contrast(ui::heat_color(both, 0), ui::color::palette().panel) < 1.6);
    CHECK(lightness(both, -1) < lightness(both, 0));
    CHECK(lightness(both, 1) < lightness(both, 0));
}

TEST_CASE("themes are found by name") {
    for (const ui::Theme theme : ui::kThemes) CHECK(ui::find_theme(name_of(theme)) == theme);
    CHECK_FALSE(ui::find_theme("Dark").has_value());
}

TEST_CASE("digits in a name do not change its colour") {
    constexpr core::KernelClass kCompute = core::KernelClass::Compute;
    CHECK(ui::color::of_name("gemm_128x64", kCompute) == ui::color::of_name("gemm_64x32", kCompute));
    CHECK(ui::color::of_name("gemm", kCompute) != ui::color::of_name("relu", kCompute));
}
