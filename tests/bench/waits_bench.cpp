// Cost of matching, clocks and waits after opening the index files: collectives of many ranks, matched by number and by
// order. Prints processor time of each stage, bytes kept per member, the cost of adding one more rank's keys, and the
// cost of matching per process if several share it.
//
// bench_waits_bench [RANKS COLLECTIVES], by default 1000 and 1000

#include "core/collectives/exchange_matches.hpp"
#include "core/collectives/member_keys.hpp"
#include "tests/core/cluster/thread_channels.hpp"
#include "tests/core/collectives/member_fixture.hpp"

#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace {

// Processor time of this single-threaded process; other load on the machine does not count.
double seconds_since(std::clock_t began) {
    return static_cast<double>(std::clock() - began) / static_cast<double>(CLOCKS_PER_SEC);
}

std::size_t bytes_of(const core::Waits& waits) {
    return waits.times.size() * sizeof(core::CollectiveTimes) + waits.wait.size() * sizeof(std::int64_t) +
           waits.lateness.size() * sizeof(core::Lateness) + waits.blame.size() * sizeof(core::BlameShare) +
           waits.blame_first.size() * sizeof(std::uint32_t);
}

void measure(std::int32_t ranks, std::size_t collectives, bool numbered) {
    core::testing::PlantedRun plan;
    plan.ranks = ranks;
    plan.collectives = collectives;
    plan.numbered = numbered;
    plan.most_offset = 200'000;
    core::testing::MemberFixture fixture;
    const auto calls = core::testing::plant(plan, 1);
    for (std::size_t r = 0; r < calls.size(); ++r)
        fixture.add_rank(static_cast<std::int32_t>(r), calls[r], static_cast<std::int64_t>(calls.size()));
    const std::clock_t began = std::clock();
    const core::MatchedRunPtr matches = fixture.match();
    const double matching = seconds_since(began);
    const std::clock_t matched_at = std::clock();
    const core::WaitsPtr waits = core::measure_waits(matches, std::vector<bool>(matches->cohorts.size(), true));
    const double waiting = seconds_since(matched_at);
    const double members = static_cast<double>(matches->members.size());
    std::printf("%s: %zu collectives, %.0f members\n", numbered ? "by number" : "by order", matches->collectives.size(),
                members);
    std::printf("  matching and clocks %.3f s, waits and blame %.3f s, together %.3f s\n", matching, waiting,
                matching + waiting);
    std::printf("  bytes per member: %zu in the index file, %.1f of matches, %.1f of waits\n",
                sizeof(core::MemberEvent), static_cast<double>(matches->resident_bytes()) / members,
                static_cast<double>(bytes_of(*waits)) / members);
}

// Keys alone: the cost of an arriving rank.
void measure_arrival(std::int32_t ranks, std::size_t collectives) {
    core::testing::PlantedRun plan;
    plan.ranks = ranks;
    plan.collectives = collectives;
    plan.numbered = true;
    core::testing::MemberFixture fixture;
    const auto calls = core::testing::plant(plan, 1);
    for (std::size_t r = 0; r < calls.size(); ++r) fixture.add_rank(static_cast<std::int32_t>(r), calls[r]);
    core::KeyBook book;
    double first = 0, last = 0;
    for (const core::RankMembers& rank : fixture.ranks()) {
        const std::clock_t began = std::clock();
        static_cast<void>(book.number(rank.rank, rank.events, {}));
        last = seconds_since(began);
        if (rank.rank == 0) first = last;
    }
    std::printf("keys of an arriving rank: first %.6f s, after all others %.6f s; %zu of %zu members looked up\n",
                first, last, book.looked_up(), static_cast<std::size_t>(ranks) * collectives);
}

double seconds_of_thread() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Each process is a thread here: cost of the busiest, and bytes it sends.
void measure_shared(std::int32_t ranks, std::size_t collectives) {
    core::testing::PlantedRun plan;
    plan.ranks = ranks;
    plan.collectives = collectives;
    plan.numbered = true;
    plan.most_offset = 200'000;
    core::testing::MemberFixture fixture;
    {
        const auto calls = core::testing::plant(plan, 1);
        for (std::size_t r = 0; r < calls.size(); ++r) fixture.add_rank(static_cast<std::int32_t>(r), calls[r]);
    }
    for (const int processes : {1, 2, 4, 8, 16}) {
        double most = 0;
        std::size_t bytes = 0;
        std::mutex mutex;
        core::testing::ThreadChannels::run(
            processes,
            [&](core::Team& team) {
                core::MatchedRun run;
                run.groups.resize(1);
                run.ranks = fixture.ranks();
                const double began = seconds_of_thread();
                static_cast<void>(core::exchange_matches(team, std::move(run), {}));
                const double spent = seconds_of_thread() - began;
                const std::lock_guard lock(mutex);
                most = std::max(most, spent);
            },
            [&](int from, core::MessageKind, const std::string& message) { bytes += from == 0 ? message.size() : 0; });
        std::printf("shared by %d: at most %.3f s of a process, the first sends %.1f MB\n", processes, most,
                    static_cast<double>(bytes) / 1e6);
    }
}

}  // namespace

int main(int count, char** arguments) {
    const int ranks = count > 1 ? std::atoi(arguments[1]) : 1000;
    const int collectives = count > 2 ? std::atoi(arguments[2]) : 1000;
    if (ranks < 1 || collectives < 1) {
        std::fprintf(stderr, "waits_bench: needs numbers of ranks and collectives above 0\n");
        return 1;
    }
    for (const bool numbered : {true, false}) measure(ranks, static_cast<std::size_t>(collectives), numbered);
    measure_arrival(ranks, static_cast<std::size_t>(collectives));
    measure_shared(ranks, static_cast<std::size_t>(collectives));
    return 0;
}
