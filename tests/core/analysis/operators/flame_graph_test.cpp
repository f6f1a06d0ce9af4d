// The flame graph against a naive version that samples every nanosecond of every thread, and its
// invariants.

#include "core/analysis/operators/flame_graph.hpp"

#include "core/analysis/operators/flame_tree.hpp"
#include "core/ingest/load/load_run.hpp"
#include "core/sample/sample_run.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/analysis/launches/launch_model.hpp"
#include "tests/core/temp_folder.hpp"
#include "tests/core/trace_fixture.hpp"

#include <map>

using namespace core;
using namespace core::testing;

namespace {

struct FlameCall {
    int thread;
    std::int64_t begin, end;
    std::string name;
    std::string category;
};

struct FlameKernel {
    std::int64_t begin, end;
    int thread;  // of its launch; 0: none
    std::int64_t launch;
};

struct FlameModel {
    std::vector<FlameCall> calls;  // callers before callees
    std::vector<FlameKernel> kernels;
};

// total self calls kernels kernel_time of a path
struct FlameSums {
    std::int64_t total = 0, self = 0, calls = 0, kernels = 0, kernel_time = 0;
};
using FlamePaths = std::map<std::string, FlameSums>;

struct FlameTerms {
    std::int64_t from = 0, to = 2'000;
    std::string name;           // required part of the name
    bool kernels_only = false;  // a term that no CPU event passes

    std::string text() const {
        std::string terms;
        if (from > 0) terms = "time:" + std::to_string(from) + "ns.." + std::to_string(to) + "ns";
        if (!name.empty()) terms += " name:" + name;
        return terms + (kernels_only ? " class:compute" : "");
    }
    bool pass(const FlameCall& call) const {
        return !kernels_only && call.begin < to && call.end > from && call.name.find(name) != std::string::npos;
    }
};

void place_flame_calls(FlameModel& model, Dice& dice, int thread, std::int64_t begin, std::int64_t end, int depth) {
    constexpr const char* kNames[] = {"one_a", "one_b", "two_a"};
    constexpr const char* kCategories[] = {"cpu_op", "cpu_op", "user_annotation", "python_function", "cuda_runtime"};
    while (end - begin > 20 && dice.roll(0, 4) > 0) {
        const std::int64_t from = begin + dice.roll(1, 5);
        const std::int64_t to = std::min<std::int64_t>(end - 1, from + dice.roll(6, 300));
        model.calls.push_back({thread, from, to, kNames[dice.roll(0, 2)], kCategories[dice.roll(0, 4)]});
        if (depth < 6) place_flame_calls(model, dice, thread, from, to, depth + 1);
        begin = to + 1;
    }
}

FlameModel random_flame(Dice& dice) {
    FlameModel model;
    for (const int thread : {100, 101}) place_flame_calls(model, dice, thread, 1, 900, 0);
    for (int i = dice.roll(0, 12); i > 0; --i) {
        const std::int64_t begin = dice.roll(1, 1'000);
        model.kernels.push_back(
            {begin, begin + dice.roll(1, 60), dice.roll(0, 4) > 0 ? dice.roll(100, 101) : 0, dice.roll(1, 899)});
    }
    return model;
}

RankTracePtr trace_of(const FlameModel& model, int rank) {
    TraceFixture fixture;
    fixture.event(0, 2'000, "everything", "cpu_marker", {"100", "1"});  // makes run time equal rank time
    for (const FlameCall& call : model.calls)
        fixture.event(call.begin, call.end - call.begin, call.name, call.category,
                      {"100", std::to_string(call.thread)});
    std::int64_t correlation = 0;
    for (const FlameKernel& kernel : model.kernels) {
        ++correlation;
        fixture.kernel(kernel.begin, kernel.end - kernel.begin, "gemm_a", 7, kernel.thread == 0 ? -1 : correlation);
        if (kernel.thread == 0) continue;
        fixture.event(kernel.launch, 0, "cudaLaunchKernel", "cuda_runtime", {"100", std::to_string(kernel.thread)})
            .arg(Arg::Correlation, correlation);
    }
    return fixture.rank(rank).build();
}

bool is_frame_of(FlameKind kind, const FlameCall& call) {
    if (kind == FlameKind::Python) return call.category == "python_function";
    return call.category == "cpu_op" || (kind == FlameKind::Annotations && call.category == "user_annotation");
}

// Frames that contain a moment, outermost first.
std::vector<const FlameCall*> stack_at(const FlameModel& model, FlameKind kind, int thread, std::int64_t moment) {
    std::vector<const FlameCall*> stack;
    for (const FlameCall& call : model.calls) {
        if (call.thread == thread && call.begin <= moment && moment < call.end && is_frame_of(kind, call))
            stack.push_back(&call);
    }
    return stack;
}

std::vector<std::string> paths_of(const std::vector<const FlameCall*>& stack) {
    std::vector<std::string> paths{""};
    for (const FlameCall* call : stack) paths.push_back(paths.back() + "/" + call->name);
    return paths;
}

void add_twin(const FlameModel& model, FlameKind kind, const FlameTerms& terms, FlamePaths& sums) {
    for (const int thread : {100, 101}) {
        for (std::int64_t t = terms.from; t < std::min<std::int64_t>(terms.to, 1'000); ++t) {
            std::vector<const FlameCall*> stack = stack_at(model, kind, thread, t);
            while (!stack.empty() && !terms.pass(*stack.back())) stack.pop_back();
            if (stack.empty()) continue;
            const std::vector<std::string> paths = paths_of(stack);
            for (const std::string& path : paths) ++sums[path].total;
            ++sums[paths.back()].self;
        }
    }
    for (const FlameCall& call : model.calls) {
        if (is_frame_of(kind, call) && terms.pass(call))
            ++sums[paths_of(stack_at(model, kind, call.thread, call.begin)).back()].calls;
    }
    for (const FlameKernel& kernel : model.kernels) {
        const std::int64_t seen = std::min(kernel.end, terms.to) - std::max(kernel.begin, terms.from);
        if (seen <= 0 || std::string("gemm_a").find(terms.name) == std::string::npos) continue;
        std::vector<std::string> paths = paths_of(stack_at(model, kind, kernel.thread, kernel.launch));
        if (paths.size() == 1) paths.emplace_back("/(unattributed)");
        for (const std::string& path : paths) {
            ++sums[path].kernels;
            sums[path].kernel_time += seen;
        }
    }
}

Result<Answer> ask_flame(const Run& run, std::string_view filter, FlameKind kind) {
    const Result<Filter> parsed = parse_filter(filter);
    REQUIRE(parsed);
    return run_analysis(flame_graph(), run, *parsed, {static_cast<std::int64_t>(kind)}, 2, {});
}

FlamePaths paths_of(const Table& table) {
    using namespace flame_column;
    FlamePaths sums;
    std::vector<std::string> open;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const auto depth = static_cast<std::size_t>(table.integer(row, kDepth));
        REQUIRE(depth <= open.size());
        open.resize(depth);
        open.push_back(depth == 0 ? "" : open.back() + "/" + std::string(table.text(row, kName)));
        CHECK(!sums.contains(open.back()));
        sums[open.back()] = {table.integer(row, kTotal), table.integer(row, kSelf), table.integer(row, kCalls),
                             table.integer(row, kKernels), table.integer(row, kKernelTime)};
    }
    return sums;
}

Rows words_of(const FlamePaths& paths) {
    Rows words;
    for (const auto& [path, sums] : paths) {
        std::string word = path;
        for (const std::int64_t value : {sums.total, sums.self, sums.calls, sums.kernels, sums.kernel_time})
            word += " " + std::to_string(value);
        words.push_back(std::move(word));
    }
    return words;
}

// Children and self add up to the total for both measures; frames respect the minimum width and the order.
void check_sums(const Table& table) {
    using namespace flame_column;
    std::vector<std::size_t> open;
    std::map<std::size_t, std::pair<std::int64_t, std::int64_t>> rest;  // by row: self time left by its children
    for (std::size_t row = 0; row < table.rows(); ++row) {
        rest[row] = {table.integer(row, kTotal), table.integer(row, kKernelTime)};
        open.resize(static_cast<std::size_t>(table.integer(row, kDepth)));
        if (!open.empty()) {
            rest[open.back()].first -= table.integer(row, kTotal);
            rest[open.back()].second -= table.integer(row, kKernelTime);
        }
        open.push_back(row);
    }
    for (const auto& [row, left] : rest) {
        CAPTURE(row);
        CHECK(left.first == table.integer(row, kSelf));
        CHECK(left.second == table.integer(row, kSelfKernelTime));
        CHECK(table.integer(row, kSelf) >= 0);
    }
}

}  // namespace

TEST_CASE("the flame graph agrees with a naive version at every nanosecond") {
    for (std::uint32_t seed = 1; seed <= 60; ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        const FlameModel models[] = {random_flame(dice), random_flame(dice)};
        const RunPtr run = run_of({trace_of(models[0], 0), trace_of(models[1], 1)});
        FlameTerms terms;
        if (dice.roll(0, 1)) terms = {dice.roll(1, 600), 0, "", false};
        if (terms.to == 0) terms.to = terms.from + dice.roll(1, 500);
        if (dice.roll(0, 2) == 0) terms.name = dice.roll(0, 1) ? "_a" : "one";
        terms.kernels_only = dice.roll(0, 4) == 0;
        CAPTURE(terms.text());
        for (const FlameKind kind : {FlameKind::Operators, FlameKind::Python, FlameKind::Annotations}) {
            FlamePaths twin{{"", {}}};
            for (const FlameModel& model : models) add_twin(model, kind, terms, twin);
            const Result<Answer> answer = ask_flame(*run, terms.text(), kind);
            REQUIRE(answer);
            CHECK(words_of(paths_of(answer->main())) == words_of(twin));
            check_sums(answer->main());
        }
    }
}

TEST_CASE("steps of all ranks are one frame, and the greatest child comes first") {
    TraceFixture fixture;
    for (int step = 0; step < 3; ++step)
        fixture.step(100 * step, 90, step).cpu(100 * step + 5, 20, "aten::add").cpu(100 * step + 40, 40, "aten::mm");
    const RunPtr run = run_of({fixture.build()});
    const Result<Answer> answer = ask_flame(*run, "", FlameKind::Annotations);
    REQUIRE(answer);
    CHECK(rows_of(answer->main()) == Rows{"0  270 0 0 0 0 0 0", "1 ProfilerStep 270 90 3 0 0 0 0",
                                          "2 aten::mm 120 120 3 0 0 0 0", "2 aten::add 60 60 3 0 0 0 0"});
}

TEST_CASE("frames too narrow to keep become one child with their number, and nothing is lost") {
    TraceFixture fixture;
    fixture.cpu(0, 10'000'000, "whole").cpu(1'000, 5'000'000, "wide");
    for (int i = 0; i < 50; ++i) {
        fixture.cpu(6'000'000 + 1'000 * i, 100, "narrow " + std::to_string(i));
        fixture.cpu(6'000'010 + 1'000 * i, 50, "narrower");
    }
    const RunPtr run = run_of({fixture.build(), TraceFixture().cpu(0, 10, "short").rank(1).build()});
    const Result<Answer> answer = ask_flame(*run, "", FlameKind::Operators);
    REQUIRE(answer);
    CHECK(rows_of(answer->main()) == Rows{"0  10000010 0 0 0 0 0 0", "1 whole 10000000 4995000 1 0 0 0 0",
                                          "2 wide 5000000 5000000 1 0 0 0 0", "2 (others) 5000 5000 50 0 0 0 100",
                                          "1 (others) 10 10 1 0 0 0 1"});
}

TEST_CASE("a frame that is narrow on the CPU is kept for its kernels") {
    TraceFixture fixture;
    fixture.cpu(0, 10'000'000, "whole")
        .cpu(500, 100, "launcher")
        .launch(510, 10, 1)
        .kernel(2'000, 700'000, "gemm", 7, 1);
    const Result<Answer> answer = ask_flame(*run_of({fixture.build()}), "", FlameKind::Operators);
    REQUIRE(answer);
    CHECK(rows_of(answer->main()).back() == "2 launcher 100 100 1 1 700000 700000 0");
}

TEST_CASE("calls deeper than the limit count in the frame above, with a note") {
    TraceFixture fixture;
    for (int i = 0; i < 600; ++i) fixture.cpu(i, 2'000 - 2 * i, "f");
    const Result<Answer> answer = ask_flame(*run_of({fixture.build()}), "", FlameKind::Operators);
    REQUIRE(answer);
    CHECK(answer->main().rows() == kMostFlameDepth + 1);
    CHECK(answer->main().integer(kMostFlameDepth, flame_column::kSelf) == 2'000 - 2 * 511);
    REQUIRE(answer->excluded.size() == 1);
    CHECK(answer->excluded.front().count == 600 - kMostFlameDepth);
    check_sums(answer->main());
}

TEST_CASE("a flame graph of no events is its root") {
    for (const RunPtr& run : {run_of({}), run_of({TraceFixture().kernel(0, 0, "gemm").build()})}) {
        const Result<Answer> answer = ask_flame(*run, "", FlameKind::Python);
        REQUIRE(answer);
        CHECK(answer->main().integer(0, flame_column::kTotal) == 0);
        CHECK_FALSE(has_frames(*run, {}, FlameKind::Python));
    }
}

TEST_CASE("the sample's flame graphs add up, and their kernel time is complete") {
    const TempFolder folder;
    SampleOptions options;
    options.steps = 2;
    options.layers = 1;
    REQUIRE(write_sample_run(folder.path() / "sample", options, {}));
    const std::vector<std::filesystem::path> paths{folder.path() / "sample"};
    LoadProgress progress;
    const Result<RunPtr> run = load_run(paths, {}, progress, {});
    REQUIRE(run);
    std::int64_t kernel_time = 0;
    const Table operators = answer_of(**run, "operators").main();
    for (std::size_t row = 0; row < operators.rows(); ++row)
        kernel_time += operators.integer(row, operators.find_column("self_kernel_time"));
    for (const FlameKind kind : {FlameKind::Operators, FlameKind::Annotations}) {
        const Result<Answer> answer = ask_flame(**run, "", kind);
        REQUIRE(answer);
        check_sums(answer->main());
        CHECK(answer->main().integer(0, flame_column::kKernelTime) == kernel_time);
        CHECK(answer->main().rows() > 10);
    }
}
