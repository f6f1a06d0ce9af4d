#include "core/ingest/json/json_scan.hpp"

#include "core/ingest/json/json_value.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace core;

namespace {

// A backslash escapes a quote after it, and nothing else.
std::size_t slow_container_end(std::string_view text) {
    bool in_text = false, escaped = false;
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool plain = !escaped;
        escaped = plain && c == '\\';
        if (c == '"' && !plain) continue;
        if (c == '"') {
            in_text = !in_text;
        } else if (!in_text && (c == '{' || c == '[')) {
            ++depth;
        } else if (!in_text && (c == '}' || c == ']') && --depth <= 0) {
            return i + 1;
        }
    }
    return kNotFound;
}

}  // namespace

TEST_CASE("the end of an object is found whatever its texts hold") {
    CHECK(find_container_end("{}") == 2);
    CHECK(find_container_end("{\"a\": \"}\"} ") == 10);
    CHECK(find_container_end(R"({"a": "\"}"})") == 12);
    CHECK(find_container_end(R"({"a": "\\"})") == 11);
    CHECK(find_container_end("[[1], {\"b\": [2]}] tail") == 17);
    CHECK(find_container_end("{\"a\": 1") == kNotFound);
    CHECK(find_container_end("") == kNotFound);
    CHECK(find_string_end(R"("a\"b" c)") == 6);
    CHECK(find_string_end("\"open") == kNotFound);
}

TEST_CASE("scanning 64 bytes at a time agrees with scanning one by one") {
    std::mt19937 random(2);
    constexpr std::string_view kLetters = "{}[]\"\\\\a ,:";
    for (int round = 0; round < 20000; ++round) {
        std::string text = random() % 2 == 0 ? "{" : "[";
        const std::size_t size = random() % 300;
        const std::size_t kinds = 2 + random() % (kLetters.size() - 2);
        while (text.size() < size) {
            text += random() % 3 == 0 ? kLetters[random() % kinds] : static_cast<char>('a' + random() % 26);
            if (random() % 100 == 0) text.append(70, random() % 2 == 0 ? '\\' : 'x');
        }
        REQUIRE(find_container_end(text) == slow_container_end(text));
    }
}

TEST_CASE("a bracket that may close a list of objects is found where it stands") {
    std::mt19937 random(3);
    constexpr std::string_view kLetters = "]]] },\n[\"x\xC3\x80";
    for (int round = 0; round < 20000; ++round) {
        std::string text;
        const std::size_t size = random() % 200;
        const std::size_t rare = 1 + random() % 50;  // brackets far apart as well
        while (text.size() < size) text += random() % rare == 0 ? kLetters[random() % kLetters.size()] : 'y';
        const std::size_t from = random() % (size + 1);
        std::size_t expected = from;
        const auto is_one = [&](std::size_t i) {
            return text[i] == ']' && (i == 0 || std::string_view("},\n ").find(text[i - 1]) != kNotFound);
        };
        while (expected < size && !is_one(expected)) ++expected;
        REQUIRE(find_outer_bracket(text, from) == (expected == size ? kNotFound : expected));
    }
}

TEST_CASE("spaces of a list go, those of its texts stay") {
    std::string scratch;
    CHECK(compact_json("[[256, 1],\n\t[ ], []]", scratch) == "[[256,1],[],[]]");
    CHECK(compact_json(R"(["a b", "c\\" , "d \" e"])", scratch) == R"(["a b","c\\","d \" e"])");
    CHECK(compact_json("[\"open ,  ", scratch) == "[\"open ,  ");
    CHECK(compact_json("", scratch).empty());
}

TEST_CASE("a list is gone through element by element") {
    const std::string_view text = " {\"a\": 1},, 12 \"x\" {\"b\": 2}\n]";
    ListElement element = find_element(text, 0);
    CHECK(element.kind == ListElement::Kind::Object);
    CHECK(text.substr(element.begin, element.end - element.begin) == "{\"a\": 1}");
    element = find_element(text, element.end);
    CHECK(element.kind == ListElement::Kind::Other);
    CHECK(element.commas == 2);
    element = find_element(text, element.end);
    CHECK(element.kind == ListElement::Kind::Other);
    element = find_element(text, element.end);
    CHECK(element.kind == ListElement::Kind::Object);
    element = find_element(text, element.end);
    CHECK(element.kind == ListElement::Kind::ListEnd);
    CHECK(find_element("  , ", 0).kind == ListElement::Kind::Nothing);
    CHECK(find_element("{\"a\"", 0).kind == ListElement::Kind::Incomplete);
    CHECK(find_element("12", 0).kind == ListElement::Kind::Incomplete);
}

TEST_CASE("control characters, bad UTF-8 and stray quotes are mended") {
    CHECK(repair_json("{\"a\": \"b\nc\x01\"}\n", Repair::Characters) == "{\"a\": \"b\\u000ac\\u0001\"}\n");
    CHECK(repair_json("{\"a\": \"\xFF\xC3\xA4\xE2\x82\"}", Repair::Characters) ==
          "{\"a\": \"\xEF\xBF\xBD\xC3\xA4\xEF\xBF\xBD\xEF\xBF\xBD\"}");
    CHECK(repair_json(R"({"a": "x "y" z", "b": 1})", Repair::Quotes) == R"({"a": "x \"y\" z", "b": 1})");
    CHECK(repair_json(R"({"a": "\"", "b": "\\"})", Repair::Quotes) == R"({"a": "\"", "b": "\\"})");
}
