#include "ui/driver/read_script.hpp"

#include "tests/core/temp_folder.hpp"
#include "tests/places.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <iterator>

using nlohmann::json;

namespace {

namespace fs = std::filesystem;

std::string refusal(const char* steps) {
    const auto checked = ui::check_script(json::parse(steps));
    return checked ? std::string() : checked.error().message;
}

}  // namespace

TEST_CASE("a script is refused as a whole before its first step runs") {
    CHECK(refusal(R"([{"click": "a"}, {"wait": "idle"}])").empty());
    CHECK(refusal(R"({"click": "a"})") == "a script is an array of steps");
    CHECK(
        refusal(R"([{"wait": "idle"}, {"clik": "a"}])").starts_with("step 2: no verb in {\"clik\":\"a\"}; known are"));
    CHECK(refusal(R"([{}])").starts_with("step 1: a step is an object with one verb"));
    CHECK(refusal(R"([5])").starts_with("step 1: a step is an object with one verb"));
    CHECK(refusal(R"([{"click": "a", "wth": "ctrl"}])") == "step 1: 'wth' is not an option of click; known are with");
    CHECK(refusal(R"([{"click": "a", "key": "b"}])") == "step 1: two verbs, click and key");
}

TEST_CASE("every verb stands in HACKING.md") {
    std::ifstream in(core::testing::source_folder() / "HACKING.md");
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    for (const std::string& verb : ui::collect_verbs()) {
        INFO(verb);
        CHECK(text.find("`" + verb + "`") != std::string::npos);
    }
}

TEST_CASE("a script's file that cannot be read says where") {
    const core::testing::TempFolder folder;
    const fs::path file = folder.path() / "steps.json";
    CHECK(ui::read_script(file).error().message.find("steps.json: does not exist") != std::string::npos);
    std::ofstream(file) << "[{\"wait\": \"idle\"}";
    CHECK(ui::read_script(file).error().message.find("steps.json: ") != std::string::npos);
    std::ofstream(file) << "[{\"wait\": \"idle\"}]  // and no more";
    CHECK(ui::read_script(file));
}

TEST_CASE("a script of nested brackets is refused, however deep") {
    const auto nested = [](std::size_t deep) {
        return "[{\"click\": " + std::string(deep, '[') + std::string(deep, ']') + "}]";
    };
    CHECK(ui::parse_script(nested(20)).has_value());
    for (const std::size_t deep : {std::size_t{100}, std::size_t{500'000}}) {
        const auto steps = ui::parse_script(nested(deep));
        REQUIRE_FALSE(steps.has_value());
        CHECK(steps.error().message == "not read: brackets are nested more than 64 deep");
    }
    CHECK_FALSE(ui::parse_script("[{\"a\": " + std::string(500'000, '[')).has_value());
}
