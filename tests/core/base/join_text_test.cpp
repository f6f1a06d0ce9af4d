#include "core/base/join_text.hpp"

#include <doctest/doctest.h>

#include <array>
#include <set>

using namespace core;

TEST_CASE("texts are joined by a separator between them, also where one is empty") {
    CHECK(join_text(std::array<std::string_view, 0>{}, ", ").empty());
    CHECK(join_text(std::array<std::string_view, 3>{"a", "", "c"}, ", ") == "a, , c");
    CHECK(join_text(std::set<std::string>{"b", "a"}, " | ") == "a | b");
}
