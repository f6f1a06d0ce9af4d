#include "core/base/terminal_text.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace core;

TEST_CASE("terminal text: controls, C1, line separators and marks of direction become question marks") {
    CHECK(terminal_text("a\x1b[2J\a\nb\tc\x7f") == "a?[2J??b?c?");
    CHECK(terminal_text("\xc2\x9b"
                        "31m") == "?31m");                     // U+009B, a CSI of one character
    CHECK(terminal_text("\xc2\x85\xe2\x80\xa8\xe2\x80\xa9") == "???");  // next line, line and paragraph separator
    for (const char* mark : {"\u061c", "\u200e", "\u200f", "\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066",
                             "\u2067", "\u2068", "\u2069", "\U000e0041"}) {
        CAPTURE(mark);
        CHECK(terminal_text(mark) == "?");
    }
    CHECK(terminal_text("\x9b") == "\xEF\xBF\xBD");  // a byte that is no UTF-8
    CHECK(terminal_text("gemm \u00e9\u4e2d\U0001F600 100 %") == "gemm \u00e9\u4e2d\U0001F600 100 %");
    CHECK(terminal_text("") == "");
}

TEST_CASE("terminal lines: line ends stay, the rest is as in a line") {
    CHECK(terminal_lines("a\nb\x1b\r\n\xc2\x9b") == "a\nb??\n?");
}

TEST_CASE("JSON for a terminal: escapes, and the same values") {
    const nlohmann::json value = {{"name", "a\xc2\x9b\x7f\u2066\U000e0041z"}, {"n", {1, 2}}};
    const std::string text = escape_json_for_terminal(value.dump(1));
    CHECK(text.find("\\u009b\\u007f\\u2066\\udb40\\udc41z") != std::string::npos);
    CHECK(terminal_lines(text) == text);
    CHECK(nlohmann::json::parse(text) == value);
}
