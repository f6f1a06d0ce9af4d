#include "core/base/utf8.hpp"

#include <doctest/doctest.h>

using namespace core;

TEST_CASE("every code point is encoded and decoded as itself") {
    for (char32_t value = 0; value <= 0x10FFFF; value += value < 0x1000 ? 1 : 97) {
        if (value >= 0xD800 && value <= 0xDFFF) continue;
        std::string text;
        append_utf8(text, value);
        const CodePoint decoded = decode_utf8(text + "x");
        REQUIRE(decoded.valid);
        REQUIRE(decoded.value == value);
        REQUIRE(decoded.bytes == text.size());
        CHECK(count_characters(text) == 1);
    }
}

TEST_CASE("bytes that begin no character are replaced one by one") {
    for (const std::string_view text :
         {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80",
          "\xF5\x80\x80\x80", "\xFF", "\xC3", "\xE2\x82", "\xE2(\xA1"}) {
        CAPTURE(text);
        const CodePoint decoded = decode_utf8(text);
        CHECK_FALSE(decoded.valid);
        CHECK(decoded.value == U'\uFFFD');
        CHECK(decoded.bytes == 1);
    }
}

TEST_CASE("a text is cut between characters, never inside one") {
    const std::string_view text = "aä€😀z";  // 1, 2, 3, 4 and 1 bytes
    const std::string_view wanted[] = {"",    "a",   "a",   "aä",    "aä",     "aä",    "aä€",
                                       "aä€", "aä€", "aä€", "aä€😀", "aä€😀z", "aä€😀z"};
    for (std::size_t most = 0; most < std::size(wanted); ++most) CHECK(cut_utf8(text, most) == wanted[most]);
    CHECK(shorten_utf8(text, 4) == "aä…");
    CHECK(shorten_utf8(text, 4, " ...") == "aä ...");
    CHECK(shorten_utf8(text, text.size()) == text);
    CHECK(count_characters(text) == 5);
}
