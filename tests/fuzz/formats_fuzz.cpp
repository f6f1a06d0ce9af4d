// Any bytes under the names that files of profilers have: whatever they are, they open as one format or are refused in
// words, and a folder's list of kinds names them.

#include "core/ingest/load/formats.hpp"
#include "tests/core/ingest/load/small_trace.hpp"
#include "tests/fuzz/trace_files.hpp"

#include <array>

std::vector<std::string> fuzz::make_seeds() {
    using namespace std::string_literals;
    const std::string magics[] = {
        core::testing::small_kineto_trace(),
        "SQLite format 3\0"s,
        "\x0A\x04\x40\x05\x58\x01"s,
        "[[1, 2, 3, 4]]",
        R"({"nccl_version": "2.28.3", "communicators": [{"ranks": 8}]})",
        R"({"summary": [{"neuron_core": 0}], "instruction": []})",
        R"({"pg_config": {}, "pg_status": {}, "entries": []})",
        "\x80\x02}q\0."s,
        "PK\x03\x04\x14"s,
        "host:1:2 [0] NCCL INFO comm 0x1 rank 0 nranks 2 cudaDev 0 busId 17000 commId 0x9 - Init COMPLETE\n",
        "[2026-08-17 10:00:00] iteration 1/ 2 | elapsed time per iteration (ms): 8.0 |\n",
        "timestamp, index, clocks.current.sm [MHz]\n2026/09/02 21:14:03.117, 2, 1410 MHz\n",
        "NVIDIA Tr",
        "PAR1",
        "\x28\xB5\x2F\xFD"s,
        "PERFILE2",
        "",
        "\0\0\0\0"s};
    return {std::begin(magics), std::end(magics)};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::array<std::string_view, 8> kNames = {"trace.json", "trace.sqlite", "trace.db", "host.xplane.pb",
                                                        "a.pftrace",  "dump_3",       "nccl.log", "x.nsys-rep"};
    const std::string_view text = fuzz::as_text(data, size);
    for (const std::string_view name : kNames) {
        const std::filesystem::path path = fuzz::write_trace(name, text);
        static_cast<void>(core::is_recognised_trace(path));
        static_cast<void>(core::is_recognised_dump(path));
        const std::array<std::filesystem::path, 1> files = {path};
        if (core::describe_kinds(files).empty()) fuzz::fail("a file of no kind");
        if (const std::optional<core::UnreadKind> kind = core::find_unread_kind(path); kind && kind->one.empty())
            fuzz::fail("a kind without a noun");
        core::LoadProgress progress;
        static_cast<void>(fuzz::read_ranks(core::open_trace(path, progress)));
    }
    return 0;
}
