// Any bytes as PyTorch's raw memory timeline: no more records than bytes, and counters as they add up.

#include "core/ingest/kineto/memory_timeline_file.hpp"
#include "tests/fuzz/trace_files.hpp"

std::vector<std::string> fuzz::make_seeds() {
    return {"[[-1, 2, 100, 0], [2000, 2, 50, 4], [2500, 3, -50, 4], [2500, 3, 50, 5], [3000, 4, -50, 5]]",
            "[[5, 2, 1, 8], [5, 9, 1, 0], [5, 2, 9223372036854775807, 0], [-9223372036854775808, 1, 1, 7]]",
            "\xEF\xBB\xBF [ [1,2,-3,4] , [9223372036854775807,4,3,4] ", "[[1, 2, 3, 4], [1, 2, \"x\", 0]]"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = fuzz::as_text(data, size);
    static_cast<void>(core::begins_memory_timeline(text));
    core::LoadProgress progress;
    for (const core::RankTracePtr& rank :
         fuzz::read_ranks(core::open_memory_timeline(fuzz::write_trace("memory.raw.json", text), progress)))
        if (rank->info.records.total > size) fuzz::fail("more records than bytes");
    return 0;
}
