// Memory of the window is bounded over long use: actions leave nothing behind. Counts the allocator's bytes, so it does
// not depend on when the system takes memory back.

#include "tests/places.hpp"
#include "tests/ui/driver/monkey.hpp"

#include <malloc.h>

namespace {

constexpr std::uint64_t kWarmUp = 2'000;
constexpr std::uint64_t kActions = 10'000;
// Slack after the first actions: a thousand undo steps, glyphs, allocator fragmentation. The answer cache has its own
// limit (512 MiB), and its reported size is subtracted.
constexpr double kMostGrowthMiB = 40;

constexpr double kMiB = 1 << 20;

double live_mib() {
    const struct mallinfo2 info = ::mallinfo2();
    return static_cast<double>(info.uordblks + info.hblkhd) / kMiB;
}

// Opens the same window, panels and run often enough that undo holds no other run.
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
    if (core::testing::is_sanitized()) {
        MESSAGE("skipped: a sanitizer has an allocator of its own, which looks for leaks itself");
        return;
    }
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
