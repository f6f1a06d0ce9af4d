#include "ui/driver/match.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace {

using nlohmann::json;

const json kState = {{"filter", "rank:0-3"},
                     {"run", nullptr},
                     {"rows", 12},
                     {"share", 0.25},
                     {"panels", {{"kernels", {{"names", {"gemm", "copy"}}}}}}};

std::string failure(const char* expected) {
    const auto held = ui::match_state(kState, json::parse(expected));
    return held ? std::string() : held.error().message;
}
bool holds(const char* expected) { return failure(expected).empty(); }

}  // namespace

TEST_CASE("every matcher holds where it should and nowhere else") {
    CHECK(holds(R"({"at": "/filter", "equals": "rank:0-3"})"));
    CHECK_FALSE(holds(R"({"at": "/filter", "equals": "rank:0"})"));
    CHECK(holds(R"({"at": "/rows", "equals": 12.0})"));
    CHECK(holds(R"({"at": "/filter", "differs": ""})"));
    CHECK_FALSE(holds(R"({"at": "/rows", "differs": 12})"));
    CHECK(holds(R"({"at": "/share", "near": 0.26, "tolerance": 0.011})"));
    CHECK_FALSE(holds(R"({"at": "/share", "near": 0.26, "tolerance": 0.009})"));
    CHECK_FALSE(holds(R"({"at": "/filter", "near": 1})"));
    CHECK(holds(R"({"at": "/rows", "at_least": 12, "at_most": 12})"));
    CHECK_FALSE(holds(R"({"at": "/rows", "at_least": 13})"));
    CHECK_FALSE(holds(R"({"at": "/rows", "at_most": 11})"));
    CHECK_FALSE(holds(R"({"at": "/filter", "at_least": 1})"));
    CHECK(holds(R"({"at": "/filter", "contains": "0-3"})"));
    CHECK(holds(R"({"at": "/panels/kernels/names", "contains": "copy"})"));
    CHECK(holds(R"({"at": "/panels", "contains": "kernels"})"));
    CHECK_FALSE(holds(R"({"at": "/panels/kernels/names", "contains": "cop"})"));
    CHECK_FALSE(holds(R"({"at": "/filter", "contains": 5})"));
    CHECK(holds(R"({"at": "/filter", "matches": "^rank:[0-9]"})"));
    CHECK_FALSE(holds(R"({"at": "/filter", "matches": "^step"})"));
    CHECK(holds(R"({"at": "/filter", "exists": true})"));
    CHECK(holds(R"({"at": "/run", "exists": false})"));
    CHECK(holds(R"({"at": "/nowhere/at/all", "exists": false})"));
    CHECK_FALSE(holds(R"({"at": "/filter", "exists": false})"));
    CHECK_FALSE(holds(R"({"at": "/run", "exists": true})"));
}

TEST_CASE("what does not hold says what is there instead") {
    CHECK(failure(R"({"at": "/rows", "equals": 3})") == "/rows is 12, expected equals 3");
    CHECK(failure(R"({"at": "/panels/kernls/names", "equals": 3})") ==
          "there is no 'kernls' in /panels; known are kernels");
    CHECK(failure(R"({"at": "/rows/deep", "equals": 3})") == "there is no 'deep' in /rows: 12");
    CHECK(failure(R"({"at": "/rows", "equls": 3})").starts_with("no matcher 'equls'; known are equals"));
}

TEST_CASE("an expectation that cannot be read is refused, whatever it is") {
    for (const char* const text :
         {"5", "{}", R"({"at": "/rows"})", R"({"equals": 3})", R"({"at": "rows", "equals": 3})",
          R"({"at": 5, "equals": 3})", R"({"at": "/filter", "matches": "("})", R"({"at": "/filter", "matches": 1})",
          R"({"at": "/share", "near": 1, "tolerance": "x"})"}) {
        INFO(text);
        CHECK_FALSE(holds(text));
    }
}
