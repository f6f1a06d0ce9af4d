// A window that is worked in for long needs no more memory than one that was worked in for a while: what actions leave
// behind is bounded. Counted by the allocator, so nothing depends on when the system takes memory back.

#include "tests/ui/driver/monkey.hpp"

#include <malloc.h>

namespace {

constexpr std::uint64_t kWarmUp = 2'000;
constexpr std::uint64_t kActions = 10'000;
// What may still fill up after the first actions: a thousand steps of undo, glyphs, what the allocator cannot give
// back. The cache of answers has a bound of its own (512 MiB) and is taken off by what it says it holds.
constexpr double kMostGrowthMiB = 40;

constexpr double kMiB = 1 << 20;

double live_mib() {
    const struct mallinfo2 info = ::mallinfo2();
    return static_cast<double>(info.uordblks + info.hblkhd) / kMiB;
}

// The same window, panels and run each time, opened often enough for undo to hold no other run.
double settle(ui::testing::Monkey& monkey) {
    ui::Driver& driver = monkey.driver();
    driver.window().set_scale(1);
    driver.window().post(ui::ResizeInterface{0});
    ui::testing::did(driver.resize(1280, 720));
    for (int i = 0; i < 6; ++i) {
        monkey.open(0, core::Side::Baseline);
        driver.window().post(ui::CloseRun{core::Side::Candidate});
        driver.window().post(ui::SetFilter{});
    }
    for (const char* const panel : {"overview", "kernels"}) driver.window().post(ui::ShowPanel{panel});
    ui::testing::did(driver.wait_idle());
    driver.frames(80);
    return live_mib() - static_cast<double>(driver.session().results().resident_bytes()) / kMiB;
}

}  // namespace

TEST_CASE("live memory does not grow between 2,000 and 10,000 actions of a monkey") {
#if defined(LOCKSTEP_SANITIZED)
    MESSAGE("skipped: a sanitizer has an allocator of its own, which looks for leaks itself");
    return;
#endif
    const core::testing::TempFolder folder;
    const ui::testing::WorkingFolder there(folder.path());
    ui::testing::Monkey monkey(ui::testing::monkey_number("LOCKSTEP_MONKEY_SEED", 7),
                               {{ui::testing::pair().baseline}, {ui::testing::pair().candidate}});
    monkey.open(0, core::Side::Baseline);
    monkey.act(kWarmUp);
    const double before = settle(monkey);
    monkey.act(kActions - kWarmUp);
    const double after = settle(monkey);
    MESSAGE("live memory: ", before, " MiB after 2,000 actions, ", after, " MiB after 10,000");
    CHECK(before > 1);
    CHECK(after - before < kMostGrowthMiB);
}
