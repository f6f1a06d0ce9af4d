// Complete comparisons: the sample's two variants, a run with itself, with an empty run, and with
// other steps or ranks.

#include "core/diff/join/compare_runs.hpp"

#include "core/sample/sample_run.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/temp_folder.hpp"
#include "tests/core/trace_fixture.hpp"
#include "tests/golden/goldens.hpp"

#include <algorithm>
#include <fstream>
#include <set>

using namespace core;
using namespace core::testing;

namespace {

RunPtr load(const fs::path& folder) {
    LoadProgress progress;
    const fs::path paths[] = {folder};
    Result<RunPtr> run = load_run(paths, {}, progress, {});
    REQUIRE(run);
    return *run;
}

struct SamplePair {
    TempFolder folder;
    BySide<RunPtr> runs;
    Json differences;

    SamplePair() {
        for (const Side side : kSides) {
            SampleOptions options;
            options.ranks = 4;
            options.steps = 4;
            options.layers = 4;
            options.candidate = side == Side::Candidate;
            const fs::path path = folder.path() / std::string(name_of(side));
            REQUIRE(write_sample_run(path, options, {}));
            runs[side] = load(path);
            if (!options.candidate) continue;
            std::ifstream in(path / "truth.json");
            differences = Json::parse(in).at("differences_from_baseline");
        }
    }
};

const SamplePair& sample_pair() {
    static const SamplePair pair;
    return pair;
}

DiffQuery query_of(std::string_view id, std::string_view filter = "", NameMatching names = NameMatching::Exact) {
    const Analysis* const analysis = find_analysis(id);
    REQUIRE(analysis);
    return {analysis, *make_params(*analysis, {}), *parse_filter(filter), names};
}

Comparison compare(const Run& baseline, const Run& candidate, const DiffQuery& query) {
    const BySide<const Run*> runs{&baseline, &candidate};
    Result<RunComparison> result = compare_runs(query, runs, align_runs(baseline, candidate), 2, {});
    REQUIRE_MESSAGE(result.has_value(), query.analysis->id);
    return std::move(result)->comparison;
}

Comparison compare_samples(std::string_view id, std::string_view filter = "") {
    return compare(*sample_pair().runs.baseline, *sample_pair().runs.candidate, query_of(id, filter));
}

// Two kernels per step, each of this length; steps of 100 ns from `first`.
RankTracePtr stepped_rank(int rank, int first, int steps, std::int64_t length) {
    TraceFixture fixture;
    fixture.rank(rank);
    for (int i = 0; i < steps; ++i) {
        const std::int64_t begin = 100 * i;
        fixture.step(begin, 100, first + i);
        for (const std::int64_t k : {0, 1}) {
            fixture.launch(begin + 10 + 40 * k, 2, 2 * i + k + 1);
            fixture.kernel(begin + 20 + 40 * k, length, "gemm", 7, 2 * i + k + 1);
        }
    }
    return fixture.build();
}

bool any_starts_with(const std::vector<std::string>& notes, std::string_view start) {
    return std::ranges::any_of(notes, [&](const std::string& note) { return note.starts_with(start); });
}

std::size_t count_rows(const Comparison& comparison, std::string_view presence) {
    std::size_t count = 0;
    for (std::size_t row = 0; row < comparison.table.rows(); ++row)
        count += comparison.table.text(row, comparison.keys) == presence ? 1 : 0;
    return count;
}

void check_same(const Comparison& comparison) {
    const Table& table = comparison.table;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        CHECK(table.text(row, comparison.keys) == "both");
        for (std::size_t measure = 0; measure < comparison.measures; ++measure) {
            const double value = table.number(row, comparison.column(measure, Part::Baseline));
            const double change = table.number(row, comparison.column(measure, Part::Change));
            const double ratio = table.number(row, comparison.column(measure, Part::Ratio));
            CHECK(std::isnan(change) == std::isnan(value));
            CHECK((std::isnan(value) || change == 0));
            CHECK((std::isnan(value) || value == 0 ? std::isnan(ratio) : ratio == 1));
        }
    }
}

}  // namespace

TEST_CASE("comparing a run with itself gives changes of exactly 0 and ratios of 1 in every analysis") {
    const Run& run = *sample_pair().runs.baseline;
    for (const Analysis& analysis : all_analyses()) {
        if (!analysis.comparable) continue;
        INFO(analysis.id);
        const Comparison comparison = compare(run, run, query_of(analysis.id));
        const bool has_rows = answer_of(run, analysis.id).main().rows() > 0;
        CHECK((comparison.table.rows() > 0) == has_rows);
        CHECK(comparison.notes.empty());
        check_same(comparison);
    }
}

TEST_CASE("every planted difference of the sample's candidate is found as the largest change") {
    const Comparison kernels = compare_samples("kernels", "class:compute");
    CHECK(kernels.notes.empty());
    std::set<std::string> planted;
    std::set<std::string> presences;
    for (const Json& difference : sample_pair().differences) {
        if (difference.contains("kernel")) planted.insert("both " + difference.at("kernel").get<std::string>());
        if (difference.contains("removed"))
            for (const Json& name : difference.at("removed")) planted.insert("removed " + name.get<std::string>());
        if (difference.contains("added"))
            for (const Json& name : difference.at("added")) planted.insert("added " + name.get<std::string>());
    }
    REQUIRE(planted.size() == 4);
    const std::size_t ranks = sample_pair().runs.baseline->ranks().size();
    REQUIRE(kernels.table.rows() > planted.size() * ranks);
    for (std::size_t row = 0; row < kernels.table.rows(); ++row) {
        const std::string found =
            std::string(kernels.table.text(row, kernels.keys)) + " " + std::string(kernels.table.text(row, 2));
        INFO(found);
        CHECK(planted.contains(found) == (row < planted.size() * ranks));
        if (found.starts_with("both") && planted.contains(found)) {
            const double ratio = kernels.table.number(row, kernels.column(kernels.lead, Part::Ratio));
            CHECK(ratio == doctest::Approx(1.25).epsilon(0.01));
        }
    }
    // One bucket is sent earlier, so communication is hidden better on every rank.
    const Comparison overlap = compare_samples("overlap");
    REQUIRE(overlap.measure_name(overlap.lead) == "exposed");
    for (std::size_t row = 0; row < overlap.table.rows(); ++row)
        CHECK(overlap.table.integer(row, overlap.column(overlap.lead, Part::Change)) < 0);
}

TEST_CASE("tables with keys are joined by them, others are refused with a reason") {
    const Run& baseline = *sample_pair().runs.baseline;
    const Run& candidate = *sample_pair().runs.candidate;
    const BySide<const Run*> runs{&baseline, &candidate};
    std::size_t joined = 0;
    for (const Analysis& analysis : all_analyses()) {
        if (!analysis.comparable) continue;
        CAPTURE(analysis.id);
        const Result<Answer> own = run_analysis(analysis, baseline, {}, *make_params(analysis, {}), 2, {});
        REQUIRE(own);
        const std::vector<std::string> tables = comparable_tables(*own);
        REQUIRE(tables.front() == own->tables.front().name);
        for (std::size_t i = 1; i < tables.size(); ++i) {
            CAPTURE(tables[i]);
            DiffQuery query = query_of(analysis.id);
            query.table = tables[i];
            const Comparison same = compare(baseline, baseline, query);
            CHECK(same.table.rows() == own->find(tables[i])->rows());
            for (std::size_t row = 0; row < same.table.rows(); ++row) CHECK(same.table.text(row, same.keys) == "both");
            CHECK(compare(baseline, candidate, query).table.columns().size() == same.table.columns().size());
            ++joined;
        }
    }
    CHECK(joined >= 4);
    DiffQuery path = query_of("critical-path");
    path.table = "path";
    const Result<RunComparison> events = compare_runs(path, runs, align_runs(baseline, candidate), 2, {});
    REQUIRE_FALSE(events);
    CHECK(events.error().message.find("single events") != std::string::npos);
    path.table = "nowhere";
    const Result<RunComparison> none = compare_runs(path, runs, align_runs(baseline, candidate), 2, {});
    REQUIRE_FALSE(none);
    CHECK(none.error().message.find("what-if, names") != std::string::npos);
}

TEST_CASE("against an empty run everything is removed or added") {
    const RunPtr empty = run_of({TraceFixture().cpu(0, 1, "x").build()});
    const RunPtr busy = run_of({stepped_rank(0, 1, 2, 10)});
    CHECK(rows_of(compare(*busy, *empty, query_of("kernels", "-name:x")).table)[0].starts_with(
        "0 compute gemm removed 4 - - - 40 - - -"));
    CHECK(rows_of(compare(*empty, *busy, query_of("kernels", "-name:x")).table)[0].starts_with(
        "0 compute gemm added - 4 - - - 40 - -"));
    CHECK(compare(*empty, *empty, query_of("kernels")).table.rows() == 0);
}

TEST_CASE("sums over different numbers of steps become averages per step, with a note") {
    const RunPtr baseline = run_of({stepped_rank(0, 1, 5, 10)});
    const RunPtr candidate = run_of({stepped_rank(0, 1, 3, 12)});
    const Comparison comparison = compare(*baseline, *candidate, query_of("kernels"));
    REQUIRE(comparison.notes.size() == 1);
    CHECK(comparison.notes[0] == "averages per step: 5 in the baseline, 3 in the candidate");
    CHECK(rows_of(comparison.table)[0].starts_with(
        "0 compute gemm both 2.000000 2.000000 0.000000 1.000000 20 24 4 1.200000 10 12 2"));
    // Only steps in the filter count.
    const Comparison complete = compare(*baseline, *candidate, query_of("kernels", "step:complete"));
    CHECK(complete.notes[0] == "averages per step: 4 in the baseline, 2 in the candidate");
    const Comparison same = compare(*baseline, *candidate, query_of("kernels", "step:1-2"));
    CHECK(rows_of(same.table)[0].starts_with("0 compute gemm both 4 4 0 1.000000 40 48 8 1.200000"));
    const Comparison time = compare(*baseline, *candidate, query_of("kernels", "time:0ns..150ns"));
    CHECK(rows_of(time.table)[0].starts_with("0 compute gemm both 3 3 0"));
    // Rows per step need no average.
    const Comparison steps = compare(*baseline, *candidate, query_of("steps"));
    CHECK(any_starts_with(steps.notes, "steps only in the baseline: 4, 5"));
    CHECK_FALSE(any_starts_with(steps.notes, "averages"));
}

TEST_CASE("each rank's sums are divided by its own number of steps") {
    const RunPtr baseline = run_of({stepped_rank(0, 1, 4, 10), stepped_rank(1, 1, 2, 10)});
    const RunPtr candidate = run_of({stepped_rank(0, 1, 4, 10), stepped_rank(1, 1, 4, 10)});
    const Comparison comparison = compare(*baseline, *candidate, query_of("kernels"));
    CHECK(comparison.notes[0] == "averages per step: 2 to 4 in the baseline, 4 in the candidate");
    for (const std::string& row : rows_of(comparison.table))
        CHECK(row.find("both 2.000000 2.000000") != std::string::npos);
}

TEST_CASE("without steps nothing is averaged: sums stay, with a note") {
    const RunPtr baseline = run_of({stepped_rank(0, 1, 4, 10)});
    const RunPtr candidate = run_of({TraceFixture().kernel(0, 30, "gemm").build()});
    const Comparison comparison = compare(*baseline, *candidate, query_of("kernels"));
    REQUIRE_FALSE(comparison.notes.empty());
    CHECK(comparison.notes[0].starts_with("some ranks have no steps"));
    CHECK(rows_of(comparison.table)[0].starts_with("0 compute gemm both 8 1 -7 0.125000 80 30"));
}

TEST_CASE("other ranks and step numbers pair by order, with a note") {
    const RunPtr baseline = run_of({stepped_rank(3, 10, 3, 10)});
    const RunPtr candidate = run_of({stepped_rank(1, 12, 3, 20)});
    const Comparison comparison = compare(*baseline, *candidate, query_of("steps", "step:10-11"));
    CHECK(comparison.table.rows() == 2);
    for (const std::string& row : rows_of(comparison.table)) CHECK(row.find("both") != std::string::npos);
    CHECK(any_starts_with(comparison.notes,
                          "the runs share no rank: ranks are paired by order, baseline = candidate: 3 = 1"));
    CHECK(any_starts_with(comparison.notes,
                          "steps are paired by order, baseline = candidate: 10 = 12, 11 = 13, 12 = 14"));
    const RunPtr more = run_of({stepped_rank(3, 10, 3, 10), stepped_rank(4, 10, 3, 10)});
    const Comparison added = compare(*baseline, *more, query_of("temporal-breakdown"));
    CHECK(any_starts_with(added.notes, "rank only in the candidate: 4"));
    CHECK(row_text(added.table, 0).starts_with("4 added"));
}

TEST_CASE("a table summed over ranks is averaged per rank, and per step if those differ too") {
    const std::vector<Column> columns = {{"kernel", Unit::Text, Role::Key, Facet::Kernel, {}},
                                         {"total", Unit::Ns, Role::Measure, Facet::None, {}, true}};
    const RunPtr one = run_of({stepped_rank(0, 1, 5, 10)});
    const RunPtr two = run_of({stepped_rank(0, 1, 3, 10), stepped_rank(1, 1, 4, 10)});
    const RunPtr five = run_of({stepped_rank(0, 1, 5, 10), stepped_rank(1, 1, 5, 10)});
    const auto choose = [&](const RunPtr& baseline, const RunPtr& candidate) {
        return choose_averages(columns, {baseline.get(), candidate.get()}, {}, align_runs(*baseline, *candidate));
    };
    CHECK_FALSE(choose(one, one).used);
    const Averages both = choose(one, two);
    CHECK(both.note == "averages per rank and step: 1 x 5 in the baseline, 2 x 3.5 in the candidate");
    CHECK(both.of_run.baseline.by == 5);
    CHECK(both.of_run.candidate.by == 7);
    const Averages ranks = choose(one, five);
    CHECK(ranks.note == "averages per rank: 1 in the baseline, 2 in the candidate");
    CHECK(ranks.of_run.candidate.by == 2);
    const Averages steps = choose(five, two);
    CHECK(steps.note == "averages per step: 5 in the baseline, 3.5 in the candidate");
    CHECK(steps.of_run.candidate.times == 2);
    CHECK(steps.of_run.candidate.by == 7);
}

TEST_CASE("kernels by operator: one row for everything an operator launched, for any kernel names") {
    const auto rank = [](const char* first, const char* second) {
        return run_of({TraceFixture()
                           .cpu(0, 50, "aten::mm")
                           .launch(5, 2, 1)
                           .launch(10, 2, 2)
                           .kernel(60, 20, first, 7, 1)
                           .kernel(80, 5, second, 7, 2)
                           .kernel(90, 5, "lone", 7, 99)
                           .build()});
    };
    const RunPtr baseline = rank("nvjet", "splitk");
    const RunPtr candidate = rank("Cijk", "Cijk");
    const Comparison comparison = compare(*baseline, *candidate, query_of("kernels", "", NameMatching::Operator));
    CHECK(rows_of(comparison.table) == Rows{"0 compute (unattributed) lone both 1 1 0 1.000000 5 5 0 1.000000",
                                            "0 compute aten::mm nvjet +1 = Cijk both 2 2 0 1.000000 25 25 0 1.000000"});
    DiffQuery by_hand = query_of("kernels", "class:compute -name:lone");
    by_hand.pairs = {{"nvjet", "Cijk"}, {"splitk", "Cijk"}};
    const Comparison paired = compare(*baseline, *candidate, by_hand);
    REQUIRE(paired.table.rows() == 1);
    CHECK(rows_of(paired.table)[0].starts_with("0 compute nvjet both 2 2 0 1.000000 25 25 0 1.000000 - 13"));
    const Result<RunComparison> refused =
        compare_runs(query_of("kernel-imbalance", "", NameMatching::Operator), {baseline.get(), candidate.get()},
                     align_runs(*baseline, *candidate), 1, {});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.starts_with("kernel-imbalance cannot be paired by operator"));
}

TEST_CASE("an analysis of single events and a filter without ranks are refused with a reason") {
    const Analysis lonely{"lonely", "", "", "", {}, {}, false, nullptr, nullptr, nullptr};
    const RunPtr run = run_of({stepped_rank(0, 1, 2, 10)});
    const BySide<const Run*> runs{run.get(), run.get()};
    const RunAlignment alignment = align_runs(*run, *run);
    const Result<RunComparison> refused = compare_runs({&lonely, {}, {}, {}}, runs, alignment, 1, {});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.starts_with("lonely cannot be compared"));
    const Result<RunComparison> none = compare_runs(query_of("kernels", "rank:9"), runs, alignment, 1, {});
    REQUIRE_FALSE(none);
    CHECK(none.error().message == "no rank of the baseline, fixture, matches the filter");
}

TEST_CASE("a filter with ranks of one side only is reported") {
    const auto run = [](std::initializer_list<int> ranks) {
        std::vector<RankTracePtr> traces;
        for (const int rank : ranks) traces.push_back(TraceFixture().kernel(0, 10, "k").rank(rank).build());
        return run_of(traces);
    };
    const BySide<RunPtr> runs{run({0, 1}), run({0, 1, 2, 3})};
    const BySide<const Run*> pointers{runs.baseline.get(), runs.candidate.get()};
    const auto note = [&](std::string_view text) {
        const Filter filter = parse_filter(text).value();
        return note_only_side(pointers, {filter, filter});
    };
    CHECK(note("rank:2") == "rank 2 is only in the candidate");
    CHECK(note("rank:2-9") == "ranks 2, 3 are only in the candidate");
    CHECK(note("rank:1-2").empty());
    CHECK(note("rank:9").empty());
    CHECK(note("").empty());
    const Filter second = parse_filter("rank:2").value();
    CHECK(find_only_side(pointers, {second, second}) == Side::Candidate);
    CHECK(note_only_side({pointers.candidate, pointers.baseline}, {second, second}) ==
          "rank 2 is only in the baseline");
}

TEST_CASE("a cancelled comparison returns an error") {
    std::stop_source stop;
    stop.request_stop();
    const RunPtr run = run_of({stepped_rank(0, 1, 2, 10)});
    const Result<RunComparison> result = compare_runs(query_of("kernels"), {run.get(), run.get()},
                                                      align_runs(*run, *run), 1, {stop.get_token(), nullptr});
    REQUIRE_FALSE(result);
    CHECK(result.error().code == ErrorCode::Cancelled);
}

TEST_CASE("real runs of one job can be compared in every analysis") {
    if (!goldens_are_here()) return;
    const RunPtr first = load_corpus_run("torchrec/a2a_optimizer_4rank");
    const RunPtr second = load_corpus_run("torchrec/a2a_optimizer_3");
    for (const Analysis& analysis : all_analyses()) {
        if (!analysis.comparable) continue;
        INFO(analysis.id);
        const Comparison comparison = compare(*first, *second, query_of(analysis.id));
        if (comparison.table.rows() > 0) CHECK(8 * count_rows(comparison, "both") > comparison.table.rows());
    }
}

TEST_CASE("normalised names pair most of the work of two devices") {
    if (!goldens_are_here()) return;
    const auto lone_rows = [](const char* baseline, const char* candidate, NameMatching names) {
        const Comparison comparison =
            compare(*load_corpus_run(baseline), *load_corpus_run(candidate), query_of("kernels", "", names));
        return comparison.table.rows() - count_rows(comparison, "both");
    };
    constexpr const char* kA100 = "HolisticTraceAnalysis/trace_diff/control.json.gz";
    constexpr const char* kV100 = "HolisticTraceAnalysis/trace_diff/test.json.gz";
    CHECK(lone_rows(kA100, kV100, NameMatching::Exact) == 93);
    CHECK(lone_rows(kA100, kV100, NameMatching::Normalised) == 23);
    constexpr const char* kH100 = "TraceLens/h100_vs_mi300_qwen/h100_Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz";
    constexpr const char* kMi300 = "TraceLens/h100_vs_mi300_qwen/mi300_Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz";
    CHECK(lone_rows(kH100, kMi300, NameMatching::Exact) == 33);
    CHECK(lone_rows(kH100, kMi300, NameMatching::Normalised) == 26);
}
