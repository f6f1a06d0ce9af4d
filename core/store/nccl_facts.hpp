#pragma once
// Communicators of one process according to NCCL's logs and plugins: their members, which algorithm and
// protocol their collectives use, how fast they are. Texts are valid UTF-8. Nothing here has a time; what NCCL did not
// say is absent.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

// RankInfo::trace_name of each source.
inline constexpr std::string_view kNcclLog = "NCCL log";
inline constexpr std::string_view kNcclInspector = "NCCL inspector";
inline constexpr std::string_view kNcclProfiler = "NCCL profiler plugin";

struct NcclCommunicator {
    std::uint64_t id = 0;        // commId or communicator hash, equal on all its ranks; 0: not said
    std::string name;            // as the program named it
    std::int32_t rank = -1;      // of this process in it
    std::int32_t size = 0;       // ranks; 0: not said
    std::int32_t device = -1;    // CUDA device; -1: not said
    std::string bus;             // PCI bus id, as written
    std::int32_t channels = -1;  // for collectives; -1: not said
    std::uint8_t is_complete = 0;  // 1: its start-up finished
    bool operator==(const NcclCommunicator&) const = default;
};

// The calls of one operation and size.
struct NcclCalls {
    std::uint64_t communicator = 0;  // 0: not said
    std::string operation;           // "AllReduce", as written
    std::int64_t bytes = -1;         // as nccl-tests counts them; -1: not said
    std::string algorithm, protocol; // "RING", "LL128"; empty: not said
    std::int32_t first_channel = -1, last_channel = -1;
    std::uint64_t count = 0;
    // Number of those that were timed.
    std::uint64_t timed = 0;
    std::int64_t total_ns = 0, shortest_ns = 0, longest_ns = 0;
    std::uint64_t with_bandwidth = 0;
    std::int64_t bus_bytes_per_s = 0;  // sum over them, as NCCL states it
    std::string timing;                // "kernel_gpu": what measured the times
    bool operator==(const NcclCalls&) const = default;
};

struct NcclWarning {
    std::string time;  // as written, local time of an unknown zone; empty: none
    std::string place; // "file:line (function)"; may be empty
    std::string text;
    std::uint64_t count = 0;
    bool operator==(const NcclWarning&) const = default;
};

struct NcclFacts {
    std::string version;
    std::int64_t process = -1;   // pid; -1: not said
    std::vector<NcclCommunicator> communicators;  // in order of start-up
    std::vector<NcclCalls> calls;
    std::vector<NcclWarning> warnings;
    bool operator==(const NcclFacts&) const = default;
};

// The largest communicator, which is that of the whole job in most programs: the first of those of its size; null:
// none.
inline const NcclCommunicator* largest_communicator(const NcclFacts& facts) {
    const NcclCommunicator* largest = nullptr;
    for (const NcclCommunicator& one : facts.communicators)
        if (one.rank >= 0 && one.size > 0 && (largest == nullptr || one.size > largest->size)) largest = &one;
    return largest;
}

inline bool is_nccl_source(std::string_view trace_name) {
    return trace_name == kNcclLog || trace_name == kNcclInspector || trace_name == kNcclProfiler;
}

}  // namespace core
