#include "core/collectives/exchange_matches.hpp"

#include "core/ingest/load/load_run.hpp"
#include "core/sample/sample_run.hpp"
#include "tests/core/cluster/thread_channels.hpp"
#include "tests/core/collectives/matched_bytes.hpp"
#include "tests/core/collectives/member_fixture.hpp"
#include "tests/core/temp_folder.hpp"
#include "tests/corpus.hpp"

#include <atomic>
#include <set>

using namespace core;
using namespace core::testing;

namespace {

constexpr int kProcesses[] = {1, 2, 3, 4, 7};

RunPtr load_folder(const std::filesystem::path& folder) {
    LoadProgress progress;
    const std::filesystem::path paths[] = {folder};
    LoadOptions options;
    options.threads = 2;
    const Result<RunPtr> run = load_run(paths, options, progress, {});
    REQUIRE(run);
    return *run;
}

// Result of `share` in each process of a team; fails if one fails.
template <class Share>
void check_shared(const MatchedRun& alone, const Share& share) {
    const std::string expected = MatchedBytes::of(alone);
    for (const int count : kProcesses) {
        CAPTURE(count);
        std::atomic<int> equal{0};
        ThreadChannels::run(count, [&](Team& team) {
            const Result<MatchedRunPtr> shared = share(team);
            if (shared && MatchedBytes::of(**shared) == expected) ++equal;
        });
        CHECK(equal == count);
    }
}

void check_shared_run(const Run& run, const MatchParams& params = {}) {
    check_shared(*match_run(run, params), [&](Team& team) { return exchange_matches(team, run, params, {}); });
}

void check_members(const MemberFixture& fixture) {
    check_shared(*fixture.match(), [&](Team& team) {
        MatchedRun run;
        run.groups.resize(1);
        run.ranks = fixture.ranks();
        return exchange_matches(team, std::move(run), {});
    });
}

// Arbitrary ranks: numbers, some of them twice, Comms Ids, messages with and without a peer, neither of these; ranks
// without members, of another world size, far away in time.
void add_random_ranks(MemberFixture& fixture, unsigned seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](std::uint64_t end) { return static_cast<std::int64_t>(random() % end); };
    const std::int64_t ranks = 1 + below(9);
    for (std::int64_t r = 0; r < ranks; ++r) {
        std::vector<MemberFixture::Call> calls;
        std::int64_t at = below(4) == 0 ? 3'600'000'000'000 : 0;
        for (std::int64_t k = below(5) == 0 ? 0 : below(40); k > 0; --k) {
            at += below(30'000'000);
            MemberFixture::Call call{.start = at, .duration = 10'000 + below(5'000'000)};
            call.operation = static_cast<Operation>(below(kOperations));
            call.bytes = below(3) == 0 ? kNoBytes : 1024 * below(4);
            if (below(3) != 0) call.number = k / (1 + below(2));
            if (below(4) == 0) call.comms_id = static_cast<std::uint64_t>(1 + below(6));
            if (below(4) != 0) call.peer = static_cast<std::int32_t>(below(static_cast<std::uint64_t>(ranks)));
            if (below(3) != 0) call.step = below(3);
            calls.push_back(call);
        }
        fixture.add_rank(static_cast<std::int32_t>(r), calls, below(6) == 0 ? 2 * ranks : ranks);
    }
}

}  // namespace

TEST_CASE("processes that share matching have what one process matches, to the byte: members of any kind") {
    std::set<MatchedBy> kinds;
    for (unsigned seed = 1; seed <= 60; ++seed) {
        CAPTURE(seed);
        MemberFixture fixture;
        add_random_ranks(fixture, seed);
        check_members(fixture);
        const MatchedRunPtr alone = fixture.match();
        for (const Collective& c : alone->collectives)
            if (c.count > 1) kinds.insert(c.by);
    }
    CHECK(kinds.size() == 4);
}

TEST_CASE("processes that share matching have what one process matches, to the byte: clocks apart, records lost") {
    for (unsigned seed = 1; seed <= 12; ++seed) {
        CAPTURE(seed);
        PlantedRun plan;
        plan.ranks = 2 + static_cast<std::int32_t>(seed);
        plan.numbered = seed % 3 != 0;
        plan.loss = seed % 2 == 0 ? 0.1 : 0;
        plan.most_offset = 1'000'000;
        MemberFixture fixture;
        const auto calls = plant(plan, seed);
        for (std::size_t r = 0; r < calls.size(); ++r) fixture.add_rank(static_cast<std::int32_t>(r), calls[r]);
        check_members(fixture);
    }
}

TEST_CASE("processes that share matching have what one process matches: no ranks, and ranks without collectives") {
    check_members(MemberFixture());
    MemberFixture none;
    for (std::int32_t r = 0; r < 3; ++r) none.add_rank(r, {});
    check_members(none);
    none.add_rank(3, {MemberFixture::Call{0, 100, Operation::AllReduce, 1}});
    check_members(none);
}

TEST_CASE("processes that share matching have what one process matches, to the byte: a run of three parallel axes") {
    const TempFolder folder;
    SampleOptions options;
    options.ranks = 16;
    options.tensor_parallel = 4;
    options.steps = 3;
    options.layers = 2;
    options.stages = 2;
    REQUIRE(write_sample_run(folder.path() / "run", options, {}));
    const RunPtr run = load_folder(folder.path() / "run");
    CHECK(match_run(*run)->groups.size() > 8);
    check_shared_run(*run);
    check_shared_run(*run, {.tolerance = 1'000'000, .least = 2});
}

TEST_CASE("processes that share matching have what one process matches, to the byte: real runs") {
    if (!corpus_is_here()) return;
    bool any = false;
    for (const fs::path& folder : corpus_runs()) {
        CAPTURE(folder);
        LoadProgress progress;
        const fs::path paths[] = {folder};
        LoadOptions options;
        options.threads = 2;
        const Result<RunPtr> run = load_run(paths, options, progress, {});
        if (!run || (*run)->ranks().size() < 2) continue;
        check_shared_run(**run);
        any = any || !match_run(**run)->collectives.empty();
    }
    if (is_whole_corpus()) CHECK(any);
}

TEST_CASE("sharing fails when it is stopped or a process never joins, and gives no matches") {
    MemberFixture fixture;
    add_random_ranks(fixture, 7);
    std::stop_source stop;
    std::atomic<int> stopped{0};
    ThreadChannels::run(3, [&](Team& team) {
        if (team.index() == 2) {  // never comes
            stop.request_stop();
            return;
        }
        MatchedRun run;
        run.groups.resize(1);
        run.ranks = fixture.ranks();
        const Result<MatchedRunPtr> shared = exchange_matches(team, std::move(run), stop.get_token());
        if (!shared && shared.error().code == ErrorCode::Cancelled) ++stopped;
    });
    CHECK(stopped == 2);
}

TEST_CASE("damaged messages fail or are read, and nothing is read beyond what there is") {
    MemberFixture fixture;
    add_random_ranks(fixture, 11);
    int failed = 0;
    for (unsigned seed = 1; seed <= 100; ++seed) {
        std::mt19937 random(seed);
        std::stop_source stop;  // a failing process stops the others
        ThreadChannels::run(
            3,
            [&](Team& team) {
                MatchedRun run;
                run.groups.resize(1);
                run.ranks = fixture.ranks();
                if (!exchange_matches(team, std::move(run), stop.get_token())) stop.request_stop();
            },
            [&](int, MessageKind, std::string& bytes) {
                constexpr std::size_t kFrame = 4;  // how long a message is stays true
                if (bytes.size() > kFrame && random() % 4 == 0)
                    bytes[kFrame + random() % (bytes.size() - kFrame)] = static_cast<char>(random());
            });
        failed += stop.stop_requested() ? 1 : 0;
    }
    CHECK(failed > 50);
}
