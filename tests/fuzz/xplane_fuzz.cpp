// Any bytes as an XPlane.

#include "core/ingest/xplane/xplane_facts.hpp"
#include "core/ingest/xplane/xplane_file.hpp"
#include "tests/core/ingest/xplane/xplane_writer.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/text_bytes.hpp"

using namespace core;

std::vector<std::string> fuzz::make_seeds() {
    using namespace core::testing;
    const std::string stats = x_number(kCorrelationStat, 1) + x_text(kKernelStat, "regs:3 grid:1,2,3 block:4,5,6") +
                              x_reference(kOperationStat, 100) + x_text(kCopyStat, "size:9");
    const std::string gpu =
        x_plane("/device:GPU:0", x_line(1, "Stream #1", 5, x_event(1, 1000, 2000, stats)), {"ncclDevKernel"});
    const std::string host =
        x_plane("/host:CPU",
                x_line(7, "python", 1,
                       x_event(1, 0, 9000, x_number(kStepStat, 3)) + x_event(2, 10, 20, x_number(kCorrelationStat, 1))),
                {"train", "cuLaunchKernel"});
    const std::string tpu = x_plane(
        "/device:TPU:1", x_line(1, "XLA Ops", 5, x_event(1, 1, 2)) + x_line(2, "Async XLA Ops", 5, x_event(2, 1, 2)),
        {"%fusion = f32[] x", "all-gather-start"});
    return {gpu + host, host + tpu + gpu,
            x_plane("Task Environment", "", {}, bytes(6, number(1, kStartStat) + number(4, 9))) + host};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = fuzz::as_text(data, size);
    static_cast<void>(begins_xplane(text));
    LoadProgress progress;
    const auto open = [&]() -> Result<std::unique_ptr<ByteSource>> {
        return std::unique_ptr<ByteSource>(std::make_unique<fuzz::TextBytes>(text, 61));
    };
    const std::unique_ptr<TraceReader> reader = read_xplane("host.xplane.pb", open, progress);
    reader->work({});
    const Result<std::vector<RankTracePtr>> ranks = reader->finish_ranks({});
    if (!ranks) {
        if (ranks.error().message.empty()) fuzz::fail("refused without a word");
        return 0;
    }
    std::size_t events = 0;
    for (const RankTracePtr& rank : *ranks) {
        events += rank->size();
        for (std::size_t i = 0; i < rank->size(); ++i)
            if (rank->duration[i].count() < 0) fuzz::fail("a negative duration");
    }
    if (events > size * std::max<std::size_t>(ranks->size(), 1)) fuzz::fail("more events than bytes");
    return 0;
}
