// Nobody knows what the GPU did for launches without a GPU event: no analysis of time calls it idle.

#include "core/query/lost_launches.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/trace_fixture.hpp"

using namespace core;
using namespace core::testing;

namespace {

constexpr std::size_t kColumnsToIdle = 6;  // those before the split of exposed communication
constexpr std::size_t kStepColumnsToIdle = 8;

// Five steps of 1000 with ten launches each, of 100 ns of work; those for which `is_lost` is true leave no kernel.
template <class IsLost>
RankTracePtr with_lost(const IsLost& is_lost) {
    TraceFixture trace;
    for (int s = 0; s < 5; ++s) {
        trace.step(s * 1'000, 1'000, s + 1);
        for (int i = 0; i < 10; ++i) {
            const int number = s * 10 + i + 1;
            trace.launch(s * 1'000 + i * 90, 10, number);
            if (!is_lost(s, i)) trace.kernel(s * 1'000 + i * 90 + 20, 80, "gemm", 7, number);
        }
    }
    return trace.build();
}

Rows breakdown_of(const Run& run, const char* filter = "") {
    return rows_of(answer_of(run, "temporal-breakdown", filter).main(), kColumnsToIdle);
}

}  // namespace

TEST_CASE("a window in which launches were lost has no parts, and its answer says so") {
    const RunPtr run = run_of({with_lost([](int, int) { return false; }), with_lost([](int, int i) { return i > 1; })});
    const Answer answer = answer_of(*run, "temporal-breakdown");
    CHECK(rows_of(answer.main(), kColumnsToIdle) == Rows{"0 4890 4000 0 0 890", "1 4170 - - - -"});
    REQUIRE_FALSE(answer.excluded.empty());
    CHECK(answer.excluded.front().what == "ranks whose parts are unknown: launches have no GPU event");
    CHECK(answer.excluded.front().count == 1);
}

TEST_CASE("steps at the head that were lost have no parts, the others and the window after them have") {
    const RunPtr run = run_of({with_lost([](int s, int) { return s < 2; })});
    CHECK(rows_of(answer_of(*run, "steps").main(), kStepColumnsToIdle) ==
          Rows{"0 1 0 1000 - - - -", "0 2 1000 1000 - - - -", "0 3 2000 1000 800 0 0 200", "0 4 3000 1000 800 0 0 200",
               "0 5 4000 1000 800 0 0 200"});
    CHECK(breakdown_of(*run) == Rows{"0 2890 2400 0 0 490"});
}

TEST_CASE("gaps in which lost work may have run are not recorded, the others have their causes") {
    const RunPtr run = run_of({with_lost([](int s, int i) { return s == 2 && i > 3; })});
    CHECK(rows_of(answer_of(*run, "device-idle", "", {{"short_gap", "20ns"}}).main(), 4) ==
          Rows{"0 host_wait 3 330", "0 kernel_wait 39 390", "0 not_recorded 1 650"});
}

TEST_CASE("what is lost is looked up by time, and less than one per cent hides nothing") {
    const RunPtr run = run_of({with_lost([](int s, int i) { return s == 2 && i > 3; })});
    const RankIndex& index = *run->rank(0).index;
    const LostLaunches lost(index.trace());
    const auto range = [](std::int64_t begin, std::int64_t end) { return RankRange{rank_time(begin), rank_time(end)}; };
    CHECK(lost.hide(range(0, 5'000)));
    CHECK_FALSE(lost.hide(range(0, 2'000)));
    CHECK(lost.any_in(range(2'360, 2'361)));
    CHECK_FALSE(lost.any_in(range(2'361, 2'362)));
    CHECK(are_launches_lost(index, range(0, 5'000)));
    const RunPtr whole = run_of({with_lost([](int, int) { return false; })});
    CHECK_FALSE(are_launches_lost(*whole->rank(0).index, range(0, 5'000)));
}
