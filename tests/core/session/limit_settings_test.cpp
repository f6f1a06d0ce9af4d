#include "core/session/limit_settings.hpp"

#include <doctest/doctest.h>

using core::change_limit;

TEST_CASE("a limit is added to limits.json, changed and removed; the others stay") {
    const core::Result<std::string> one = change_limit("", "host.warn", 0.2);
    REQUIRE(one);
    CHECK(*one == "{\n  \"host.warn\": 0.2\n}\n");
    const core::Result<std::string> two = change_limit(*one, "steps.bad", 0.5);
    REQUIRE(two);
    core::Limits limits;
    CHECK_FALSE(limits.add_json(*two));
    CHECK(change_limit(*two, "steps.bad", {}).value() == *one);
}

TEST_CASE("a limits.json that the program would not read is left alone") {
    CHECK_FALSE(change_limit("{\"host.warn\": 0.2} // mine", "host.warn", 0.3));
    CHECK_FALSE(change_limit("[1]", "host.warn", 0.3));
    CHECK_FALSE(change_limit("", "none.such", 0.3));
    CHECK_FALSE(change_limit("", "host.warn", -1));
    CHECK_FALSE(core::set_limit({}, "host.warn", 0.3));
}

TEST_CASE("limits of options win over those of the file, which may be replaced") {
    core::Limits of_file, of_options, later;
    CHECK_FALSE(of_file.add("host.warn=0.2,steps.bad=0.6"));
    CHECK_FALSE(of_options.add("host.warn=0.4"));
    CHECK_FALSE(later.add("host.warn=0.3"));
    core::set_limits(of_file, of_options);
    const auto value_of = [](std::string_view id) {
        for (std::size_t row = 0; row < core::kLimits; ++row)
            if (core::limit_rows()[row].id == id) return core::current_limits().value(row);
        return -1.0;
    };
    CHECK(value_of("host.warn") == 0.4);
    CHECK(value_of("steps.bad") == 0.6);
    core::replace_file_limits(later);
    CHECK(value_of("host.warn") == 0.4);
    CHECK(value_of("steps.bad") == 0.25);
    core::set_limits({}, {});
}
