#include "core/query/filter_option.hpp"

#include <doctest/doctest.h>

using namespace core;

namespace {

std::string meaning(std::string_view name, std::string_view value) {
    const Result<Filter> filter = filter_of_option(name, value);
    return filter ? format_filter(*filter) : filter.error().message;
}

}  // namespace

TEST_CASE("an option of the command line is a filter") {
    CHECK(meaning("ranks", "0-3,8") == "rank:0-3,8");
    CHECK(meaning("steps", "complete") == "step:complete");
    CHECK(meaning("steps", "all").empty());
    CHECK(meaning("streams", "7") == "stream:7");
    CHECK(meaning("classes", "memory") == "class:memory");
    CHECK(meaning("name", "two words") == "name:\"two words\"");
    CHECK(meaning("name", "/^a/") == "name:/^a/");
    CHECK(meaning("filter", "rank:1 dur:>1us") == "rank:1 dur:>1us");
}

TEST_CASE("an unknown option is not found, a wrong value says what was expected") {
    CHECK(filter_of_option("rank", "1").error().code == ErrorCode::NotFound);
    CHECK(meaning("ranks", "x").find("expected numbers") != std::string::npos);
    CHECK(filter_of_option("name", "/(/").error().code == ErrorCode::BadInput);
    for (const std::string_view name : filter_option_names())
        CHECK((filter_of_option(name, "7").has_value() ||
               filter_of_option(name, "7").error().code == ErrorCode::BadInput));
}

TEST_CASE("joined filters hold the terms of both in order") {
    CHECK(format_filter(joined_filters(*parse_filter("rank:1"), *parse_filter("step:2 rank:3"))) ==
          "rank:1 step:2 rank:3");
}
