#include "core/ingest/load/load_run.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/analysis/launches/launch_model.hpp"
#include "tests/corpus.hpp"

#include <map>

using namespace core;
using namespace core::testing;

namespace {

// kernel, call, gpu, delay, queued, events, api, stream, step, start: everything but ids.
Rows row_texts(const Table& table) {
    Rows rows;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const std::string text = row_text(table, row);
        rows.push_back(text.substr(text.find(' ', text.find(' ') + 1) + 1));
    }
    return rows;
}

Rows expected_launches(const LaunchModel& model, const Chosen& chosen) {
    std::map<int, std::vector<const ModelKernel*>> launched;
    for (const ModelKernel& kernel : model.kernels) {
        if (kernel.call < 0 || !chosen.places(model, kernel) || !chosen.takes(kernel) || !chosen.sees(kernel)) continue;
        launched[kernel.call].push_back(&kernel);
    }
    Rows rows;
    for (const auto& [index, kernels] : launched) {
        const ModelCall& call = model.calls[static_cast<std::size_t>(index)];
        const ModelKernel& first = *kernels.front();
        int gpu = 0;
        for (const ModelKernel* kernel : kernels) gpu += kernel->duration;
        int earlier = call.end();
        for (const ModelKernel& kernel : model.kernels) {
            if (&kernel == &first) break;
            if (kernel.stream == first.stream) earlier = std::max(earlier, kernel.end());
        }
        const int queued = std::max(0, std::min(earlier, first.start) - call.end());
        const ModelStep* const step = model.step_at(call.start);
        rows.push_back(first.name + " " + std::to_string(call.duration) + " " + std::to_string(gpu) + " " +
                       std::to_string(first.start - call.end()) + " " + std::to_string(queued) + " " +
                       std::to_string(kernels.size()) + " call" + std::to_string(index) + " " +
                       std::to_string(first.stream) + " " + (step ? std::to_string(step->number) : "-") + " " +
                       std::to_string(call.start));
    }
    return rows;
}

}  // namespace

TEST_CASE("a launch has the duration of its call and of its GPU work, and the delay in between") {
    const RunPtr run = run_of({TraceFixture()
                                   .step(0, 50, 3)
                                   .launch(10, 5, 1)
                                   .launch(60, 5, 2)
                                   .kernel(18, 7, "gemm", 7, 1)
                                   .kernel(70, 9, "relu", 8, 2)
                                   .build()});
    CHECK(row_texts(answer_of(*run, "launches").main()) ==
          Rows{"gemm 5 7 3 0 1 cudaLaunchKernel 7 3 10", "relu 5 9 5 0 1 cudaLaunchKernel 8 - 60"});
}

TEST_CASE("a graph launch is one row with all its kernels and the delay of the first") {
    const RunPtr run = run_of({TraceFixture()
                                   .event(0, 10, "hipGraphLaunch", "cuda_runtime", {})
                                   .arg(Arg::Correlation, 5)
                                   .kernel(40, 8, "second", 7, 5)
                                   .kernel(30, 8, "first", 8, 5)
                                   .kernel(12, 13, "other", 8)
                                   .build()});
    CHECK(row_texts(answer_of(*run, "launches").main()) == Rows{"first 10 16 20 15 2 hipGraphLaunch 8 - 0"});
    // The part of the graph on one stream.
    CHECK(row_texts(answer_of(*run, "launches", "stream:7").main()) == Rows{"second 10 8 30 0 1 hipGraphLaunch 7 - 0"});
}

TEST_CASE("a negative delay is kept, and launches are sorted by the start of their calls") {
    const RunPtr run = run_of({TraceFixture()
                                   .launch(50, 20, 1)
                                   .launch(80, 5, 2)
                                   .kernel(60, 30, "copy", 7, 1)
                                   .kernel(70, 1, "early", 8, 2)
                                   .build()});
    CHECK(row_texts(answer_of(*run, "launches").main()) ==
          Rows{"copy 20 30 -10 0 1 cudaLaunchKernel 7 - 0", "early 5 1 -15 0 1 cudaLaunchKernel 8 - 30"});
}

TEST_CASE("a time range selects GPU events and cuts nothing") {
    const RunPtr run = run_of(
        {TraceFixture().launch(0, 5, 1).launch(10, 5, 2).kernel(30, 10, "a", 7, 1).kernel(50, 10, "b", 7, 2).build()});
    CHECK(row_texts(answer_of(*run, "launches", "time:35ns..50ns").main()) ==
          Rows{"a 5 10 25 0 1 cudaLaunchKernel 7 - 0"});
}

TEST_CASE("GPU events without a call, or linked to something else, are counted as excluded") {
    TraceFixture fixture;
    fixture.cpu(0, 10, "op").kernel(5, 10, "by arrow").kernel(30, 10, "before the trace", 7, 9);
    fixture.flow(FlowPhase::Start, 0, 1, {"100", "100"}).flow(FlowPhase::End, 5, 1, {"0", "7"});
    fixture.launch(50, 2, 3).kernel(60, 5, "by call", 7, 3);
    const Answer answer = answer_of(*run_of({fixture.build()}), "launches");
    CHECK(answer.main().rows() == 1);
    REQUIRE(answer.excluded.size() == 2);
    CHECK(answer.excluded[0].what == "GPU events whose launch call is not in the trace");
    CHECK(answer.excluded[1].what == "GPU events linked to no runtime or driver call");
}

TEST_CASE("without recorded calls, the host event at the start of an arrow is the call in every analysis") {
    TraceFixture fixture;
    fixture.cpu(0, 10, "op").kernel(5, 10, "by arrow").kernel(40, 10, "unknown");
    fixture.flow(FlowPhase::Start, 0, 1, {"100", "100"}).flow(FlowPhase::End, 5, 1, {"0", "7"});
    const RunPtr run = run_of({fixture.build()});
    CHECK(answer_of(*run, "launches").main().rows() == 1);
    const Answer summary = answer_of(*run, "launch-summary");
    CHECK(summary.main().integer(0, summary.main().find_column("launches")) == 1);
    const Answer queue = answer_of(*run, "queue-length");
    CHECK(queue.main().integer(0, queue.main().find_column("launches")) == 1);
}

TEST_CASE("arrows from operators are ignored in every analysis if calls are recorded") {
    TraceFixture fixture;
    fixture.cpu(0, 10, "op").kernel(5, 10, "by arrow");
    fixture.flow(FlowPhase::Start, 0, 1, {"100", "100"}).flow(FlowPhase::End, 5, 1, {"0", "7"});
    fixture.launch(50, 2, 3).kernel(60, 5, "by call", 7, 3);
    const RunPtr run = run_of({fixture.build()});
    const Answer summary = answer_of(*run, "launch-summary"), queue = answer_of(*run, "queue-length");
    CHECK(summary.main().integer(0, summary.main().find_column("launches")) == 1);
    CHECK(queue.main().integer(0, queue.main().find_column("launches")) == 1);
}

TEST_CASE("launch-summary and queue-length count the same launches on the NPU run") {
    if (!corpus_is_here()) return;
    LoadProgress progress;
    const std::vector<fs::path> paths = {corpus_folder() / "Ascend-msinsight/pytorch_npu_level0_2rank"};
    const Result<RunPtr> loaded = load_run(paths, {}, progress, {});
    REQUIRE(loaded.has_value());
    const RunPtr run = *loaded;
    const Answer summary = answer_of(*run, "launch-summary"), queue = answer_of(*run, "queue-length");
    std::vector<std::int64_t> of_summary, of_queue(2, 0);
    for (std::size_t row = 0; row < summary.main().rows(); ++row)
        of_summary.push_back(summary.main().integer(row, summary.main().find_column("launches")));
    for (std::size_t row = 0; row < queue.main().rows(); ++row)
        if (!queue.main().absent(row, queue.main().find_column("launches")))
            of_queue[static_cast<std::size_t>(RankKey::unpacked(queue.main().integer(row, 0)).number)] +=
                queue.main().integer(row, queue.main().find_column("launches"));
    CHECK(of_summary == std::vector<std::int64_t>{127, 127});
    CHECK(of_queue == of_summary);
}

TEST_CASE("random traces: launches agree with a naive count") {
    std::size_t seen = 0;
    for (unsigned seed = 0; seed < 200; ++seed) {
        Dice dice(seed);
        const LaunchModel model = random_launch_model(dice);
        const RunPtr run = run_of({build_trace(model)});
        for (int i = 0; i < 5; ++i) {
            const Chosen chosen = random_choice(model, dice);
            INFO("seed ", seed, " filter", chosen.text());
            const Rows expected = expected_launches(model, chosen);
            CHECK(sorted(row_texts(answer_of(*run, "launches", chosen.text()).main())) == sorted(expected));
            seen += expected.size();
        }
    }
    CHECK(seen > 1000);
}
