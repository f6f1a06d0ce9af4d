#pragma once
// Facts of an Nsight Systems export other than events: versions, clock, host, GPUs, names of processes and threads,
// ranks, and Nsight's own diagnostics. Reads small tables only.

#include "core/ingest/nsys/nsys_database.hpp"
#include "core/store/rank_trace.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace core {

// Global ids of Nsight Systems: 8 bits hardware, 8 bits virtual machine, 24 bits process, 24 bits thread.
constexpr std::int64_t process_of(std::int64_t global) { return (global >> 24) & 0xFFFFFF; }
constexpr std::int64_t thread_of(std::int64_t global) { return global & 0xFFFFFF; }

struct NsysGpu {
    std::string name;
    std::int64_t memory_bytes = 0;
    std::int64_t multiprocessors = 0;
    std::int64_t clock_hz = 0;
    std::int64_t memory_bytes_per_s = 0;
};

struct NsysFacts {
    std::string product_version, schema_version;
    std::int64_t base_time_ns = 0;  // added to every time: UTC
    bool has_utc = false;
    std::string host;
    std::map<std::int64_t, NsysGpu> gpus;                                        // by GPU id
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> gpu_of_device; // (process, CUDA device) → GPU id
    std::map<std::int64_t, std::string> process_names;                           // by process
    std::map<std::pair<std::int64_t, std::int64_t>, std::string> thread_names;   // by (process, thread)
    std::map<std::int64_t, int> mpi_ranks;                                       // by process
    std::map<std::int64_t, int> printed_ranks;                                   // from program output, by process
    std::optional<int> launched_rank, launched_world;  // environment of the launched process
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> device_of_context;  // (process, context) → device

    const NsysGpu* find_gpu(std::int64_t process, std::int64_t device) const;
};

NsysFacts read_nsys_facts(NsysDatabase& database);

// N of "MPI Rank N", or of "Rank N" at the begin of a line, if the text names one only.
std::optional<int> printed_rank(std::string_view text);

}  // namespace core
