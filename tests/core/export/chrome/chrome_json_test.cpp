#include "core/export/chrome/chrome_json.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <limits>
#include <random>

using namespace core;

namespace {

std::string microseconds(std::int64_t ns) {
    std::string text;
    append_microseconds(text, ns);
    return text;
}

std::string mended(std::string_view json) {
    std::string text;
    append_mended_json(text, json);
    return text;
}

std::string id_text(std::string_view id) {
    std::string text;
    append_json_id(text, id);
    return text;
}

}  // namespace

TEST_CASE("nanoseconds are written as microseconds with three decimals, without rounding") {
    CHECK(microseconds(0) == "0.000");
    CHECK(microseconds(1) == "0.001");
    CHECK(microseconds(1'500) == "1.500");
    CHECK(microseconds(-1'050) == "-1.050");
    CHECK(microseconds(-7) == "-0.007");
    CHECK(microseconds(1'700'000'000'123'456'789) == "1700000000123456.789");
    CHECK(microseconds(std::numeric_limits<std::int64_t>::min()) == "-9223372036854775.808");
}

TEST_CASE("ids are numbers if that loses nothing") {
    CHECK(id_text("7") == "7");
    CHECK(id_text("-1") == "-1");
    CHECK(id_text("0") == "0");
    CHECK(id_text("007") == "\"007\"");
    CHECK(id_text("-0") == "\"-0\"");
    CHECK(id_text("140737353971520123456") == "\"140737353971520123456\"");
    CHECK(id_text("stream \"7\"") == R"("stream \"7\"")");
    CHECK(id_text("") == "\"\"");
}

TEST_CASE("valid JSON is copied without whitespace, invalid JSON is mended") {
    CHECK(mended("{ \"a\" : [ 1 , -2.5e3, true,null ] , \"b c\": { } } rest") ==
          R"({"a":[1,-2.5e3,true,null],"b c":{}})");
    CHECK(mended("{\"a\": NaN, \"b\": 0x1f, \"c\": -inf, \"d\": 01, \"e\": 1e999, \"f\": .5,}") ==
          R"({"a":"NaN","b":"0x1f","c":"-inf","d":"01","e":"1e999","f":".5"})");
    CHECK(mended("{\"a\nb\": \"\x01\\x\"}") == R"({"a\nb":"\u0001\\x"})");
    CHECK(mended("[\"\xff\"]") == "[\"\xEF\xBF\xBD\"]");
    for (const char* const broken : {"", "{", "{\"a\"}", "{\"a\": }", "[1, 2", "\"open", "{1: 2}", "[1:2]"}) {
        INFO(broken);
        CHECK(mended(broken).empty());
    }
    CHECK(mended(std::string(100'000, '[')).empty());
}

TEST_CASE("mended JSON is always valid") {
    std::mt19937 random(5);
    constexpr std::string_view kLetters = "{}[]\",:\\ue0d8-+.1xtrue \n\x01\xc3\xa9\xff";
    std::size_t kept = 0;
    for (int round = 0; round < 30'000; ++round) {
        std::string text = round % 2 ? "{\"a\":[" : "[\"\\ud83d";
        for (int i = std::uniform_int_distribution<int>(0, 14)(random); i > 0; --i)
            text += kLetters[std::uniform_int_distribution<std::size_t>(0, kLetters.size() - 1)(random)];
        text += round % 2 ? "]}" : "\"]";
        const std::string valid = mended(text);
        INFO(text);
        if (!valid.empty()) REQUIRE(nlohmann::json::accept(valid));
        kept += valid.empty() ? 0 : 1;
    }
    CHECK(kept > 1'000);
}

TEST_CASE("members of an object are visited with values of every kind") {
    std::string seen;
    for_each_member(R"({"a":1,"b\"":{"x":[1,2]},"c":"},"})", [&](std::string_view key, std::string_view value) {
        seen.append(key).append("=").append(value).append(";");
    });
    CHECK(seen == R"(a=1;b\"={"x":[1,2]};c="},";)");
    for_each_member("{}", [](std::string_view, std::string_view) { FAIL("there is none"); });
}
