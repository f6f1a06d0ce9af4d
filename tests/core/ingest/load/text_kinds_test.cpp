// Text that isn't a trace is refused with its kind and the next step.

#include "core/ingest/load/text_kinds.hpp"

#include "tests/core/ingest/load/ingest_fixture.hpp"

#include <doctest/doctest.h>

using namespace core;
using namespace core::testing;

namespace {

std::string refusal_of(std::string_view text, std::string_view name = "train.log") {
    const ScratchFolder folder;
    LoadProgress progress;
    const Result<RunPtr> run = load_run(std::vector{folder.write(name, text)}, {}, progress, JobContext{});
    REQUIRE_FALSE(run.has_value());
    return run.error().message;
}

}  // namespace

TEST_CASE("messages of a hung job are refused with how to get a flight-recorder dump") {
    for (const std::string_view text :
         {"[rank5]:[E603 17:48:01.005 ProcessGroupNCCL.cpp:632] [Rank 5] Watchdog caught collective operation timeout: "
          "WorkNCCL(SeqNum=2398459, OpType=ALLREDUCE, Timeout(ms)=1800000) ran for 1800068 milliseconds before timing "
          "out.\n",
          "[rank0]:[W ProcessGroupNCCL.cpp:1] [PG ID 0 Rank 0] ProcessGroupNCCL's watchdog got stuck for 480 seconds\n",
          "terminate called: Some XCCL watchdog: ProcessGroupXCCL collective timed out\n"}) {
        const std::string message = refusal_of(text);
        CHECK_MESSAGE(message.find("this is a log of a hung job") != std::string::npos, message);
        CHECK(message.find("TORCH_FR_BUFFER_SIZE=20000") != std::string::npos);
        CHECK(message.find("TORCH_FR_DUMP_TEMP_FILE (") != std::string::npos);
        CHECK(message.find("lockstep analyze hangs") != std::string::npos);
    }
}

TEST_CASE("reports of RAS, logs of DeepSpeed, tables and out-of-memory errors are refused by what they are") {
    struct Row {
        std::string_view text, what, next;
    };
    constexpr Row kRows[] = {
        {"NCCL version 2.28.3\nJob summary\n===========\n\n  Nodes  Processes         GPUs\n(total)   per node\n\n"
         "Communicators... (0.00s)\n=============\n",
         "a report of NCCL's RAS", "lockstep analyze hangs"},
        {"[2026-03-01 10:00:00,000] [INFO] [logging.py:96:log_dist] [Rank 0] step=10, skipped=0, lr=[1e-05]\n"
         "all_reduce\n  4.0 GB  54  4100.0  900.0  75.9  16.7\n",
         "a text log of DeepSpeed", "torch.profiler"},
        {"-------  ------------  ------------\n Name    Self CPU %   # of Calls\n-------  ------------\n",
         "a table of torch.profiler", "export_chrome_trace"},
        {"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 5.00 GiB.\n", "ran out of GPU memory",
         "_record_memory_history"},
        {"#  size  count  type  redop  time  algbw  busbw\n", "nccl-tests", ""},
        {"hello\n", "text, not JSON", ""}};
    for (const Row& row : kRows) {
        const std::string message = refusal_of(row.text);
        CHECK_MESSAGE(message.find(row.what) != std::string::npos, message);
        CHECK_MESSAGE(message.find(row.next) != std::string::npos, message);
        CHECK(message.find("JSON without") == std::string::npos);
    }
}

TEST_CASE("a pickle of protocol 0 is opened if it is a dump, else refused as a pickle") {
    CHECK(refusal_of("(dp0\nS'weights'\np1\nI1\ns.", "x.pickle").find("a Python pickle of an unknown kind") !=
          std::string::npos);
    CHECK(refusal_of("(dp0\nS'pg_config'\np1\nI1\nsS'entries'\np2\nI7\ns.", "x.pickle").find("flight-recorder dump") !=
          std::string::npos);
}

TEST_CASE("JSON of RAS and of Neuron is refused by what it is, however long") {
    const std::string much(std::size_t{128} << 10, ' ');
    for (const std::string& rest : {std::string(), much}) {
        const std::string ras = refusal_of(
            R"({"nccl_version": "2.28.3", "timestamp": "2026-03-01 10:00:00", "communicators": [{"hash": "0x1",)" +
                rest + R"("size": 8, "missing_ranks": [3]}]})",
            "ras.json");
        CHECK_MESSAGE(ras.find("a report of NCCL's RAS (ncclras) in JSON") != std::string::npos, ras);
        CHECK(ras.find("lockstep analyze hangs") != std::string::npos);
        const std::string neuron = refusal_of(
            R"({"metadata": [{"neuron_version": "2.29"}], "instruction": [{"opcode": "MATMUL", "timestamp": 5,)" +
                rest + R"("duration": 7}], "dma": []})",
            "profile.json");
        CHECK_MESSAGE(neuron.find("a profile of AWS Neuron in its own JSON") != std::string::npos, neuron);
        CHECK(neuron.find("--output-format perfetto") != std::string::npos);
    }
    CHECK(refusal_of("x", "a.ntff").find("--output-format perfetto") != std::string::npos);
    CHECK(refusal_of("x", "a.hltv").find("ProfilerActivity.HPU") != std::string::npos);
    // Files of others.
    CHECK_FALSE(is_ras_json(R"({"traceEvents": [], "nccl_version": "2.28", "communicators": 1})"));
    CHECK_FALSE(is_neuron_json(R"({"traceEvents": [{"ph": "X", "name": "neuron"}], "dma": 1})"));
    CHECK_FALSE(is_ras_json(R"({"nccl_version": "2.28"})"));
}
