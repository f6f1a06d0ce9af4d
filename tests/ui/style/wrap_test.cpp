// Wrapping keeps numbers and their units whole.

#include "ui/style/wrap.hpp"
#include "tests/ui/driver/headless.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>

namespace {

std::string join(const std::vector<std::string_view>& lines) {
    std::string text;
    for (const std::string_view line : lines) text.append(line).append("|");
    return text;
}

}  // namespace

TEST_CASE("text wraps between words, never inside a number or before its unit") {
    ui::testing::Headless gui;
    const ui::TextStyle style = ui::ui_style();
    const std::string text = "for 56.0 % of 81,920 bytes, then 1.25 ms.";
    for (float width = 20; width < 400; width += 3) {
        const std::vector<std::string_view> lines = ui::wrap_words(style, text, width);
        std::string whole;
        for (const std::string_view line : lines) whole.append(whole.empty() ? "" : " ").append(line);
        if (width < ui::text_width(style, "81,920 bytes,")) continue;
        CAPTURE(width);
        CHECK(whole == text);
        for (const std::string_view line : lines) {
            CHECK(ui::text_width(style, line) <= width);
            CHECK_FALSE(line.ends_with("56."));
            CHECK_FALSE(line.ends_with("56.0"));
            CHECK_FALSE(line.starts_with("%"));
            CHECK_FALSE(line.starts_with("ms"));
            CHECK_FALSE(line.starts_with("920"));
        }
    }
    CHECK(join(ui::wrap_words(style, "one\n\ntwo", 400)) == "one||two|");
    CHECK(join(ui::wrap_words(style, "", 400)) == "|");
}

TEST_CASE("any text wraps to lines that fit, in any width, and loses only spaces") {
    ui::testing::Headless gui;
    const ui::TextStyle style = ui::ui_style();
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
        std::string text;
        const std::size_t length = random() % 60;
        for (std::size_t i = 0; i < length; ++i) text += "aW1. %\xC3\xBC"[random() % 6];
        for (std::size_t i = 0; i < random() % 4; ++i) text += " \xC3\xBC\xE2\x80\xA6";
        const float width = static_cast<float>(random() % 120);
        std::string kept, expected;
        for (const std::string_view line : ui::wrap_words(style, text, width)) kept.append(line);
        std::erase(kept, ' ');
        expected = text;
        std::erase(expected, ' ');
        CHECK(kept == expected);
    }
}
