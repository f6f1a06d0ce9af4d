#pragma once
// Progress of a load.

#include <atomic>
#include <cstdint>

namespace core {

struct LoadProgress {  // written by workers, read by anyone
    std::atomic<std::uint64_t> bytes_done{0};  // bytes on disk
    std::atomic<std::uint64_t> bytes_total{0};
    std::atomic<std::uint64_t> events{0};
    std::atomic<std::uint32_t> ranks_done{0};
    std::atomic<std::uint32_t> ranks_total{0};  // files that look like traces
    std::atomic<std::uint32_t> ranks_from_index{0};  // included in ranks_done
    std::atomic<bool> fetching{false};  // the summary of a run comes from another machine; bytes are of its file
    std::atomic<std::uint64_t> pulse{0};  // heartbeat: increases while work proceeds
    // True if every byte is read but some ranks are unfinished.
    bool is_arranging() const { return bytes_total > 0 && bytes_done >= bytes_total && ranks_done < ranks_total; }
};

}  // namespace core
