// The parts of the steps against a sum over every nanosecond of random runs, and on real captures.

#include "core/diff/step_change/contributions.hpp"

#include "core/diff/statistics/statistics_text.hpp"
#include "core/query/filter_text.hpp"
#include "tests/core/diff/statistics/random_steps.hpp"
#include "tests/golden/goldens.hpp"

#include <algorithm>
#include <cmath>
#include <random>

using namespace core;
using namespace core::testing;

namespace {

struct Compared {
    StepStatistics statistics;
    Contributions contributions;
};

Compared compare_contributions(const Run& baseline, const Run& candidate, const StatisticsOptions& options) {
    const SampledRuns sampled = sample_runs({&baseline, &candidate}, {}, options);
    Compared compared{compare_steps_of(sampled, options), {}};
    Result<Contributions> parts = compare_parts(sampled, compared.statistics, {}, {});
    REQUIRE(parts);
    compared.contributions = *std::move(parts);
    return compared;
}

std::int64_t change_of_part(const Contributions& contributions, StepPart part) {
    std::int64_t sum = 0;
    for (const Contribution& one : contributions.parts) sum += one.part == part ? one.change() : 0;
    return sum;
}

}  // namespace

TEST_CASE("parts of the slowest ranks' steps are those of a sum over every nanosecond, and add up") {
    std::mt19937 engine(17);
    StatisticsOptions options;
    options.warmup = 0;
    for (int round = 0; round < 60; ++round) {
        CAPTURE(round);
        const BySide<RandomRank> ranks{random_rank(engine), random_rank(engine)};
        const BySide<RunPtr> runs{run_of({trace_of(ranks.baseline, 0)}), run_of({trace_of(ranks.candidate, 0)})};
        const Compared compared = compare_contributions(*runs.baseline, *runs.candidate, options);
        const Contributions& parts = compared.contributions;
        REQUIRE(parts.absent.empty());
        for (const Side side : kSides) {
            const StepSample& sample = compared.statistics.samples[side].front();
            std::map<std::string, std::int64_t> naive;  // without the operator
            RandomRank kept = ranks[side];
            std::erase_if(kept.steps, [&](const std::pair<int, int>& step) {
                return std::ranges::none_of(sample.steps, [&](const StepValue& value) {
                    return static_cast<std::size_t>(value.number) ==
                           static_cast<std::size_t>(std::ranges::find(ranks[side].steps, step) -
                                                    ranks[side].steps.begin());
                });
            });
            for (const auto& [key, ns] : sweep(kept))
                naive[key.starts_with("compute|") ? key.substr(key.rfind('|') + 1) : key.substr(0, key.find('|'))] +=
                    ns;
            std::int64_t whole = 0;
            for (const Contribution& part : parts.parts) {
                const std::string key = part.part == StepPart::Kernel ? part.kernel : std::string(name_of(part.part));
                double sum = 0;
                for (const double ns : part.tested.values[side]) sum += ns;
                if (part.part != StepPart::NotRecorded) CHECK(sum == static_cast<double>(naive[key]));
                whole += part.ns[side];
            }
            CHECK(whole == parts.mean[side]);
            double steps = 0;
            for (const double ns : sample.values()) steps += ns;
            CHECK(parts.mean[side] ==
                  static_cast<std::int64_t>(std::floor(steps / static_cast<double>(sample.steps.size()) + 0.5)));
        }
    }
}

TEST_CASE("two captures of one program differ in idle time, and no kernel of them changed") {
    if (!goldens_are_here()) return;
    const fs::path folder = "kineto/resnet50_num_workers_0";
    const RunPtr baseline = load_corpus_run(folder / "worker0.1623143089861.pt.trace.json.gz");
    const RunPtr candidate = load_corpus_run(folder / "worker0.1623143566756.pt.trace.json.gz");
    const Compared compared = compare_contributions(*baseline, *candidate, {});
    const Contributions& parts = compared.contributions;
    CHECK(parts.mean.candidate - parts.mean.baseline == -22'906'000);
    CHECK(std::abs(change_of_part(parts, StepPart::Kernel)) < 1'200'000);
    CHECK(parts.kernels_changed == 0);
    const std::string headline = describe_contributions(parts, compared.statistics);
    CHECK(headline.starts_with("step improved between these captures; no kernel changed; 10"));
    CHECK(headline.ends_with(" % is idle time"));
}

TEST_CASE("with too few steps no kernel is called unchanged") {
    RandomRank rank{{}, {{0, 10}, {10, 20}, {20, 30}}};
    rank.kernels.push_back({.start = 12,
                            .duration = 6,
                            .stream = 7,
                            .kernel_class = KernelClass::Compute,
                            .name = "gemm",
                            .launched_by = {}});
    const RunPtr run = run_of({trace_of(rank, 0)});
    const Compared compared = compare_contributions(*run, *run, {});
    CHECK(describe_contributions(compared.contributions, compared.statistics) ==
          "step undecided between these captures; no kernel tested");
}

TEST_CASE("of two ranks that end their steps together, the one that comes late is said to be waited for") {
    const auto rank_that_arrives = [](int rank, std::int64_t at) {
        TraceFixture fixture;
        fixture.rank(rank);
        for (int step = 0; step < 5; ++step) {
            const std::int64_t begin = step * 1'000'000;
            fixture.step(begin, 1'000'000, step).kernel(begin, 500'000, "gemm");
            fixture.kernel(begin + at, 1'000'000 - at, "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
        }
        return fixture.build();
    };
    const RunPtr run = run_of({rank_that_arrives(0, 500'000), rank_that_arrives(1, 900'000)});
    StatisticsOptions options;
    options.compares = Compares::Ranks;
    const auto compare = [&](std::string_view baseline, std::string_view candidate) {
        const SampledRuns sampled =
            sample_runs({run.get(), run.get()}, {*parse_filter(baseline), *parse_filter(candidate)}, options);
        Compared compared{compare_steps_of(sampled, options), {}};
        compared.contributions = *compare_parts(sampled, compared.statistics, {}, {});
        REQUIRE(add_waiting_rank(sampled, compared.statistics, {}));
        return compared;
    };
    const std::string words =
        "rank 1 idles 400 \u00B5s more per step than rank 0; the others wait for it (rank 0 spends 400 \u00B5s more in "
        "exposed communication)";
    const Compared against = compare("rank:0", "rank:1");
    CHECK(against.statistics.waiting_rank == words);
    CHECK(describe_contributions(against.contributions, against.statistics) == "no kernel changed");
    CHECK(describe_step(against.statistics) ==
          "step: both end it together, as ranks wait for each other (1.000 \u2192 1.000 ms); " + words);
    CHECK(against.statistics.step.judgement.verdict == stats::Verdict::Same);
    CHECK(describe_step_briefly(against.statistics) ==
          "Rank 1 idles 400 \u00B5s more per step than rank 0; the others wait for it");
    const Compared reversed = compare("rank:1", "rank:0");
    CHECK(reversed.statistics.waiting_rank == words);
    const Compared same = compare("rank:0", "rank:0");
    CHECK(same.statistics.waiting_rank.empty());
    CHECK(describe_contributions(same.contributions, same.statistics).starts_with("step "));
}

TEST_CASE("contributions of several runs a side are absent, with the reason") {
    const RandomRank rank{{}, {{0, 10}, {10, 20}}};
    const RunPtr run = run_of({trace_of(rank, 0)});
    SampledRuns sampled = sample_runs({run.get(), run.get()}, {}, {});
    sampled.baseline.push_back(sampled.baseline.front());
    const StepStatistics statistics = compare_steps_of(sampled, {});
    const Result<Contributions> parts = compare_parts(sampled, statistics, {}, {});
    REQUIRE(parts);
    CHECK(parts->absent == "contributions are of one run a side");
    CHECK(describe_contributions(*parts, statistics).empty());
}
