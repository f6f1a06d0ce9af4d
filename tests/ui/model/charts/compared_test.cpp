#include "ui/model/charts/compared.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using ui::Compared;

TEST_CASE("a change has a sign; a ratio is a difference until it exceeds 2") {
    const Compared more = Compared::between(1e6, 1.024e6);
    CHECK(ui::format_change(more, core::Unit::Ns) == "+24.0 \xC2\xB5s");
    CHECK(ui::format_ratio_change(more) == "+2.40 %");
    CHECK(ui::noticeable_change(more) == 1);
    const Compared less = Compared::between(8, 2);
    CHECK(ui::format_change(less, core::Unit::Count) == "-6");
    CHECK(ui::format_ratio_change(less) == "-75.0 %");
    CHECK(ui::noticeable_change(less) == -1);
    CHECK(ui::format_ratio_change(Compared::between(2, 7)) == "\xC3\x97 3.5");
}

TEST_CASE("a change of 0 has no sign, and a small change is not noticeable") {
    const Compared same = Compared::between(5, 5);
    CHECK(ui::format_change(same, core::Unit::Ns) == "0");
    CHECK(ui::format_ratio_change(same) == "0 %");
    CHECK(ui::noticeable_change(same) == 0);
    CHECK(ui::noticeable_change(Compared::between(1000, 1004)) == 0);
    CHECK(ui::format_ratio_change(Compared::between(1e9, 1e9 + 1)) == "<0.01 %");
}

TEST_CASE("a value that one side lacks makes the change absent, never 0") {
    const Compared added = Compared::between(std::nullopt, 7);
    CHECK_FALSE(added.change);
    CHECK_FALSE(added.ratio);
    CHECK(ui::format_change(added, core::Unit::Ns) == "\xE2\x80\x93");
    CHECK(ui::format_ratio_change(added).empty());
    CHECK(ui::describe_compared(added) == nlohmann::json{{"candidate", 7.0}});
    const Compared from_nothing = Compared::between(0, 7);
    CHECK(from_nothing.change == 7);
    CHECK_FALSE(from_nothing.ratio);
    CHECK(ui::noticeable_change(from_nothing) == 1);
    CHECK_FALSE(Compared{}.known());
}
