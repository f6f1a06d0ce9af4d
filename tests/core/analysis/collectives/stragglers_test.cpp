#include "core/analysis/collectives/straggler_sums.hpp"

#include "core/analysis/collectives/causes.hpp"
#include "core/collectives/choose_clocks.hpp"
#include "core/ingest/load/load_run.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/trace_fixture.hpp"
#include "tests/corpus.hpp"

#include <nlohmann/json.hpp>

#include <fstream>
#include <map>
#include <random>

using namespace core;
using namespace core::testing;
using Json = nlohmann::json;

namespace {

// Ranks that compute, copy, pause and then meet in collectives; the kernels are launched from a CPU thread.
RunPtr random_run(unsigned seed, int ranks = 4) {
    std::mt19937_64 random(seed);
    const auto below = [&](std::int64_t most) {
        return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
    };
    std::vector<TraceFixture> fixtures(static_cast<std::size_t>(ranks));
    std::vector<std::int64_t> now(fixtures.size(), 0);
    std::int64_t correlation = 0;
    for (int k = 0; k < 24; ++k) {
        std::vector<std::int64_t> arrivals;
        for (std::size_t r = 0; r < fixtures.size(); ++r) {
            std::int64_t at = now[r] + below(400'000);
            const std::int64_t work = 200'000 + below(2'000'000);
            ++correlation;
            fixtures[r].launch(at, 10, correlation).kernel(at + 20'000, work, "gemm", 7, correlation);
            at += 20'000 + work;
            if (below(3) == 0) {
                const std::int64_t copy = below(300'000);
                fixtures[r].kernel(at, copy, "Memcpy DtoD", 8, -1, "gpu_memcpy");
                at += copy;
            }
            arrivals.push_back(at + below(200'000));
        }
        const std::int64_t end = *std::ranges::max_element(arrivals) + 30'000 + below(40'000);
        for (std::size_t r = 0; r < fixtures.size(); ++r) {
            const std::int64_t left = end + below(300);
            fixtures[r]
                .kernel(arrivals[r], left - arrivals[r], "ncclDevKernel_AllReduce", 9)
                .arg(Arg::CollectiveName, "allreduce")
                .arg(Arg::GroupName, "dp")
                .arg(Arg::GroupRanks, "[0, 1, 2, 3]")
                .arg(Arg::Seq, k);
            now[r] = left;
            if (k % 3 == 0) fixtures[r].kernel(left - 100'000, 150'000, "beside", 7);
        }
    }
    std::vector<RankTracePtr> traces;
    for (int r = 0; r < ranks; ++r) traces.push_back(fixtures[static_cast<std::size_t>(r)].rank(r).build());
    return run_of(traces);
}

std::int64_t sum_of(const Table& table, std::string_view column) {
    const std::size_t at = table.find_column(column);
    REQUIRE(at < table.columns().size());
    std::int64_t sum = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) sum += table.integer(row, at);
    return sum;
}

// Nanoseconds with communication and without compute, computed at every boundary.
struct NaiveExposed {
    std::int64_t all = 0, wait = 0, transfer = 0;
};

NaiveExposed naive_exposed(const Run& run, std::uint32_t slot) {
    const RankTrace& trace = run.rank(slot).trace();
    const WaitsPtr waits = waits_of(run);
    std::map<EventId, std::int64_t> wait_of;
    for (std::uint32_t i = 0; i < waits->matched->members.size(); ++i) {
        const MemberRef ref = waits->matched->members[i];
        if (ref.slot == slot) wait_of[waits->matched->member(ref).event] = waits->wait_of(i);
    }
    std::vector<std::int64_t> cuts;
    for (const EventId e : trace.gpu_events) {
        cuts.push_back(ns_of(trace.start[index_of(e)]));
        cuts.push_back(ns_of(trace.end(e)));
        if (wait_of.contains(e)) cuts.push_back(ns_of(trace.start[index_of(e)]) + wait_of[e]);
    }
    std::ranges::sort(cuts);
    NaiveExposed naive;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
        bool compute = false, communication = false, transfer = false;
        for (const EventId e : trace.gpu_events) {
            if (!trace.range(e).contains(rank_time(cuts[i]))) continue;
            const KernelClass of = run.rank(slot).index->classes().of(e);
            compute = compute || of == KernelClass::Compute;
            if (of != KernelClass::Communication) continue;
            communication = true;
            transfer = transfer || cuts[i] >= ns_of(trace.start[index_of(e)]) + wait_of[e];
        }
        if (compute || !communication) continue;
        naive.all += cuts[i + 1] - cuts[i];
        (transfer ? naive.transfer : naive.wait) += cuts[i + 1] - cuts[i];
    }
    return naive;
}

}  // namespace

TEST_CASE("waits caused, rooted and suffered have one sum, and causes and steps add up to it") {
    for (unsigned seed = 1; seed <= 6; ++seed) {
        INFO(seed);
        const RunPtr run = random_run(seed);
        const Table stragglers = answer_of(*run, "stragglers").main();
        const Table causes = answer_of(*run, "straggler-causes").main();
        const Table steps = answer_of(*run, "wait-by-step").main();
        const Table collectives = answer_of(*run, "collectives").main();
        const std::int64_t wait = sum_of(collectives, "wait");
        CHECK(wait > 0);
        for (const Table* const table : {&stragglers, &causes, &steps}) {
            CHECK(sum_of(*table, "wait_caused") == wait);
            CHECK(sum_of(*table, "wait_rooted") == wait);
        }
        CHECK(sum_of(stragglers, "own_wait") == wait);
        CHECK(sum_of(*answer_of(*run, "stragglers").find("pairs"), "wait") == wait);
        CHECK(sum_of(steps, "own_wait") == wait);
        CHECK(sum_of(answer_of(*run, "waits").main(), "wait") == wait);
    }
}

TEST_CASE("lateness is inherited, compute, memory, communication and idle together") {
    for (unsigned seed = 1; seed <= 6; ++seed) {
        const Table causes = answer_of(*random_run(seed), "straggler-causes").main();
        const auto value = [&](std::size_t row, std::string_view name) {
            return causes.integer(row, causes.find_column(name));
        };
        CHECK(causes.rows() > 0);
        for (std::size_t row = 0; row < causes.rows(); ++row)
            CHECK(value(row, "lateness") == value(row, "inherited") + value(row, "compute") + value(row, "memory") +
                                                value(row, "communication") + value(row, "idle"));
    }
}

TEST_CASE("exposed communication splits as a naive count of instants does, and adds up to the breakdown") {
    for (unsigned seed = 1; seed <= 4; ++seed) {
        INFO(seed);
        const RunPtr run = random_run(seed);
        const Table exposed = answer_of(*run, "exposed-communication").main();
        const Table breakdown = answer_of(*run, "temporal-breakdown").main();
        for (std::uint32_t slot = 0; slot < run->ranks().size(); ++slot) {
            const NaiveExposed naive = naive_exposed(*run, slot);
            CHECK(exposed.integer(slot, 1) == naive.all);
            CHECK(exposed.integer(slot, 2) == naive.wait);
            CHECK(exposed.integer(slot, 3) == naive.transfer);
            CHECK(exposed.integer(slot, 4) == 0);
            CHECK(exposed.integer(slot, 1) == breakdown.integer(slot, breakdown.find_column("exposed_communication")));
        }
    }
}

TEST_CASE("who is late is flagged with its cause, and the rows of others show their waiting") {
    std::vector<RankTracePtr> traces;
    for (int r = 0; r < 4; ++r) {
        TraceFixture fixture;
        fixture.rank(r);
        for (std::int64_t k = 0; k < 8; ++k) {
            const std::int64_t begin = k * 10'000'000;
            const std::int64_t late = r == 2 ? 5'000'000 : 0;
            fixture.kernel(begin, 500'000, "gemm");
            if (late > 0) fixture.cpu(begin + 100'000, late + 350'000, "enumerate(DataLoader)#_Iter.__next__");
            fixture.launch(begin + late + 460'000, 10, k + 1)
                .kernel(begin + late + 600'000, (r == 2 ? 0 : 5'000'000) + 100'000, "ncclDevKernel_AllReduce", 9, k + 1)
                .arg(Arg::CollectiveName, "allreduce")
                .arg(Arg::Seq, k);
        }
        traces.push_back(fixture.build());
    }
    const RunPtr run = run_of(traces);
    const Table table = answer_of(*run, "stragglers").main();
    REQUIRE(table.rows() == 4);
    CHECK(format_cell(table, 0, 0) == "2");
    CHECK(table.text(0, table.find_column("flagged")) == "yes");
    CHECK(table.text(0, table.find_column("cause")) == "data loading");
    CHECK(table.integer(0, table.find_column("last")) == 8);
    CHECK(table.integer(0, table.find_column("wait_caused")) == 8 * 3 * 5'000'000);
    CHECK(table.integer(0, table.find_column("gain")) == 8 * 5'000'000);
    for (std::size_t row = 1; row < 4; ++row) {
        CHECK(table.text(row, table.find_column("flagged")) == "no");
        CHECK(table.integer(row, table.find_column("own_wait")) == 8 * 5'000'000);
    }
}

TEST_CASE("a filter by group, step or rank chooses collectives; their numbers are those of all members") {
    const RunPtr run = random_run(3);
    const Table all = answer_of(*run, "collectives").main();
    const Table of_one = answer_of(*run, "collectives", "rank:1").main();
    REQUIRE(of_one.rows() == all.rows());
    for (std::size_t row = 0; row < all.rows(); ++row)
        CHECK(format_cell_exact(all, row, all.find_column("wait")) ==
              format_cell_exact(of_one, row, all.find_column("wait")));
    CHECK(answer_of(*run, "collectives", "group:tp").main().rows() == 0);
    CHECK(answer_of(*run, "stragglers", "rank:1").main().rows() == 1);
}

TEST_CASE("robust scores fall back on the mean deviation where more than half are equal") {
    const std::vector<std::optional<double>> scores = robust_scores({0, 0, 0, 3});
    REQUIRE(scores[3]);
    CHECK(*scores[3] == doctest::Approx(4 / 1.2533));
    CHECK_FALSE(robust_scores({1, 2})[0]);
    CHECK(*robust_scores({5, 5, 5})[0] == 0);
    CHECK(*robust_scores({1, 2, 3, 4, 100})[4] == doctest::Approx(0.6745 * 97));
}

TEST_CASE("stragglers of the shared runs are those of an independent program, on both clocks") {
    if (!corpus_is_here()) return;
    const fs::path answers = shared_folder("LOCKSTEP_GOLDEN", "golden") / "collectives";
    constexpr std::pair<const char*, ClockChoice> kClocks[] = {{"raw", ClockChoice::Recorded},
                                                               {"aligned", ClockChoice::Aligned}};
    for (const char* const folder :
         {"param/dlrm_8rank", "torchrec/resnet18_2rank", "torchrec/sleep_pl_dense", "torchrec/a2a_optimizer_4rank",
          "torchrec/a2a_optimizer_3", "HolisticTraceAnalysis/trace_filter",
          "Ascend-msinsight/pytorch_npu_level0_2rank"}) {
        INFO(folder);
        const fs::path path = corpus_folder() / folder;
        std::ifstream file(answers / (path.filename().string() + ".json"));
        if (!is_whole_corpus() || !file) continue;
        const Json golden = Json::parse(file)["sessions"][0]["stragglers"];
        LoadProgress progress;
        const Result<RunPtr> loaded = load_run(std::span(&path, 1), {}, progress, {});
        REQUIRE(loaded);
        for (const auto& [clocks, choice] : kClocks) {
            INFO(clocks);
            const RunPtr run = with_clocks(*loaded, choice);
            const Table table = answer_of(*run, "stragglers").main();
            CHECK(table.rows() == golden[clocks].size());
            for (std::size_t row = 0; row < table.rows(); ++row) {
                const Json& one = golden[clocks][format_cell(table, row, 0)];
                const auto value = [&](const char* name) { return table.number(row, table.find_column(name)); };
                for (const char* const name : {"collectives", "last", "close", "incomplete", "left_early"})
                    CHECK(value(name) == one[name].get<double>());
                for (const char* const name : {"wait_caused", "own_wait", "gain"})
                    CHECK(std::abs(value(name) - one[name].get<double>()) <= 50'000);
                // Blame is traced further than by the oracle, which moves some microseconds of each collective.
                CHECK(std::abs(value("wait_rooted") - one["wait_rooted"].get<double>()) <= 100'000);
                const bool has_score = !table.absent(row, table.find_column("score"));
                CHECK(has_score == !one["score"].is_null());
                if (has_score) CHECK(value("score") == doctest::Approx(one["score"].get<double>()).epsilon(0.01));
            }
        }
    }
}

namespace {

std::int64_t apart_by(std::int64_t a, std::int64_t b) { return a < b ? b - a : a - b; }

// Class of time that a cause belongs to; empty if none.
std::string class_of_cause(const Cause& cause) {
    if (cause.name == "inherited") return "inherited";
    const StretchParts& parts = cause.parts;
    const std::int64_t most = std::max({parts.compute, parts.memory, parts.communication, parts.idle});
    if (most == parts.idle) return "idle";
    if (most == parts.compute) return "compute";
    return most == parts.memory ? "memory" : "communication";
}

struct CausesCompared {
    std::size_t all = 0;
    std::size_t idle = 0;
};

void check_causes(const Run& run, const Waits& waits, const Json& golden, CausesCompared& compared) {
    const MatchedRun& matches = *waits.matched;
    for (const Json& one : golden) {
        if (!one.contains("parts")) continue;
        const auto is_same = [&](const Collective& c) {
            return name_of(c.operation) == one["operation"].get<std::string>() &&
                   c.sequence == one["sequence"].get<std::uint32_t>() && c.cohort == 0;
        };
        const auto found = std::ranges::find_if(matches.collectives, is_same);
        REQUIRE(found != matches.collectives.end());
        const auto number = static_cast<std::uint32_t>(found - matches.collectives.begin());
        INFO(name_of(found->operation) << ' ' << found->sequence);
        const Cause cause = find_cause(run, waits, number);
        const Json& parts = one["parts"];
        CHECK(apart_by(cause.parts.compute, parts["compute"].get<std::int64_t>()) <= 1'000);
        CHECK(apart_by(cause.parts.memory, parts["memory"].get<std::int64_t>()) <= 1'000);
        CHECK(apart_by(cause.parts.communication, parts["communication"].get<std::int64_t>()) <= 1'000);
        CHECK(apart_by(cause.parts.idle, parts["idle"].get<std::int64_t>()) <= 1'000);
        if (!cause.shows) continue;  // within the error of the clocks
        CHECK(class_of_cause(cause) == one["cause"].get<std::string>());
        ++compared.all;
        if (class_of_cause(cause) != "idle" || one["gap"]["op"].is_null()) continue;
        CHECK(cause.what.find(one["gap"]["op"].get<std::string>().substr(0, 80)) != std::string::npos);
        ++compared.idle;
    }
}

}  // namespace

TEST_CASE("causes of lateness on the shared runs are those of an independent program, with the host's op in the gap") {
    if (!corpus_is_here()) return;
    const fs::path answers = shared_folder("LOCKSTEP_GOLDEN", "golden") / "collectives";
    CausesCompared compared;
    for (const char* const folder :
         {"param/dlrm_8rank", "torchrec/resnet18_2rank", "torchrec/sleep_pl_dense", "torchrec/a2a_optimizer_4rank",
          "torchrec/a2a_optimizer_3", "HolisticTraceAnalysis/trace_filter",
          "Ascend-msinsight/pytorch_npu_level0_2rank"}) {
        INFO(folder);
        const fs::path path = corpus_folder() / folder;
        std::ifstream file(answers / (path.filename().string() + ".json"));
        if (!is_whole_corpus() || !file) continue;
        const Json golden = Json::parse(file)["sessions"][0]["latest"];
        LoadProgress progress;
        const Result<RunPtr> run = load_run(std::span(&path, 1), {}, progress, {});
        REQUIRE(run);
        const MatchedRunPtr matches = matched(**run);
        for (const bool aligned : {false, true}) {
            INFO(aligned);
            const char* const clocks = aligned ? "aligned" : "raw";
            if (!golden.contains(clocks)) continue;
            check_causes(**run, *measure_waits(matches, std::vector<bool>(matches->cohorts.size(), aligned)),
                         golden[clocks], compared);
        }
    }
    if (is_whole_corpus()) MESSAGE(compared.all << " causes, " << compared.idle << " with the host's op");
}
