#include "core/ingest/megatron/step_lines.hpp"

#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/ingest/load/ingest_fixture.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace core;
using namespace core::testing;

namespace {

constexpr std::string_view kTitan =
    "\x1b[32m[titan] 2026-03-01 10:00:0%,250 - root - INFO - \x1b[31mstep: %0  \x1b[32mloss:  8.1  \x1b[38;2;180;60;0m"
    "grad_norm:  1.2  \x1b[34mmemory: 40.12GiB(42.12%%)  tps: 7,101  \x1b[36mtflops: 400.1  mfu: 40.45%%\x1b[39m\n";

std::string titan_line(int step) {
    std::string line(kTitan);
    for (std::size_t at = line.find('%'); at != std::string::npos; at = line.find('%', at + 1)) {
        if (line[at + 1] == '%')
            line.erase(at, 1);
        else
            line[at] = static_cast<char>('0' + step);
    }
    return line;
}

std::int64_t duration_of(std::string_view line) {
    const std::optional<StepLine> read = read_step_line(line);
    return read && read->has_duration ? read->logged.duration_ns : -1;
}

RunPtr open(const std::filesystem::path& path) {
    LoadProgress progress;
    const Result<RunPtr> run = load_run(std::vector{path}, {}, progress, JobContext{});
    REQUIRE_MESSAGE(run.has_value(), (run ? "" : run.error().message));
    return *run;
}

}  // namespace

TEST_CASE("a time of one step is read by its key and its unit, whoever writes the line") {
    struct Row {
        std::string_view line;
        std::int64_t step;
        std::int64_t ns;
    };
    constexpr Row kRows[] = {
        {"Training epoch 0, iteration 3/39 | lr: 1.499e-07 | global_batch_size: 512 | global_step: 43 | "
         "reduced_train_loss: 11.03 | train_step_timing in s: 7.125 | consumed_samples: 512",
         43, 7'125'000'000},
        {"Epoch 0: : 1%| | 20/2000 [02:14<4:00, loss=2.1, global_step=19.0, train_step_timing in s=4.46]", 19,
         4'460'000'000},
        {"steps: 10 loss: 5.6000 iter time (s): 0.812 samples/sec: 39.4", 10, 812'000'000},
        {"completed step: 4, seconds: 7.123, TFLOP/s/device: 123.4, Tokens/s/device: 1150.4, loss: 10.2", 4,
         7'123'000'000},
        {"iter 100: loss 2.3012, time 812.34ms, mfu 40.10%", 100, 812'340'000},
        {"step   10 | loss: 6.105 | lr 1.0e-4 | norm: 1.2 | dt: 338.79ms | tok/sec: 154000", 10, 338'790'000},
        {"step    7/19560 | loss 10.982 (+nanz)| norm 15.2 | lr 8.57e-07 | 3402.45 ms | 55.1% bf16 MFU | 154085 tok/s",
         7, 3'402'450'000},
        {"INFO step=12 step_time_s=0.5 data_time_s=0.1", 12, 500'000'000},
    };
    for (const Row& row : kRows) {
        CAPTURE(row.line);
        const std::optional<StepLine> read = read_step_line(row.line);
        REQUIRE(read.has_value());
        CHECK(read->logged.last == row.step);
        CHECK(duration_of(row.line) == row.ns);
    }
    CHECK(read_step_line(kRows[0].line)->logged.batch == 512);
    CHECK(read_step_line(kRows[3].line)->logged.flops_per_s == 123'400'000'000'000);
}

TEST_CASE("times of parts, of many steps and without a unit aren't a step's, and other numbers are no step") {
    for (const std::string_view line :
         {"step 3 | forward time: 12 ms", "step 3 time: 12", "step 3 data_time: 5 ms", "step: 3 total time: 50 s",
          "step: 3 epoch time: 50 s", "step: 3 step_time: nan s", "step: 3 step_time: 1e300 s"})
        CHECK_MESSAGE(duration_of(line) == -1, line);
    for (const std::string_view line : {"fwd: 120.50 | bwd: 250.10 | step: 30.20", "steps_per_print", "next step", "",
                                        "stepping 3", "a step: x", "iteration -3"})
        CHECK_MESSAGE(!read_step_line(line).has_value(), line);
}

TEST_CASE("without a stated time the time of day tells, between lines of one attempt") {
    StepLines lines;
    CHECK_FALSE(lines.add(titan_line(1)).has_value());
    const std::optional<LoggedIterations> row = lines.add(titan_line(3));
    REQUIRE(row.has_value());
    CHECK(*row == LoggedIterations{.last = 30, .duration_ns = 100'000'000, .flops_per_s = 400'100'000'000'000});
    CHECK_FALSE(lines.add(titan_line(3)).has_value());  // another rank's
    CHECK_FALSE(lines.add(titan_line(2)).has_value());  // after a restart
    CHECK(lines.add(titan_line(4)).has_value());
    CHECK_FALSE(lines.add("[2026-13-01 10:00:00,000] step=50, lr=1").has_value());
}

TEST_CASE("a log is told by two lines that give a time, and its series is in training-log") {
    const ScratchFolder folder;
    std::string text = "building the model\n";
    for (int step = 1; step < 6; ++step) text += titan_line(step);
    const RunPtr run = open(folder.write("train.log", text));
    CHECK(run->event_count() == 0);
    const Answer answer = answer_of(*run, "training-log");
    REQUIRE(answer.main().rows() == 4);
    CHECK(answer.main().integer(0, answer.main().find_column("iteration")) == 20);
    CHECK(answer.main().integer(0, answer.main().find_column("duration")) == 100'000'000);
    CHECK_FALSE(begins_step_log(titan_line(1) + titan_line(2)));
    CHECK_FALSE(begins_step_log("step 1 loss 2\nstep 2 loss 1\n"));
    CHECK_FALSE(begins_step_log("iter 1: time 5ms"));
}

TEST_CASE("no line of bytes is read beyond its end") {
    std::string line = titan_line(1) + "iter 1: time 5ms, 2026-03-01 10:00:01,2";
    for (std::size_t size = 0; size < line.size(); ++size)
        CHECK_NOTHROW(static_cast<void>(read_step_line(std::string_view(line).substr(0, size))));
    for (std::size_t from = 0; from < line.size(); ++from)
        CHECK_NOTHROW(static_cast<void>(read_step_line(std::string_view(line).substr(from))));
}
