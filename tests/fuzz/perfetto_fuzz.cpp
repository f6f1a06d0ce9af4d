// Any bytes as a Perfetto trace.

#include "core/ingest/perfetto/perfetto_file.hpp"
#include "tests/core/ingest/perfetto/perfetto_writer.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/text_bytes.hpp"

using namespace core;

std::vector<std::string> fuzz::make_seeds() {
    using namespace core::testing;
    const std::string names =
        packet(number(10, 1) + number(13, 1) +
               bytes(12, bytes(2, number(1, 4) + bytes(2, "op")) + bytes(24, number(1, 5) + bytes(2, "Stream 7")) +
                             bytes(1000, number(1, 3) + bytes(2, "gemm"))));
    const std::string argued =
        argument("Seq", number(4, 9)) + argument("d", real(5, 0.5)) + argument("l", bytes(12, number(4, 1)));
    return {names + process_track(10, 100, "python") + thread_track(11, 100, 101, "main") +
                begin(1000, 11, "aten::mm", "cpu_op", argued) + end(2000, 11) +
                packet_at(1500, bytes(53, number(1, 77) + number(2, 400) + number(13, 5) + number(19, 3))),
            packet(number(10, 1) + bytes(6, bytes(1, number(1, 64) + number(2, 5) + number(3, 1) + number(4, 1000)))) +
                packet(number(10, 1) + bytes(59, number(58, 64) + bytes(11, number(11, 11)))) +
                packet_at(3, bytes(11, number(9, 3) + number(10, 4) + bytes(22, "x"))),
            packet(bytes(60, number(1, 20) + bytes(2, "memory") + number(5, 20) + bytes(8, ""))) +
                packet_at(5, bytes(11, number(9, 4) + number(11, 20) + number(30, 42))),
            process_track(10, 71, "a") + packet(bytes(60, number(1, 12) + bytes(2, "GPU 0 Queue 1") + number(5, 10))) +
                begin(1, 12, "k", "rocm_kernel_dispatch", argument("corr_id", number(3, 1))) + end(2, 12) +
                process_track(20, 72, "b") +
                packet(bytes(60, number(1, 22) + bytes(2, "GPU 1 Queue 1") + number(5, 20))) +
                begin(1, 22, "k", "rocm_kernel_dispatch", argument("device", number(3, 1))) + end(2, 22),
            packet(bytes(133, std::string("\x28\xB5\x2F\xFD\x20\x04\x21\0\0\x0A\x02\x50\x01", 13)))};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = fuzz::as_text(data, size);
    static_cast<void>(begins_perfetto(text));
    LoadProgress progress;
    const std::unique_ptr<TraceReader> reader =
        read_perfetto("rank0.pftrace", std::make_unique<fuzz::TextBytes>(text, 61), progress);
    reader->work({});
    const Result<std::vector<RankTracePtr>> ranks = reader->finish_ranks({});
    if (!ranks) {
        if (ranks.error().message.empty()) fuzz::fail("refused without a word");
        return 0;
    }
    const RankTracePtr* const trace = ranks->data();
    const bool may_be_packed =
        text.find("\x28\xB5\x2F\xFD") != std::string_view::npos || text.find('\x78') != std::string_view::npos;
    if (!may_be_packed && (*trace)->size() > size) fuzz::fail("more events than bytes");
    for (std::size_t i = 0; i < (*trace)->size(); ++i)
        if ((*trace)->duration[i].count() < 0) fuzz::fail("a negative duration");
    return 0;
}
