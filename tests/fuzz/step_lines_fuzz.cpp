// Any bytes as a training log, line by line. Numbers are never negative, and a log that its head announces gives
// rows.

#include "core/ingest/megatron/step_lines.hpp"
#include "tests/fuzz/fuzz.hpp"

std::vector<std::string> fuzz::make_seeds() {
    return {
        "Training epoch 0, iteration 3/39 | global_batch_size: 512 | global_step: 43 | train_step_timing in s: 7.125\n",
        "[titan] 2026-03-01 10:00:01,250 - root - INFO - \x1b[31mstep:  1  loss:  8.1  tps: 7,101  tflops: 400.1\n"
        "[titan] 2026-03-01 10:00:02,250 - root - INFO - step:  2  loss:  8.1  tps: 7,101  tflops: 400.1\n",
        "completed step: 4, seconds: 7.123, TFLOP/s/device: 123.4\niter 100: loss 2.3, time 812.34ms\r\n",
        "step 7/19560 | loss 10.9 (+nanz)| lr 8.57e-07 | 3402.45 ms | 55.1% bf16 MFU\n",
        "Epoch 0: 1%| | 20/2000 [02:14<4:00, global_step=19.0, train_step_timing in s=4.46]\r next"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view text = fuzz::as_text(data, size);
    const bool begins = core::begins_step_log(text);
    core::StepLines lines;
    std::size_t rows = 0;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        if (const auto row = lines.add(text.substr(0, end))) {
            ++rows;
            if (row->last < 0 || row->duration_ns <= 0) fuzz::fail("a step without a number or a time");
        }
        if (end == std::string_view::npos) break;
        text.remove_prefix(end + 1);
    }
    if (begins && rows < 2) fuzz::fail("a log without rows");
    return 0;
}
