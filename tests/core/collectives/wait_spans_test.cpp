#include "core/collectives/wait_spans.hpp"

#include "core/ingest/load/load_run.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/trace_fixture.hpp"
#include "tests/corpus.hpp"

#include <cmath>
#include <random>

using namespace core;

namespace {

std::vector<RankRange> random_spans(std::mt19937_64& random, std::size_t count, std::int64_t longest) {
    std::vector<RankRange> spans;
    std::int64_t at = -5'000;
    for (std::size_t i = 0; i < count; ++i) {
        at += 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(longest));
        const std::int64_t end = at + 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(longest));
        spans.push_back({rank_time(at), rank_time(end)});
        at = end;
    }
    return spans;
}

std::int64_t naive_time(const std::vector<RankRange>& spans, RankRange range) {
    std::int64_t sum = 0;
    for (const RankRange& span : spans)
        sum += std::max<std::int64_t>(0, (std::min(span.end, range.end) - std::max(span.begin, range.begin)).count());
    return sum;
}

}  // namespace

TEST_CASE("waiting in a range and in columns is what every span says of it") {
    for (unsigned seed = 1; seed <= 40; ++seed) {
        std::mt19937_64 random(seed);
        const auto spans = random_spans(random, seed % 30, seed % 3 == 0 ? 4'000 : 40);
        const WaitSpans waits(spans);
        CHECK(waits.total() == naive_time(spans, {rank_time(-1'000'000), rank_time(1'000'000'000)}));
        for (int i = 0; i < 20; ++i) {
            const std::int64_t begin = -6'000 + static_cast<std::int64_t>(random() % 20'000);
            const RankRange range{rank_time(begin), rank_time(begin + static_cast<std::int64_t>(random() % 9'000))};
            CHECK(waits.time_in(range) == naive_time(spans, range));
        }
        const double column = seed % 2 == 0 ? 100 : 7;
        std::vector<float> shares(97, 0);
        const RankTime t0 = rank_time(-5'200 + static_cast<std::int64_t>(random() % 3'000));
        waits.add_shares(t0, 0, column, shares);
        for (std::size_t x = 0; x < shares.size(); ++x) {
            const auto from = ns_of(t0) + static_cast<std::int64_t>(column) * static_cast<std::int64_t>(x);
            const RankRange cell{rank_time(from), rank_time(from + static_cast<std::int64_t>(column))};
            CHECK(static_cast<double>(shares[x]) ==
                  doctest::Approx(static_cast<double>(naive_time(spans, cell)) / column).epsilon(1e-4));
        }
        for (const RankRange& span : spans) CHECK(waits.end_of(span.begin) == span.end);
        if (!spans.empty()) CHECK(waits.end_of(spans.front().begin - Duration{1}) == spans.front().begin - Duration{1});
    }
}

TEST_CASE("what is drawn as waiting on the ranks of the corpus is exposed_wait of exposed-communication") {
    if (!testing::corpus_is_here()) return;
    for (const char* const name : {"param/dlrm_8rank", "torchrec/a2a_optimizer_4rank"}) {
        const std::filesystem::path path = testing::corpus_folder() / name;
        LoadProgress progress;
        const Result<RunPtr> loaded = load_run(std::span(&path, 1), {}, progress, {});
        REQUIRE(loaded);
        const RunPtr run = *loaded;
        const RunWaitSpansPtr spans = wait_spans_of(*run);
        const Table table = testing::answer_of(*run, "exposed-communication").main();
        REQUIRE(table.rows() == run->ranks().size());
        CHECK(spans->any);
        for (std::size_t row = 0; row < table.rows(); ++row)
            CHECK(spans->ranks[row].exposed.total() == table.integer(row, table.find_column("exposed_wait")));
    }
}

TEST_CASE("a receive that waits for its send is drawn so, and doesn't count as exposed waiting") {
    const auto rank = [](int number, std::int64_t start, std::int64_t duration) {
        testing::TraceFixture fixture;
        fixture.kernel(start, duration, "ncclDevKernel_SendRecv", 9)
            .arg(Arg::CollectiveName, number == 0 ? "send" : "recv")
            .arg(Arg::GroupName, "pp")
            .arg(Arg::GroupRanks, "[0, 1]")
            .arg(number == 0 ? Arg::DestinationRank : Arg::SourceRank, 1 - number);
        return fixture.rank(number).build();
    };
    const RunPtr run = testing::run_of({rank(0, 70'000, 40'000), rank(1, 10'000, 100'000)});
    const RunWaitSpansPtr spans = wait_spans_of(*run);
    CHECK(spans->ranks[0].lanes.empty());
    REQUIRE(spans->ranks[1].lanes.size() == 1);
    CHECK(spans->ranks[1].lanes[0].second.total() == 60'000);
    CHECK(spans->ranks[1].exposed.empty());
    const Table waits = testing::answer_of(*run, "waits").main();
    REQUIRE(waits.rows() == 2);
    CHECK(waits.absent(0, waits.find_column("wait")));
    CHECK(waits.integer(1, waits.find_column("wait")) == 60'000);
}
