#include "core/store/assemble/step_marks.hpp"

#include "core/store/assemble/trace_builder.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace core;

namespace {

class StepTrace {
public:
    StepTrace& range(std::string_view name, std::int64_t start, std::int64_t duration, std::string_view tid = "1") {
        add(name, "user_annotation", start, duration, "100", tid);
        return *this;
    }
    // A kernel and its launch.
    StepTrace& kernel(std::int64_t launched, std::int64_t duration) {
        const std::int64_t correlation = ++correlation_;
        add("cudaLaunchKernel", "cuda_runtime", launched, 1, "100", "1");
        correlate(correlation);
        add("gemm", "kernel", launched + 10'000, duration, "0", "7");
        correlate(correlation);
        return *this;
    }
    RankTracePtr build(std::string marks = {}) {
        TraceBuilder builder;
        builder.mark_steps(std::move(marks));
        builder.append(std::move(batch_));
        return *std::move(builder).finish({}, {}, {});
    }

private:
    void add(std::string_view name, std::string_view category, std::int64_t start, std::int64_t duration,
             std::string_view pid, std::string_view tid) {
        EventRow row{};
        row.start_ns = start;
        row.duration_ns = duration;
        row.name = batch_.pool.intern(name);
        row.category = batch_.pool.intern(category);
        row.pid = batch_.pool.intern(pid);
        row.tid = batch_.pool.intern(tid);
        row.order = static_cast<std::uint32_t>(batch_.records.total++);
        row.phase = Phase::Complete;
        ++batch_.records.complete;
        batch_.events.push_back(row);
    }
    void correlate(std::int64_t correlation) {
        batch_.integers[static_cast<std::size_t>(Arg::Correlation)].push_back(
            {static_cast<std::uint32_t>(batch_.events.size() - 1), correlation});
    }
    EventBatch batch_;
    std::int64_t correlation_ = 0;
};

std::vector<std::int64_t> numbers_of(const RankTrace& trace) {
    std::vector<std::int64_t> numbers;
    for (const Step& step : trace.steps) numbers.push_back(step.number);
    return numbers;
}

}  // namespace

TEST_CASE("a pattern of names has one mark for each number") {
    CHECK(step_pattern("step 12") == "step #");
    CHECK(step_pattern("epoch 3/iter 017") == "epoch #/iter #");
    CHECK(step_pattern("train") == "train");
    CHECK(step_pattern("") == "");
}

TEST_CASE("the ranges that launch most of the GPU time become steps, numbered as they are named") {
    StepTrace trace;
    for (int i = 0; i < 3; ++i)
        trace.range("iteration " + std::to_string(7 + i), 100 * i, 80)
            .range("backward", 100 * i + 10, 20)
            .kernel(100 * i + 40, 50);
    const RankTracePtr built = trace.build();
    CHECK(built->info.step_marks == "iteration #");
    CHECK(numbers_of(*built) == std::vector<std::int64_t>{7, 8, 9});
    CHECK(built->has(built->steps[0].event, kStepMark));
}

TEST_CASE("ranges that overlap, occur once, or launch less than half of the GPU time aren't steps") {
    SUBCASE("overlap") {
        const RankTracePtr built = StepTrace().range("x 1", 0, 60).range("x 2", 50, 60, "2").kernel(10, 5).build();
        CHECK(built->steps.empty());
        CHECK(built->info.step_marks.empty());
    }
    SUBCASE("once") { CHECK(StepTrace().range("x", 0, 60).kernel(10, 5).build()->steps.empty()); }
    SUBCASE("little") {
        CHECK(StepTrace().range("x", 0, 60).range("x", 100, 60).kernel(10, 5).kernel(500, 6).build()->steps.empty());
    }
    SUBCASE("no GPU work") { CHECK(StepTrace().range("x", 0, 60).range("x", 100, 60).build()->steps.empty()); }
}

TEST_CASE("of ranges that launch the same, those that occur more often are steps, then the longer") {
    StepTrace trace;
    for (int i = 0; i < 4; ++i) {
        if (i % 2 == 0) trace.range("epoch", 100 * i, 200);
        trace.range("step", 100 * i, 90).range("forward", 100 * i + 10, 70).kernel(100 * i + 20, 5);
    }
    const RankTracePtr built = trace.build();
    CHECK(built->info.step_marks == "step");
    CHECK(numbers_of(*built) == std::vector<std::int64_t>{0, 1, 2, 3});
}

TEST_CASE("marked steps stay, unless other ranges are asked for") {
    const auto trace = [] {
        StepTrace made;
        made.range("ProfilerStep#4", 0, 100).range("ProfilerStep#5", 100, 100);
        made.range("part", 10, 20).range("part", 110, 20).kernel(15, 5).kernel(115, 5);
        return made;
    };
    const RankTracePtr marked = trace().build();
    CHECK(numbers_of(*marked) == std::vector<std::int64_t>{4, 5});
    CHECK(marked->info.step_marks.empty());
    const RankTracePtr asked = trace().build("part");
    CHECK(numbers_of(*asked) == std::vector<std::int64_t>{0, 1});
    CHECK(asked->info.step_marks == "part");
    std::size_t flagged = 0;
    for (std::uint32_t e = 0; e < asked->size(); ++e) flagged += asked->has(EventId{e}, kStepMark) ? 1 : 0;
    CHECK(flagged == 2);
}

TEST_CASE("numbers of names that do not rise are replaced by the order of the ranges") {
    const RankTracePtr built =
        StepTrace().range("step 2", 0, 50).range("step 1", 100, 50).kernel(10, 5).kernel(110, 5).build();
    CHECK(built->info.step_marks == "step #");
    CHECK(numbers_of(*built) == std::vector<std::int64_t>{0, 1});
}
