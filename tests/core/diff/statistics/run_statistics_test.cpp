// Samples of steps and rows: small runs with known answers, the sample's planted differences, and the answers of an
// independent program for pairs of real traces.

#include "core/diff/statistics/run_statistics.hpp"

#include "core/diff/join/add_up_ranks.hpp"
#include "core/diff/join/row_samples.hpp"
#include "core/diff/statistics/statistics_text.hpp"
#include "core/diff/step_change/contributions.hpp"
#include "core/export/contributions_text.hpp"
#include "core/index/rank_count.hpp"
#include "core/query/filter_text.hpp"
#include "core/sample/sample_run.hpp"
#include "core/store/flight_names.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/captures.hpp"
#include "tests/core/temp_folder.hpp"
#include "tests/core/trace_fixture.hpp"
#include "tests/golden/goldens.hpp"

#include <set>

using namespace core;
using namespace core::testing;

namespace {

RunPtr load_files(const std::vector<fs::path>& paths) {
    LoadProgress progress;
    Result<RunPtr> run = load_run(paths, {}, progress, {});
    REQUIRE_MESSAGE(run.has_value(), paths.front().string());
    return *run;
}

struct Tests {
    StepStatistics step;
    Comparison comparison;
    RowStatistics rows;

    const Tested* find(std::string_view kernel) const {
        const std::size_t column = comparison.table.find_column("kernel");
        for (std::size_t row = 0; row < comparison.table.rows(); ++row)
            if (comparison.table.text(row, column) == kernel) return rows.rows[row] ? &*rows.rows[row] : nullptr;
        return nullptr;
    }
    std::set<std::string> presences() const {
        std::set<std::string> words;
        for (std::size_t row = 0; row < comparison.table.rows(); ++row)
            words.insert(std::string(comparison.table.text(row, comparison.keys)));
        return words;
    }
    std::set<std::string> changed() const {
        std::set<std::string> names;
        for (std::size_t row = 0; row < rows.rows.size(); ++row)
            if (rows.rows[row] && rows.rows[row]->is_change())
                names.insert(std::string(comparison.table.text(row, comparison.table.find_column("kernel"))));
        return names;
    }
};

// Kernels with ranks added up, as the window compares them.
Tests test_kernels(const BySide<const Run*>& runs, const StatisticsOptions& options = {}, const Filter& filter = {}) {
    const Analysis& kernels = *find_analysis("kernels");
    const RunAlignment alignment = align_runs(*runs.baseline, *runs.candidate);
    const BySide<Filter> filters{alignment.filter_for(Side::Baseline, filter),
                                 alignment.filter_for(Side::Candidate, filter)};
    const SampledRuns sampled = sample_runs(runs, filters, options);
    const Result<BySide<Answer>> answers = ask_both_runs(kernels, {}, filters, runs, 1, {});
    REQUIRE(answers);
    const BySide<Table> tables{add_up_ranks(answers->baseline.main()), add_up_ranks(answers->candidate.main())};
    const BySide<const Table*> both{&tables.baseline, &tables.candidate};
    Tests tests{compare_steps_of(sampled, options), compare_tables(both, alignment, {}, {}), {}};
    Result<RowStatistics> rows = compare_rows(kernels, both, tests.comparison, sampled, options, {});
    REQUIRE(rows);
    tests.rows = *std::move(rows);
    return tests;
}

TraceFixture steps_fixture(int rank, const std::vector<std::int64_t>& durations) {
    TraceFixture fixture;
    fixture.rank(rank);
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < durations.size(); ++i) {
        fixture.step(begin, durations[i], static_cast<int>(i));
        begin += durations[i];
    }
    return fixture;
}

std::vector<std::int64_t> numbers_of(const std::vector<StepValue>& steps) {
    std::vector<std::int64_t> numbers;
    for (const StepValue& step : steps) numbers.push_back(step.number);
    return numbers;
}

using Numbers = std::vector<std::int64_t>;
using Doubles = std::vector<double>;

}  // namespace

TEST_CASE("a step lasts as long as on its slowest rank, and the first of a capture is warm-up") {
    const RunPtr run =
        run_of({steps_fixture(0, {900, 100, 110, 120}).build(), steps_fixture(1, {500, 105, 90, 130}).build()});
    const StepSample sample = collect_step_sample(*run, {});
    CHECK(sample.values() == Doubles{105, 110, 130});
    CHECK(sample.steps[0].slowest == 1);
    CHECK(sample.steps[1].slowest == 0);
    REQUIRE(sample.dropped.size() == 1);
    CHECK(sample.dropped[0].step == StepValue{0, 900, 0});
    CHECK(sample.dropped[0].why == StepDrop::WarmUp);
    CHECK(collect_step_sample(*run, {}, 0).values() == Doubles{900, 105, 110, 130});
    CHECK(collect_step_sample(*run, {}, 99).values().empty());
}

TEST_CASE("the warm-up counts from the begin of the capture, not of the filter") {
    const RunPtr run = run_of({steps_fixture(0, {900, 100, 110, 120, 130}).build()});
    CHECK(numbers_of(collect_step_sample(*run, *parse_filter("step:2-3")).steps) == Numbers{2, 3});
    CHECK(numbers_of(collect_step_sample(*run, *parse_filter("step:0-1")).steps) == Numbers{1});
}

TEST_CASE("steps of all windows of one job count, each window with a warm-up of its own") {
    const auto window = [](int rank, std::int64_t begin, int first, std::int64_t length) {
        TraceFixture fixture;
        fixture.rank(rank);
        for (int i = 0; i < 3; ++i)
            fixture.step(begin + 100 * i, length + i, first + i).kernel(begin + 100 * i, 5 * (rank + 1), "gemm");
        return fixture.build();
    };
    const auto sample_of = [&](int second) {
        const RunPtr run = run_of_captures(
            {window(0, 0, 10, 60), window(0, 1'000, second, 70), window(1, 0, 10, 50), window(1, 1'000, second, 80)});
        return std::pair{run, collect_step_sample(*run, {})};
    };
    const auto [run, sample] = sample_of(20);
    REQUIRE(are_windows(*run));
    CHECK(sample.slots.size() == 4);
    CHECK(sample.ranks == 2);
    CHECK(sample.other_captures == 0);
    CHECK(sample.steps == std::vector<StepValue>{{11, 61, 0}, {12, 62, 0}, {21, 81, 3}, {22, 82, 3}});
    REQUIRE(sample.count(StepDrop::WarmUp) == 2);
    CHECK(sample.dropped[0].step.number == 10);
    CHECK(sample.dropped[1].step.number == 20);
    // Time per step and rank: of the windows, not of twice as many ranks.
    const Analysis& kernels = *find_analysis("kernels");
    const Result<Answer> answer = run_analysis(kernels, *run, {}, *make_params(kernels, {}), 1, {});
    REQUIRE(answer);
    const Result<RowSamples> rows = collect_row_samples(kernels, add_up_ranks(answer->main()), *run, {}, sample, {});
    REQUIRE(rows);
    CHECK(rows->ranks == 2);
    REQUIRE(rows->ns.size() == 1);
    CHECK(rows->ns[0] == std::vector<std::int64_t>{15, 15, 15, 15});
    // A window without steps, or a dump next to the traces, doesn't count as a rank without steps.
    TraceFixture dump;
    dump.rank(1).info().trace_name = kFlightRecorderTrace;
    const StepSample more = collect_step_sample(
        *run_of_captures({window(0, 0, 10, 60), TraceFixture().rank(0).kernel(5'000, 5, "gemm").build(),
                          window(1, 0, 10, 50), dump.cpu(0, 5, "nccl:all_reduce").build()}),
        {});
    CHECK(more.ranks == 2);
    CHECK(more.ranks_without_steps == 0);
    // Step numbers that restart mean another run in the folder.
    CHECK(sample_of(10).second.other_captures == 2);
    CHECK(sample_of(10).second.steps == std::vector<StepValue>{{11, 61, 0}, {12, 62, 0}});
}

TEST_CASE("steps that not every rank has are dropped") {
    const RunPtr run =
        run_of({steps_fixture(0, {900, 100, 110, 120, 130}).build(), steps_fixture(1, {900, 100, 110, 120}).build(),
                TraceFixture().rank(2).cpu(0, 5, "aten::mm").build()});
    const StepSample sample = collect_step_sample(*run, {});
    CHECK(numbers_of(sample.steps) == Numbers{1, 2, 3});
    CHECK(sample.count(StepDrop::NotOnEveryRank) == 1);
    CHECK(sample.ranks_without_steps == 1);
}

TEST_CASE("a last step whose launches have no GPU work is dropped") {
    const auto trace = [](bool is_cut) {
        TraceFixture fixture = steps_fixture(0, {100, 100, 100, 100});
        for (int step = 0; step < 4; ++step) {
            for (int i = 0; i < 4; ++i) {
                const int correlation = step * 10 + i + 1;
                fixture.launch(step * 100 + i, 1, correlation);
                if (!is_cut || step < 3 || i < 2) fixture.kernel(step * 100 + 20 + 10 * i, 5, "gemm", 7, correlation);
            }
        }
        return run_of({fixture.build()});
    };
    CHECK(numbers_of(collect_step_sample(*trace(false), {}).steps) == Numbers{1, 2, 3});
    const StepSample cut = collect_step_sample(*trace(true), {});
    CHECK(numbers_of(cut.steps) == Numbers{1, 2});
    CHECK(cut.count(StepDrop::Incomplete) == 1);
}

TEST_CASE("warm-up found by itself ends at the first steady step and leaves three") {
    CHECK(count_unsteady(Doubles{35.1, 72.1, 95.7, 95.6, 95.7}) == 2);
    CHECK(count_unsteady(Doubles{100, 101, 99, 100}) == 0);
    CHECK(count_unsteady(Doubles{1, 2, 4, 8, 16, 32}) == 3);
    CHECK(count_unsteady({}) == 0);
}

TEST_CASE("a kernel's value is its time of the step of its launch, zero where another step has it") {
    TraceFixture fixture = steps_fixture(0, {100, 100, 100, 100});
    fixture.launch(150, 1, 1).kernel(220, 30, "gemm", 7, 1);   // of step 1, though it runs in step 2
    fixture.launch(310, 1, 2).kernel(320, 40, "gemm", 7, 2);   // of step 3
    fixture.launch(10, 1, 3).kernel(20, 10, "first only", 7, 3);
    const RunPtr run = run_of({fixture.build()});
    const Result<Answer> answer = run_analysis(*find_analysis("kernels"), *run, {}, {}, 1, {});
    REQUIRE(answer);
    const StepSample sample = collect_step_sample(*run, {});
    const Result<RowSamples> rows =
        collect_row_samples(*find_analysis("kernels"), answer->main(), *run, {}, sample, {});
    REQUIRE(rows);
    for (std::size_t row = 0; row < answer->main().rows(); ++row) {
        const bool is_gemm = answer->main().text(row, 2) == "gemm";
        CHECK(rows->ns[row] == (is_gemm ? Numbers{30, 0, 40} : Numbers{}));
        CHECK(rows->calls[row] == (is_gemm ? 2 : 0));
    }
    CHECK(rows->grain_ns == 1);
}

TEST_CASE("rows of other analyses are not sampled, and say so") {
    const RunPtr run = run_of({steps_fixture(0, {100, 100}).build()});
    const Result<RowSamples> rows =
        collect_row_samples(*find_analysis("steps"), Table(find_analysis("steps")->columns()), *run, {}, {}, {});
    REQUIRE(rows);
    CHECK(rows->absent == "the rows of steps are not sampled per step");
}

TEST_CASE("repeated runs are one value each, and runs that differ more than their steps say so") {
    const auto run = [](std::int64_t base) {
        return run_of({steps_fixture(0, {900, base, base + 1, base - 1, base}).build()});
    };
    const std::vector<RunPtr> baseline{run(1000), run(1100), run(900)}, candidate{run(2000), run(2100), run(1900)};
    SampledRuns sampled;
    for (const RunPtr& one : baseline) sampled.baseline.push_back({one.get(), {}, collect_step_sample(*one, {})});
    for (const RunPtr& one : candidate) sampled.candidate.push_back({one.get(), {}, collect_step_sample(*one, {})});
    const StepStatistics statistics = compare_steps_of(sampled, {});
    CHECK(statistics.of_runs);
    CHECK(statistics.step.values.baseline == Doubles{1000, 1100, 900});
    CHECK(statistics.step.judgement.verdict == stats::Verdict::Regressed);
    CHECK(*statistics.between_ns.baseline == doctest::Approx(100));
    CHECK(describe_step(statistics).find("between these captures") == std::string::npos);
    const std::vector<std::string> notes = note_statistics(statistics);
    CHECK(std::ranges::any_of(notes, [](const std::string& note) {
        return note.find("more runs help, longer traces do not") != std::string::npos;
    }));
}

TEST_CASE("pairs of steps are compared where the steps did the same work") {
    const RunPtr b = run_of({steps_fixture(0, {9, 1000, 2000, 3000, 4000}).build()});
    const RunPtr c = run_of({steps_fixture(0, {9, 1100, 2101, 3099, 4100}).build()});
    const BySide<const Run*> runs{b.get(), c.get()};
    StatisticsOptions options;
    CHECK(compare_steps_of(sample_runs(runs, {}, options), options).step.judgement.verdict ==
          stats::Verdict::Undecided);
    options.paired = true;
    options.tolerance = 0.03;
    const StepStatistics pairs = compare_steps_of(sample_runs(runs, {}, options), options);
    CHECK(pairs.step.judgement.verdict == stats::Verdict::Regressed);
    CHECK(describe_step(pairs).find("paired t p ") != std::string::npos);
}

TEST_CASE("below the run-to-run level nothing is called a change") {
    const RunPtr b = run_of({steps_fixture(0, {9, 1000, 1001, 999, 1000, 1001}).build()});
    const RunPtr c = run_of({steps_fixture(0, {9, 1040, 1041, 1039, 1040, 1041}).build()});
    const BySide<const Run*> runs{b.get(), c.get()};
    StatisticsOptions options;
    const StepStatistics plain = compare_steps_of(sample_runs(runs, {}, options), options);
    CHECK(plain.step.judgement.verdict == stats::Verdict::Regressed);
    CHECK(describe_step(plain).ends_with(" between these captures; one run each, so noise between runs is unknown"));
    for (const auto& [compares, words] :
         {std::pair{Compares::Ranks, " between these ranks; one run, so noise between runs is unknown"},
          std::pair{Compares::Steps, " between these steps; one run, so noise between runs is unknown"}}) {
        StatisticsOptions inside;
        inside.compares = compares;
        const StepStatistics parts = compare_steps_of(sample_runs(runs, {}, inside), inside);
        CHECK(describe_step(parts).ends_with(words));
        CHECK(describe_step_briefly(parts).find("captures") == std::string::npos);
    }
    options.noise = 0.05;
    const StepStatistics known = compare_steps_of(sample_runs(runs, {}, options), options);
    CHECK(known.step.judgement.verdict == stats::Verdict::Same);
    CHECK(describe_step(known).starts_with("step: same within 5.00 %"));
}

TEST_CASE("mean, median and 95th percentile are tested by permutation if asked for, and decide no verdict") {
    const RunPtr before = run_of({steps_fixture(0, {900, 100, 101, 102, 103}).build()});
    const RunPtr after = run_of({steps_fixture(0, {900, 104, 105, 106, 300}).build()});
    const auto compare = [&](const StatisticsOptions& options) {
        return compare_steps_of(sample_runs({before.get(), after.get()}, {}, options), options);
    };
    CHECK(compare({}).permuted.empty());
    StatisticsOptions options;
    options.permutation = true;
    const StepStatistics statistics = compare(options);
    REQUIRE(statistics.permuted.size() == 3);
    const PermutedStatistic& median = statistics.permuted[1];
    CHECK(median.name == "median");
    CHECK(median.ns == BySide<double>{101.5, 105.5});
    CHECK(median.test.choices == 70);
    CHECK(median.test.exact);
    CHECK(statistics.permuted[0].test.p == doctest::Approx(2.0 / 70));  // the sides are apart: both extremes of 70
    CHECK(statistics.permuted[2].ns == BySide<double>{103, 300});
    CHECK(statistics.step.judgement == compare({}).step.judgement);
    CHECK(describe_permutations(statistics)[0] ==
          "permutation, mean: 101.5 \u2192 153.8 ns, p 0.029 of all 70 choices");
    options.paired = true;
    CHECK(compare(options).permuted.empty());
}

TEST_CASE("the noise of repeated runs is a share, the warm-up a number or auto") {
    CHECK(parse_percent("5%").value() == doctest::Approx(0.05));
    CHECK(parse_percent("0.5").value() == doctest::Approx(0.005));
    for (const char* const text : {"", "%", "x", "-1", "1001%", "nan", "5 %"}) {
        INFO(text);
        CHECK_FALSE(parse_percent(text));
    }
    CHECK(parse_warmup("auto").value() == kAutoWarmUp);
    CHECK(parse_warmup("3").value() == 3);
    for (const char* const text : {"", "-1", "1.5", "all"}) {
        INFO(text);
        CHECK_FALSE(parse_warmup(text));
    }
}

TEST_CASE("without steps there is a sentence instead of a verdict") {
    const RunPtr none = run_of({TraceFixture().rank(0).cpu(0, 5, "aten::mm").build()});
    const RunPtr some = run_of({steps_fixture(0, {9, 1000, 1001}).build()});
    const StepStatistics statistics = compare_steps_of(sample_runs({none.get(), some.get()}, {}, {}), {});
    CHECK(describe_step(statistics)
              .starts_with("step: undecided, the baseline has no steps, and windows of a profiler "));
    const StepStatistics neither = compare_steps_of(sample_runs({none.get(), none.get()}, {}, {}), {});
    CHECK(
        describe_step(neither) ==
        "step: undecided, neither side has steps, and windows of a profiler are not equal work; steps of the same work "
        "on both sides decide (profiler.step(), or --step-marks NAME)");
}

TEST_CASE("an undecided step says what would decide it") {
    StatisticsOptions options;
    options.warmup = 0;
    const auto sentence = [&](const std::vector<std::int64_t>& baseline, const std::vector<std::int64_t>& candidate) {
        const RunPtr first = run_of({steps_fixture(0, baseline).build()});
        const RunPtr second = run_of({steps_fixture(0, candidate).build()});
        return describe_step(compare_steps_of(sample_runs({first.get(), second.get()}, {}, options), options));
    };
    CHECK(sentence({1120, 1121}, {150, 151})
              .starts_with(
                  "step: undecided, too few steps: n 2+2, at least 3 each are needed (1.121 \u2192 0.150 us); all "
                  "steps of the candidate are shorter than those of the baseline; 1 more step a side decides"));
    CHECK(sentence({1000}, {1010, 990, 1000}).find("n 1+3, at least 3 each are needed") != std::string::npos);
    CHECK(sentence({1000}, {1010, 990, 1000}).find("2 more steps a side decide") != std::string::npos);
    const std::string noisy = sentence({1000, 1300, 1000, 1300}, {1100, 1400, 1100, 1400});
    CHECK(noisy.starts_with("step: undecided: only changes of"));
    CHECK(noisy.find(" steps a side decide") != std::string::npos);
    const std::string equal = sentence({1000, 1300, 1000, 1300}, {1000, 1300, 1000, 1300});
    CHECK(equal.find("more steps decide only if they differ less among themselves") != std::string::npos);
}

namespace {

struct GoldenPair {
    const char* name;
    std::vector<fs::path> baseline, candidate;
};

const std::vector<GoldenPair>& golden_pairs() {
    const fs::path corpus = corpus_folder(), rec = corpus / "torchrec/a2a_optimizer_2_two_runs_in_one_folder",
                   hta = corpus / "HolisticTraceAnalysis", resnet = corpus / "kineto/resnet50_num_workers_0";
    const auto of_run = [&](std::initializer_list<const char*> files) {
        std::vector<fs::path> paths;
        for (const char* const file : files)
            paths.push_back(rec /
                            ("ip-172-31-16-248.us-east-2.compute.internal_" + std::string(file) + ".pt.trace.json.gz"));
        return paths;
    };
    static const std::vector<GoldenPair> kPairs = {
        {"resnet50_two_captures",
         {resnet / "worker0.1623143089861.pt.trace.json.gz"},
         {resnet / "worker0.1623143566756.pt.trace.json.gz"}},
        {"trace_diff_control_test", {hta / "trace_diff/control.json.gz"}, {hta / "trace_diff/test.json.gz"}},
        {"ns_resolution_df_index", {hta / "ns_resolution_trace"}, {hta / "df_index_resolver"}},
        {"torchrec_2a_2b",
         of_run({"24049.1698955364380200319", "24050.1698955364359376813", "24051.1698955364366973038",
                 "24052.1698955364371092763"}),
         of_run({"26699.1698955629431054031", "26700.1698955629469477266", "26701.1698955629474265481",
                 "26703.1698955629461630007"})},
        {"torchrec_2a_3",
         of_run({"24049.1698955364380200319", "24050.1698955364359376813", "24051.1698955364366973038",
                 "24052.1698955364371092763"}),
         {corpus / "torchrec/a2a_optimizer_3"}},
        {"torchrec_4rank_sleep", {corpus / "torchrec/a2a_optimizer_4rank"}, {corpus / "torchrec/sleep_pl_dense"}},
    };
    return kPairs;
}

Json statistics_golden(const std::string& name) {
    return Json::parse(text_of_file(golden_folder() / "efficiency" / ("statistics__" + name + ".json")));
}

// Quantiles of the reference are off by up to 1.4e-9 (distributions_test.cpp).
doctest::Approx close_by_quantile(const Json& value) {
    return doctest::Approx(value.get<double>()).epsilon(1e-8).scale(1e-200);
}

doctest::Approx close_to(const Json& value) { return doctest::Approx(value.get<double>()).epsilon(1e-9).scale(1e-200); }

void check_step(const Tested& step, const Json& golden) {
    const stats::TwoSamples& s = step.samples;
    const Json &welch = golden["welch"], &rank = golden["rank"], &shift = golden["hodges_lehmann"];
    CHECK(s.baseline.mean == close_to(golden["mean"][0]));
    CHECK(s.candidate.mean == close_to(golden["mean"][1]));
    CHECK(*s.welch->t == close_to(welch["t"]));
    CHECK(*s.welch->df == close_to(welch["df"]));
    CHECK(s.welch->p == close_to(welch["p"]));
    CHECK(s.welch->interval.low == close_by_quantile(welch["ci"][0]));
    CHECK(s.welch->interval.high == close_by_quantile(welch["ci"][1]));
    CHECK(s.welch->detectable == close_by_quantile(welch["detectable"]));
    CHECK(s.rank->u == rank["u"].get<double>());
    CHECK(s.rank->p == close_to(rank["p"]));
    CHECK(s.rank->cliff == close_to(rank["cliff"]));
    CHECK(s.shift->median == close_to(shift["shift"]));
    CHECK(s.shift->interval.has_value() == !shift["ci"].is_null());
    if (s.shift->interval) CHECK(s.shift->interval->low == close_to(shift["ci"][0]));
    CHECK(*s.g == close_to(golden["hedges_g"]));
    CHECK(*s.baseline.autocorrelation == close_to(golden["autocorrelation"][0]));
    CHECK(name_of(step.judgement.verdict) == golden["verdict"].get<std::string>());
}

}  // namespace

TEST_CASE("steps of two captures a side have the statistics of an independent program") {
    if (!goldens_are_here() || !fs::exists(golden_folder() / "efficiency")) return;
    const fs::path folder = corpus_folder() / "torch-profiling-tutorial/h100_transformer_two_workers";
    const auto pool = [&](std::initializer_list<const char*> files) {
        std::vector<double> values;
        for (const char* const file : files) {
            const RunPtr run = load_files({folder / (std::string(file) + ".pt.trace.json.gz")});
            const std::vector<double> steps = collect_step_sample(*run, {}).values();
            values.insert(values.end(), steps.begin(), steps.end());
        }
        return values;
    };
    const Json golden = statistics_golden("tutorial_two_hosts");
    const BySide<std::vector<double>> values{
        pool({"dc3b0e7228dd_851.1752215573993169006", "dc3b0e7228dd_851.1752215574025896717"}),
        pool({"dcb0aa1a78e7_4399.1752181589589738346", "dcb0aa1a78e7_4399.1752181589621105859"})};
    CHECK(values.baseline == golden["baseline_steps"].get<Doubles>());
    CHECK(values.candidate == golden["candidate_steps"].get<Doubles>());
    check_step(test_values(values, {}, false, 0), golden["steps"]);
}

TEST_CASE("steps and kernels of real pairs have the samples, p, q and Holm values of an independent program") {
    if (!goldens_are_here() || !fs::exists(golden_folder() / "efficiency")) return;
    for (const GoldenPair& pair : golden_pairs()) {
        INFO(std::string(pair.name));
        const RunPtr baseline = load_files(pair.baseline), candidate = load_files(pair.candidate);
        const Tests tests = test_kernels({baseline.get(), candidate.get()});
        const Json golden = statistics_golden(pair.name);
        CHECK(tests.step.step.values.baseline == golden["baseline_steps"].get<Doubles>());
        CHECK(tests.step.step.values.candidate == golden["candidate_steps"].get<Doubles>());
        check_step(tests.step.step, golden["steps"]);
        std::size_t tested = 0;
        for (const std::optional<Tested>& row : tests.rows.rows) tested += row ? 1 : 0;
        CHECK(tested == golden["kernels"].size());
        for (const Json& row : golden["kernels"]) {
            INFO(row["kernel"].get<std::string>());
            const Tested* const found = tests.find(row["kernel"].get<std::string>());
            REQUIRE(found);
            CHECK(found->samples.baseline.mean == close_to(row["mean"][0]));
            CHECK(found->samples.candidate.mean == close_to(row["mean"][1]));
            CHECK(found->samples.welch->p == close_to(row["p"]));
            CHECK(found->samples.rank->p == close_to(row["rank_p"]));
            if (found->least_n() < 3) continue;
            CHECK(*found->q == close_to(row["q"]));
            CHECK(*found->holm == close_to(row["holm"]));
            CHECK(found->family == golden["kernels"].size());
        }
    }
}

TEST_CASE("two captures of one program differ between these captures only, and no kernel of them is changed") {
    if (!goldens_are_here()) return;
    for (const char* const name : {"resnet50_two_captures", "torchrec_2a_2b"}) {
        const auto pair = std::ranges::find(golden_pairs(), std::string(name),
                                            [](const GoldenPair& p) { return std::string(p.name); });
        const RunPtr baseline = load_files(pair->baseline), candidate = load_files(pair->candidate);
        const Tests tests = test_kernels({baseline.get(), candidate.get()});
        CHECK(tests.changed().empty());
        const SampledRuns sampled = sample_runs({baseline.get(), candidate.get()}, {}, {});
        const Result<Contributions> parts = compare_parts(sampled, tests.step, {}, {});
        REQUIRE(parts);
        CHECK(parts->kernels_changed == 0);
        std::vector<std::string> texts{describe_step(tests.step), describe_step_briefly(tests.step),
                                       describe_contributions(*parts, tests.step), to_text(*parts, tests.step, 10, 0)};
        texts.push_back(describe_rows(tests.rows, "kernels"));
        for (const Contribution& part : parts->parts)
            if (part.tested.is_change()) texts.push_back(explain_tested(part.tested).front().second);
        for (const std::string& text : texts) {
            INFO(text);
            const bool is_verdict = text.find("regressed") != std::string::npos ||
                                    text.find("improved") != std::string::npos ||
                                    text.find("changed") != std::string::npos;
            if (is_verdict) CHECK(text.find("between these captures") != std::string::npos);
        }
    }
}

TEST_CASE("what the sample plants is found, for any seeds, and nothing else") {
    const TempFolder folder;
    const auto write = [&](std::uint64_t seed, bool candidate) {
        const fs::path dir = folder.path() / ((candidate ? "c" : "b") + std::to_string(seed));
        core::SampleOptions options;
        options.ranks = 4;
        options.layers = 2;
        options.steps = 7;
        options.seed = seed;
        options.candidate = candidate;
        REQUIRE(write_sample_run(dir, options, {}));
        return load_files({dir});
    };
    std::vector<RunPtr> baselines, candidates;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        baselines.push_back(write(seed, false));
        candidates.push_back(write(seed + 10, true));
    }
    std::set<std::string> false_alarms;
    for (std::size_t i = 0; i < 5; ++i) {
        INFO(i);
        const Tests planted = test_kernels({baselines[i].get(), candidates[i].get()});
        CHECK(planted.step.step.judgement.verdict == stats::Verdict::Improved);
        // Layer norms take 125 %. Gradients are sent as soon as they are ready, so their all-reduce waits longer for
        // the late rank. Fused kernels replace others.
        const std::set<std::string> changed = planted.changed();
        CHECK(changed.size() == 2);
        for (const std::string& name : changed) {
            INFO(name);
            const bool is_norm = name.find("vectorized_layer_norm_kernel") != std::string::npos;
            const bool is_reduction = name.find("ncclDevKernel_AllReduce_Sum_bf16") != std::string::npos;
            CHECK((is_norm || is_reduction));
            CHECK(planted.find(name)->judgement.verdict == stats::Verdict::Regressed);
            CHECK(planted.find(name)->strict == planted.find(name)->judgement);
        }
        CHECK(planted.presences() == std::set<std::string>{"added", "both", "removed"});
        const auto split = [&](const RunPtr& baseline, const RunPtr& candidate, const Tests& tests) {
            Result<Contributions> parts =
                compare_parts(sample_runs({baseline.get(), candidate.get()}, {}, {}), tests.step, {}, {});
            REQUIRE(parts);
            return *std::move(parts);
        };
        // Kernels that one side alone has are not changed ones.
        const Contributions parts = split(baselines[i], candidates[i], planted);
        CHECK(parts.kernels_only.baseline > 0);
        CHECK(parts.kernels_only.candidate > 0);
        bool found = false;
        for (const Contribution& part : parts.parts) {
            if (part.part != StepPart::Kernel) continue;
            INFO(part.kernel);
            const bool is_norm = part.kernel.find("vectorized_layer_norm_kernel") != std::string::npos;
            found |= is_norm && part.tested.judgement.verdict == stats::Verdict::Regressed;
            if (part.tested.is_change() && !is_norm) false_alarms.insert(part.kernel);
            CHECK(part.tested.only.has_value() == (part.names.baseline.empty() || part.names.candidate.empty()));
            CHECK(part.tested.q.has_value() == !part.tested.only);
        }
        CHECK(found);
        const Tests same = test_kernels({baselines[i].get(), baselines[(i + 1) % 5].get()});
        const Contributions nothing = split(baselines[i], baselines[(i + 1) % 5], same);
        for (const Contribution& part : nothing.parts)
            if (part.part == StepPart::Kernel && part.tested.is_change()) false_alarms.insert(part.kernel);
        CHECK(nothing.kernels_only == BySide<std::size_t>{});
        CHECK_FALSE(same.step.step.is_change());
        CHECK(same.changed().empty());
    }
    // With parts of single steps, one comparison in twenty has a false alarm; a run's fluke affects all comparisons
    // with it.
    CHECK(false_alarms.size() <= 1);
}
