#include "ui/timeline/parts/clock_chip.hpp"
#include "core/collectives/choose_clocks.hpp"

#include <doctest/doctest.h>

using core::ClockChoice;
using core::ClockFacts;
using core::Duration;

TEST_CASE("the chip names clock, residual and error, and in little room the clock alone") {
    const ClockFacts aligned{.aligned = true,
                             .measured = true,
                             .comparable = true,
                             .matters = true,
                             .residual = Duration{1'100},
                             .error = Duration{4'900},
                             .refused = {}};
    CHECK(ui::describe_chip(aligned, false) == "aligned \xC2\xB7 residual 1.10 \xC2\xB5s \xC2\xB7 e 4.90 \xC2\xB5s");
    CHECK(ui::describe_chip(aligned, true) == "aligned");
    CHECK(ui::describe_chip(ClockFacts{}, false) == "recorded");
}

TEST_CASE("a click switches between aligned and recorded clocks, and nowhere where clocks cannot be compared") {
    ClockFacts facts{.aligned = true,
                     .measured = true,
                     .comparable = true,
                     .matters = true,
                     .residual = {},
                     .error = {},
                     .refused = {}};
    CHECK(ui::switch_clocks(facts) == ClockChoice::Recorded);
    facts.aligned = false;
    CHECK(ui::switch_clocks(facts) == ClockChoice::Auto);
    facts.matters = false;
    CHECK(ui::switch_clocks(facts) == ClockChoice::Aligned);
    facts.comparable = false;
    CHECK_FALSE(ui::switch_clocks(facts));
}

TEST_CASE("the tooltip says why clocks cannot be compared and that durations stay as recorded") {
    const ClockFacts refused{.aligned = false,
                             .measured = true,
                             .comparable = false,
                             .matters = false,
                             .residual = Duration{5'000'000},
                             .error = Duration{50'000},
                             .refused = "members leave too far apart"};
    const std::string text = ui::explain_clocks(refused, ClockChoice::Auto);
    CHECK(text.find("Chosen: auto.") != std::string::npos);
    CHECK(text.find("cannot be compared: members leave too far apart") != std::string::npos);
    CHECK(text.find("Durations are the same on either clock") != std::string::npos);
    CHECK(text.find("Click") == std::string::npos);
}
