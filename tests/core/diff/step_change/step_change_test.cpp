// Tests the waterfall against a sum over every nanosecond of random runs, a run against itself, and
// the sample's truth.

#include "core/diff/step_change/step_change.hpp"

#include "core/query/filter_text.hpp"
#include "core/sample/sample_run.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/diff/statistics/random_steps.hpp"
#include "tests/core/temp_folder.hpp"
#include "tests/golden/goldens.hpp"

#include <fstream>
#include <set>

using namespace core;
using namespace core::testing;

namespace {

constexpr std::size_t kAllKernels = 1'000'000;

Result<StepChange> try_change(const Run& baseline, const Run& candidate, const StepChangeOptions& options,
                              std::string_view filter = "") {
    const BySide<const Run*> runs{&baseline, &candidate};
    const RunAlignment alignment = align_runs(baseline, candidate);
    const Filter parsed = *parse_filter(filter);
    const BySide<Filter> filters{alignment.filter_for(Side::Baseline, parsed),
                                 alignment.filter_for(Side::Candidate, parsed)};
    const bool of_steps = both_have_steps(runs, filters);
    const Result<BySide<Answer>> answers =
        ask_both_runs(*find_analysis("step-parts"), step_parts_params(of_steps), filters, runs, 1, {});
    REQUIRE(answers);
    return build_step_change(options, {&answers->baseline, &answers->candidate}, of_steps, runs, filters, alignment);
}

StepChange change_of(const Run& baseline, const Run& candidate, const StepChangeOptions& options = {},
                     std::string_view filter = "") {
    Result<StepChange> change = try_change(baseline, candidate, options, filter);
    REQUIRE_MESSAGE(change.has_value(), change.error().message);
    return *std::move(change);
}

void check_adds_up(const StepChange& change) {
    BySide<std::int64_t> sum;
    std::int64_t changes = 0;
    for (const PartChange& part : change.parts) {
        for (const Side side : kSides) {
            sum[side] += part.ns[side];
            CHECK(part.ns[side] >= 0);
            CHECK((part.present[side] || part.ns[side] == 0));
        }
        changes += part.change();
    }
    CHECK(sum == change.mean);
    CHECK(changes == change.change());
}

const PartChange& find(const StepChange& change, StepPart part, std::string_view name = "") {
    for (const PartChange& one : change.parts) {
        if (one.part == part && one.name == name) return one;
    }
    FAIL("no such part");
    return change.parts.front();
}

bool any_contains(const std::vector<std::string>& notes, std::string_view text) {
    return std::ranges::any_of(notes, [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

struct RandomRun {
    std::vector<RandomRank> ranks;
    RunPtr run;
    std::int64_t windows = 0;

    explicit RandomRun(std::mt19937& engine) {
        std::vector<RankTracePtr> traces;
        for (int i = std::uniform_int_distribution(1, 3)(engine); i > 0; --i) {
            ranks.push_back(random_rank(engine));
            windows += std::ssize(ranks.back().steps);
            traces.push_back(trace_of(ranks.back(), static_cast<int>(traces.size())));
        }
        run = run_of(traces);
    }
    // By name as the matching treats it.
    std::map<std::string, std::int64_t> swept(NameMatching names) const {
        std::map<std::string, std::int64_t> sums;
        for (const RandomRank& rank : ranks) {
            for (const auto& [key, ns] : sweep(rank)) {
                const std::size_t first = key.find('|');
                const std::size_t second = key.rfind('|');
                const std::string by = key.substr(first + 1, second - first - 1);
                std::string name = key.substr(second + 1);
                if (names == NameMatching::Normalised && name.starts_with("gemm")) name = "gemm_NxN";
                if (names == NameMatching::Operator && by != "(unattributed)") name = by;
                sums[key.starts_with("compute") ? name : key.substr(0, first)] += ns;
            }
        }
        return sums;
    }
};

// One step of 100 ns with one kernel, launched by `launched_by`.
RankTracePtr simple_rank(int rank, std::string_view kernel, std::int64_t length,
                         std::string_view launched_by = "aten::mm") {
    return TraceFixture()
        .rank(rank)
        .step(0, 100, 1)
        .cpu(0, 20, launched_by)
        .launch(5, 2, 1)
        .kernel(30, length, kernel, 7, 1)
        .build();
}

}  // namespace

TEST_CASE("parts agree with a sum over every nanosecond and add up exactly") {
    std::mt19937 engine(11);
    for (int round = 0; round < 150; ++round) {
        INFO(round);
        const RandomRun baseline(engine);
        const RandomRun candidate(engine);
        for (const NameMatching names : kNameMatchings) {
            const StepChange change = change_of(*baseline.run, *candidate.run, {names, {}, kAllKernels});
            check_adds_up(change);
            CHECK(change.windows == BySide<std::int64_t>{baseline.windows, candidate.windows});
            for (const Side side : kSides) {
                const RandomRun& run = side == Side::Baseline ? baseline : candidate;
                std::map<std::string, std::int64_t> swept = run.swept(names);
                std::int64_t total = 0;
                for (const auto& [key, ns] : swept) total += ns;
                CHECK(change.mean[side] == (2 * total + run.windows) / (2 * run.windows));
                for (const PartChange& part : change.parts) {
                    const std::string key = part.part == StepPart::Kernel ? part.name : std::string(name_of(part.part));
                    INFO(key);
                    const double mean = static_cast<double>(swept[key]) / static_cast<double>(run.windows);
                    CHECK(std::abs(static_cast<double>(part.ns[side]) - mean) < 1);
                    swept.erase(key);
                }
                for (const auto& [key, ns] : swept) CHECK(ns == 0);
            }
        }
    }
}

TEST_CASE("a few kernels are separate parts, the rest is one part, and the sum stays exact") {
    std::mt19937 engine(13);
    for (int round = 0; round < 50; ++round) {
        const RandomRun baseline(engine);
        const RandomRun candidate(engine);
        const StepChange all = change_of(*baseline.run, *candidate.run, {NameMatching::Exact, {}, kAllKernels});
        const StepChange few = change_of(*baseline.run, *candidate.run, {NameMatching::Exact, {}, 1});
        check_adds_up(few);
        CHECK(few.mean == all.mean);
        CHECK(few.parts.front().name == all.parts.front().name);
        const auto kernels = std::ranges::count(all.parts, StepPart::Kernel, &PartChange::part);
        CHECK(std::ranges::count(few.parts, StepPart::OtherKernels, &PartChange::part) == (kernels > 2 ? 1 : 0));
    }
}

TEST_CASE("comparing a run with itself gives changes of exactly 0 with every rule for names") {
    std::mt19937 engine(17);
    for (int round = 0; round < 50; ++round) {
        const RandomRun run(engine);
        for (const NameMatching names : kNameMatchings) {
            const StepChange change = change_of(*run.run, *run.run, {names, {}, 3});
            CHECK(change.change() == 0);
            CHECK(change.notes.empty());
            for (const PartChange& part : change.parts) {
                CHECK(part.change() == 0);
                CHECK(part.present == BySide<bool>{true, true});
            }
        }
    }
}

TEST_CASE("kernels with other names pair manually and by the operator that launched them") {
    const RunPtr baseline = run_of({simple_rank(0, "nvjet_tst", 40)});
    const RunPtr candidate = run_of({simple_rank(0, "Cijk_Ailk", 50)});
    const StepChange exact = change_of(*baseline, *candidate);
    CHECK(any_contains(exact.notes, "no kernel is in both runs by its name"));
    CHECK(find(exact, StepPart::Kernel, "nvjet_tst").present == BySide<bool>{true, false});
    CHECK(find(exact, StepPart::Kernel, "nvjet_tst").change() == -40);
    check_adds_up(exact);
    const StepChange by_operator = change_of(*baseline, *candidate, {NameMatching::Operator, {}, 10});
    CHECK(by_operator.notes.empty());
    const PartChange& mm = find(by_operator, StepPart::Kernel, "aten::mm");
    CHECK(mm.change() == 10);
    CHECK(mm.kernels.baseline == std::vector<std::string>{"nvjet_tst"});
    CHECK(mm.kernels.candidate == std::vector<std::string>{"Cijk_Ailk"});
    const StepChange by_hand =
        change_of(*baseline, *candidate, {NameMatching::Exact, {{"nvjet_tst", "Cijk_Ailk"}}, 10});
    CHECK(by_hand.notes.empty());
    CHECK(find(by_hand, StepPart::Kernel, "nvjet_tst").change() == 10);
    check_adds_up(by_hand);
    // A manual pair precedes the operator.
    const StepChange both =
        change_of(*baseline, *candidate, {NameMatching::Operator, {{"nvjet_tst", "Cijk_Ailk"}}, 10});
    CHECK(find(both, StepPart::Kernel, "nvjet_tst").change() == 10);
}

TEST_CASE("without steps on one side windows are compared, with a note") {
    const RunPtr baseline = run_of({simple_rank(0, "gemm", 40)});
    const RunPtr candidate = run_of({TraceFixture().kernel(0, 10, "gemm").kernel(20, 10, "gemm").build()});
    const StepChange change = change_of(*baseline, *candidate);
    CHECK_FALSE(change.of_steps);
    CHECK(change.mean == BySide<std::int64_t>{40, 30});
    CHECK(find(change, StepPart::Idle).ns == BySide<std::int64_t>{0, 10});
    CHECK(any_contains(change.notes, "the candidate has no steps"));
    check_adds_up(change);
}

TEST_CASE("against a CPU-only run steps are compared without parts; against an empty run the error says so") {
    const RunPtr busy = run_of({simple_rank(0, "gemm", 40)});
    const RunPtr idle = run_of({TraceFixture().step(0, 130, 1).cpu(5, 10, "aten::mm").build()});
    const StepChange change = change_of(*busy, *idle);
    CHECK(change.mean == BySide<std::int64_t>{100, 130});
    CHECK(find(change, StepPart::NotRecorded).ns == BySide<std::int64_t>{0, 130});
    CHECK(any_contains(change.notes, "the candidate has no GPU events"));
    check_adds_up(change);
    const RunPtr nothing = run_of({TraceFixture().cpu(0, 5, "x").build()});
    const Result<StepChange> none = try_change(*busy, *nothing, {});
    REQUIRE_FALSE(none);
    CHECK(none.error().message.find("the candidate, fixture, has neither steps nor GPU events") != std::string::npos);
    const Result<StepChange> no_step = try_change(*busy, *busy, {}, "step:9");
    REQUIRE_FALSE(no_step);
    CHECK(no_step.error().message == "no step of the baseline, fixture, matches the filter");
}

TEST_CASE("the table has the whole step first, and parts of one side only are absent on the other but count") {
    const RunPtr baseline = run_of({simple_rank(0, "old", 40)});
    const RunPtr candidate = run_of({simple_rank(0, "new", 50)});
    CHECK(rows_of(to_comparison(change_of(*baseline, *candidate)).table, 7) ==
          Rows{"step  both 100 100 0 1.000000", "kernel new added - 50 50 -", "kernel old removed 40 - -40 -",
               "exposed_communication  both 0 0 0 -", "exposed_memory  both 0 0 0 -", "idle  both 60 50 -10 0.833333"});
}

TEST_CASE("the planted differences of the sample's candidate are the largest parts of the change") {
    const TempFolder folder;
    BySide<RunPtr> runs;
    std::set<std::string> slower, swapped;
    for (const Side side : kSides) {
        SampleOptions options;
        options.ranks = 4;
        options.steps = 4;
        options.layers = 4;
        options.candidate = side == Side::Candidate;
        const fs::path path = folder.path() / std::string(name_of(side));
        REQUIRE(write_sample_run(path, options, {}));
        LoadProgress progress;
        const fs::path paths[] = {path};
        runs[side] = *load_run(paths, {}, progress, {});
        if (!options.candidate) continue;
        std::ifstream in(path / "truth.json");
        const Json truth = Json::parse(in);
        for (const Json& difference : truth.at("differences_from_baseline")) {
            if (difference.contains("kernel")) slower.insert(difference.at("kernel").get<std::string>());
            for (const char* const kind : {"removed", "added"}) {
                if (!difference.contains(kind)) continue;
                for (const Json& name : difference.at(kind)) swapped.insert(name.get<std::string>());
            }
        }
    }
    const StepChange change = change_of(*runs.baseline, *runs.candidate);
    check_adds_up(change);
    REQUIRE(slower.size() + swapped.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) {
        const PartChange& part = change.parts[i];
        INFO(part.name);
        CHECK((slower.contains(part.name) || swapped.contains(part.name)));
        CHECK((part.present == BySide<bool>{true, true}) == slower.contains(part.name));
    }
    CHECK(std::abs(change.parts[4].change()) < std::abs(change.parts[3].change()) / 10);
    CHECK(find(change, StepPart::ExposedCommunication).change() < 0);  // one bucket is sent earlier
}

TEST_CASE("the waterfall is of the steps of the verdict, each on its slowest rank, without warm-up") {
    const auto rank_of = [](int rank, const std::vector<std::int64_t>& durations) {
        TraceFixture fixture;
        fixture.rank(rank);
        for (std::size_t i = 0; i < durations.size(); ++i) {
            const std::int64_t begin = static_cast<std::int64_t>(i) * 10'000;
            fixture.step(begin, durations[i], static_cast<int>(i)).kernel(begin, durations[i] / 2, "gemm");
        }
        return fixture.build();
    };
    const RunPtr baseline = run_of({rank_of(0, {9000, 100, 300, 100}), rank_of(1, {9000, 200, 200, 400})});
    const RunPtr candidate = run_of({rank_of(0, {9000, 500, 500, 500}), rank_of(1, {9000, 400, 400, 400})});
    DiffQuery query;
    query.analysis = &waterfall();
    const RunAlignment alignment = align_runs(*baseline, *candidate);
    const auto mean_of_side = [&](std::int64_t warmup, const char* column) {
        const Result<RunComparison> compared =
            compare_steps(query, 3, {baseline.get(), candidate.get()}, alignment, warmup, 1, {});
        REQUIRE(compared);
        const Table& table = compared->comparison.table;
        CHECK(table.text(0, 0) == "step");
        return table.integer(0, table.find_column(column));
    };
    CHECK(mean_of_side(1, "time.baseline") == 300);  // 200, 300 and 400
    CHECK(mean_of_side(1, "time.candidate") == 500);
    CHECK(mean_of_side(4, "time.baseline") == 2413);  // no step is left: all of them, of both ranks
}

TEST_CASE("devices without a common kernel name compare by operator, which pairs most of the time") {
    if (!goldens_are_here()) return;
    const RunPtr h100 = load_corpus_run("TraceLens/h100_vs_mi300_qwen/h100_Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz");
    const RunPtr mi300 = load_corpus_run("TraceLens/h100_vs_mi300_qwen/mi300_Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz");
    const auto paired_share = [&](NameMatching names) {
        const StepChange change = change_of(*h100, *mi300, {names, {}, kAllKernels});
        check_adds_up(change);
        std::int64_t paired = 0, all = 0;
        for (const PartChange& part : change.parts) {
            if (part.part != StepPart::Kernel) continue;
            all += part.ns.baseline + part.ns.candidate;
            if (part.present == BySide<bool>{true, true}) paired += part.ns.baseline + part.ns.candidate;
        }
        return static_cast<double>(paired) / static_cast<double>(all);
    };
    const double exact = paired_share(NameMatching::Exact);
    const double by_operator = paired_share(NameMatching::Operator);
    CHECK(exact < 0.5);
    CHECK(by_operator > 0.7);
}
