#include "core/ingest/load/align_clocks.hpp"

#include <doctest/doctest.h>

using namespace core;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

RankWindow window(int rank, std::int64_t begin, std::int64_t end, int capture = 0) {
    return {{rank, capture}, {rank_time(begin), rank_time(end)}, "rank" + std::to_string(rank)};
}

}  // namespace

TEST_CASE("ranks that overlap or nearly do keep their clocks") {
    Diagnostics diagnostics;
    const std::vector<RankWindow> windows{window(0, 0, kSecond), window(1, kSecond / 2, 2 * kSecond),
                                          window(2, 5 * kSecond, 6 * kSecond)};
    for (const ClockMap& clock : align_clocks(windows, diagnostics)) CHECK(clock == ClockMap{});
    CHECK(diagnostics.empty());
}

TEST_CASE("a clock of another origin is aligned at its start, and reported") {
    Diagnostics diagnostics;
    const std::int64_t far = 1'700'000'000 * kSecond;
    const std::vector<RankWindow> windows{window(0, far, far + kSecond), window(1, far + 5, far + kSecond),
                                          window(2, 100, kSecond), window(3, 300, kSecond)};
    const std::vector<ClockMap> clocks = align_clocks(windows, diagnostics);
    CHECK(clocks[0] == ClockMap{});
    CHECK(clocks[1] == ClockMap{});
    CHECK(clocks[2].to_run(rank_time(100)) == run_time(far));
    CHECK(clocks[3].to_run(rank_time(300)) == run_time(far + 200));
    CHECK(diagnostics.count("clock-guessed") == 2);
}

TEST_CASE("captures of one rank are not shifted onto each other") {
    Diagnostics diagnostics;
    const std::vector<RankWindow> windows{window(0, 0, kSecond), window(1, 5, kSecond),
                                          window(0, 500 * kSecond, 501 * kSecond, 1),
                                          window(1, 500 * kSecond, 501 * kSecond, 1)};
    for (const ClockMap& clock : align_clocks(windows, diagnostics)) CHECK(clock == ClockMap{});
    CHECK(diagnostics.empty());
}

TEST_CASE("empty windows and extreme times are accepted") {
    Diagnostics diagnostics;
    const std::int64_t most = 6'900'000'000'000'000'000;
    const std::vector<RankWindow> windows{window(0, 0, 0), window(1, -2'000'000'000'000'000'000, most),
                                          window(2, 0, kSecond)};
    CHECK(align_clocks(windows, diagnostics).size() == 3);
    CHECK(align_clocks({}, diagnostics).empty());
}
