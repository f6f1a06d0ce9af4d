#include "core/analysis/whatif/whole_path.hpp"

#include "core/analysis/whatif/run_window.hpp"
#include "core/collectives/choose_clocks.hpp"
#include "core/ingest/load/load_run.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/analysis/engine/sample_with_truth.hpp"
#include "tests/core/analysis/whatif/planned_run.hpp"
#include "tests/corpus.hpp"

#include <map>

using namespace core;
using namespace core::testing;

namespace {

const Table& table_of_path(const Answer& answer, std::string_view name) {
    const Table* const table = answer.find(name);
    REQUIRE(table);
    return *table;
}

// Stretches are contiguous and span the window; the tables add up to it.
void check_run_spans(const Answer& answer) {
    const Table& path = table_of_path(answer, "path");
    const Table& window = table_of_path(answer, "what-if");
    REQUIRE(window.rows() == 1);
    std::int64_t at = window.integer(0, 1), by_bound = 0, by_rank = 0;
    for (std::size_t row = 0; row < path.rows(); ++row) {
        CHECK(path.integer(row, 4) == at);
        CHECK(path.integer(row, 5) > 0);
        at += path.integer(row, 5);
    }
    CHECK(at == window.integer(0, 1) + window.integer(0, 2));
    for (std::size_t row = 0; row < answer.main().rows(); ++row) by_bound += answer.main().integer(row, 1);
    const Table& ranks = table_of_path(answer, "ranks");
    for (std::size_t row = 0; row < ranks.rows(); ++row) by_rank += ranks.integer(row, 2);
    CHECK(by_bound == window.integer(0, 2));
    CHECK(by_rank == window.integer(0, 2));
}

// All work of each rank that passes.
std::vector<PartWindow> whole_parts(const Run& run, const Filter& filter = {}) {
    std::vector<PartWindow> parts;
    for (std::uint32_t slot = 0; slot < run.ranks().size(); ++slot) {
        const Result<RankView> view = build_rank_view(run, slot, filter, {});
        REQUIRE(view);
        if (const auto window = find_path_window(*view)) parts.push_back({slot, *window});
    }
    return parts;
}

WholePath whole_path(const Run& run, const Scales& scales, const PathLimits& limits, const Filter& filter = {}) {
    Result<WholePath> path = find_whole_path(run, *waits_of(run), whole_parts(run, filter), {}, scales, limits, {});
    REQUIRE(path);
    return *std::move(path);
}

void check_contiguous(const WholePath& whole) {
    std::int64_t at = 0;
    bool gaps = false;
    for (const RunStretch& stretch : whole.path.stretches) {
        gaps = gaps || stretch.begin != at || stretch.length <= 0;
        at = stretch.begin + stretch.length;
    }
    CHECK_FALSE(gaps);
    CHECK(at == whole.path.length);
    CHECK(whole.range.length().count() == whole.path.length);
    std::int64_t sum = 0;
    for (const std::int64_t time : whole.replayed) sum += time;
    CHECK(sum == whole.replayed_length);
}

}  // namespace

TEST_CASE("planned runs: the path is on the last rank of each round, and crosses to the next one's") {
    for (unsigned seed = 0; seed < 150; ++seed) {
        INFO("seed ", seed);
        const Plan plan = random_plan(seed);
        const Walked walked = walk(plan);
        const Answer answer = answer_of(*run_of_plan(plan), "critical-path", "", {{"of", "run"}});
        check_run_spans(answer);
        std::map<std::int64_t, std::int64_t> compute;
        for (std::size_t k = 0; k < walked.last.size(); ++k)
            compute[RankKey{static_cast<std::int32_t>(walked.last[k]), 0}.packed()] += plan.work[walked.last[k]][k];
        std::map<std::int64_t, std::int64_t> found;
        const Table& ranks = table_of_path(answer, "ranks");
        for (std::size_t row = 0; row < ranks.rows(); ++row)
            if (ranks.text(row, 1) == "compute") found[ranks.integer(row, 0)] = ranks.integer(row, 2);
        CHECK(found == compute);
        std::size_t crossings = 0;
        for (std::size_t k = 1; k < walked.last.size(); ++k) crossings += walked.last[k] != walked.last[k - 1] ? 1 : 0;
        const Table& table = table_of_path(answer, "crossings");
        CHECK(table.rows() >= crossings);  // the end may be reached on any rank
        CHECK(table.rows() <= crossings + 1);
        for (std::size_t row = 0; row < std::min(table.rows(), crossings); ++row) {
            CHECK(table.integer(row, 1) != table.integer(row, 2));
            CHECK(table.text(row, 4) == "all_reduce");
        }
    }
}

TEST_CASE("a time range shows its part of the path across the ranks") {
    const Plan plan = random_plan(3);
    const Answer whole = answer_of(*run_of_plan(plan), "critical-path", "", {{"of", "run"}});
    const Answer part = answer_of(*run_of_plan(plan), "critical-path", "time:+0ns..+200us", {{"of", "run"}});
    check_run_spans(part);
    CHECK(table_of_path(part, "what-if").integer(0, 2) ==
          std::min<std::int64_t>(200'000, table_of_path(whole, "what-if").integer(0, 2)));
}

TEST_CASE("shared runs: the path across the ranks spans its window, whole and per step") {
    if (!corpus_is_here()) return;
    for (const char* const name :
         {"torchrec/a2a_optimizer_4rank", "torchrec/a2a_optimizer_3", "torchrec/resnet18_2rank"}) {
        INFO(name);
        LoadProgress progress;
        const std::vector<std::filesystem::path> paths = {corpus_folder() / name};
        const Result<RunPtr> run = load_run(paths, LoadOptions{}, progress, {});
        REQUIRE(run);
        const RunPtr aligned = with_clocks(*run, ClockChoice::Auto);
        for (const char* const filter : {"", "step:5", "step:2", "step:complete", "time:+100ms..+1500ms"}) {
            INFO(filter);
            const Answer answer = answer_of(*aligned, "critical-path", filter, {{"of", "run"}});
            if (table_of_path(answer, "what-if").rows() > 0) check_run_spans(answer);
        }
    }
}

TEST_CASE("the path goes through the rank that sleeps") {
    if (!corpus_is_here()) return;
    LoadProgress progress;
    const std::vector<std::filesystem::path> paths = {corpus_folder() / "torchrec/a2a_optimizer_4rank"};
    const Result<RunPtr> run = load_run(paths, LoadOptions{}, progress, {});
    REQUIRE(run);
    const Answer answer = answer_of(*with_clocks(*run, ClockChoice::Auto), "critical-path", "", {{"of", "run"}});
    std::int64_t slept = 0;
    const Table& ranks = table_of_path(answer, "ranks");
    for (std::size_t row = 0; row < ranks.rows(); ++row)
        if (ranks.integer(row, 0) == RankKey{2, 0}.packed() && ranks.text(row, 1) == "host_other")
            slept = ranks.integer(row, 2);
    CHECK(slept > 2'900'000'000);
}

TEST_CASE("shared runs: graphs of one step each give a path without gaps, as long as that of one graph") {
    if (!corpus_is_here()) return;
    for (const char* const name : {"torchrec/a2a_optimizer_4rank", "torchrec/resnet18_2rank"}) {
        INFO(name);
        LoadProgress progress;
        const std::vector<std::filesystem::path> paths = {corpus_folder() / name};
        const Result<RunPtr> loaded = load_run(paths, LoadOptions{}, progress, {});
        REQUIRE(loaded);
        const RunPtr run = with_clocks(*loaded, ClockChoice::Auto);
        const WholePath one = whole_path(*run, {}, {});
        const WholePath cut = whole_path(*run, {}, {.one_graph = 0, .at_once = 1});
        CHECK(one.graphs == 1);
        CHECK(cut.graphs > 1);
        check_contiguous(one);
        check_contiguous(cut);
        CHECK(cut.range.begin == one.range.begin);
        CHECK(std::abs(cut.path.length - one.path.length) <= cut.moved.sum + one.moved.sum);
        CHECK(cut.replayed_length == cut.path.length);
        // A step excludes work it does not wait for, so most of the time has the same causes.
        const BoundTimes of_one = add_up_by_bound(one.path), of_cut = add_up_by_bound(cut.path);
        std::int64_t apart = 0;
        for (std::size_t i = 0; i < kBoundBy; ++i) apart += std::abs(of_one[i] - of_cut[i]);
        CHECK(apart < one.path.length / 20);
        const WholePath faster = whole_path(*run, {.cpu = 50, .compute = 50}, {.one_graph = 0, .at_once = 1});
        CHECK(faster.replayed_length < cut.path.length);
        CHECK(add_up_by_bound(faster.path) == of_cut);
        std::int64_t sum = 0;
        for (const std::int64_t time : faster.replayed) sum += time;
        CHECK(sum == faster.replayed_length);
    }
}

TEST_CASE("a time range is cut into graphs of its steps and shown to its end") {
    const RunPtr run = make_sample(false, 6).run;
    const std::span<const Step> steps = run->rank(0).trace().steps;
    REQUIRE(steps.size() > 5);
    const auto at = [&](std::size_t step, std::int64_t more) {
        return (run->rank(0).to_run(steps[step].range.begin) - run->origin()).count() + more;
    };
    for (const std::size_t last : {3u, 4u}) {
        const std::int64_t begin = at(1, 1'000'000), end = at(last, 2'000'000);
        const Filter filter =
            parse_filter("time:+" + std::to_string(begin) + "ns..+" + std::to_string(end) + "ns").value();
        const WholePath one = whole_path(*run, {}, {}, filter);
        const WholePath cut = whole_path(*run, {}, {.one_graph = 0, .at_once = 1}, filter);
        CHECK(one.graphs == 1);
        CHECK(cut.graphs == last);  // steps 1 to last
        check_contiguous(one);
        check_contiguous(cut);
        CHECK(cut.range.begin == one.range.begin);
        CHECK(std::abs(cut.path.length - one.path.length) <= cut.moved.sum + one.moved.sum);
        CHECK(std::abs(one.path.length - (end - begin)) <= one.moved.sum);
    }
}

TEST_CASE("members of a broadcast wait for its root, and a root that reduces for everyone") {
    struct Case {
        const char* kernel;
        const char* name;
        std::vector<std::int64_t> end;  // of rank 0, 1, 2; 1 is the root and begins last
        std::size_t crossings;          // to the end of the run, on rank 2
    };
    // Kernels begin 100, 500 and 300 after the window's begin.
    const Case cases[] = {{"ncclDevKernel_Broadcast", "broadcast", {700, 600, 900}, 1},
                          {"ncclDevKernel_Reduce", "reduce", {400, 700, 900}, 0}};
    for (const Case& one : cases) {
        INFO(one.name);
        std::vector<RankTracePtr> traces;
        const std::int64_t begins[] = {100, 500, 300};
        for (std::size_t r = 0; r < 3; ++r) {
            TraceFixture fixture;
            fixture.launch(0, 10, 1);
            fixture.kernel(20, begins[r] - 20, "gemm", 7, 1);
            fixture.launch(11, 5, 2);
            fixture.kernel(begins[r], one.end[r] - begins[r], one.kernel, 7, 2)
                .arg(Arg::CollectiveName, one.name)
                .arg(Arg::GroupName, "dp")
                .arg(Arg::GroupRanks, "[0, 1, 2]")
                .arg(Arg::GroupSize, 3)
                .arg(Arg::GroupRank, 1)
                .arg(Arg::Seq, 1);
            traces.push_back(fixture.rank(static_cast<int>(r)).build());
        }
        const RunPtr run = run_of(traces);
        const std::vector<PartWindow> parts = whole_parts(*run);
        const Result<RunGraph> graph = build_run_graph(*run, *waits_of(*run), parts, {}, {});
        REQUIRE(graph);
        CHECK(graph->joins.joined == 1);
        CHECK(graph->joins.not_joined == 0);
        const Result<RunPath> path = find_run_path(*graph, recorded_weights(*graph), {});
        REQUIRE(path);
        CHECK(path->crossings.size() == one.crossings);
        for (const RunCrossing& crossing : path->crossings) CHECK(crossing.from == 1);
        CHECK(path->length == graph->length());
    }
}
