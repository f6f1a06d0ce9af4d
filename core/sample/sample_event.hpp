#pragma once
// One event of the simulated run before it becomes text. Times are true nanoseconds since
// kBaseTimeNs; writers of text and truth add the rank's clock offset. Name and constant arguments
// are an index into the Catalog.

#include <cstdint>

namespace core::sample {

inline constexpr std::int64_t kBaseTimeNs = 1759276836000000000;

enum class EventKind : std::uint8_t {
    CpuOp,
    EvaluateFunction,  // a cpu_op of the autograd engine, named after the operator it runs
    Annotation,
    Python,
    Memory,
    Runtime,
    Kernel,
    Memcpy,
    Memset,
    Sync,
    GpuAnnotation,
    Counter,
};

// Rows of a rank: two host threads, six streams, and the row of calls that wait for an event.
enum class Lane : std::uint8_t { Main, Backward, Compute, Tensor, Data, World, Context, Pipeline, Expert };
inline constexpr int kLaneCount = 9;

inline constexpr std::int64_t kNone = -1;

struct Event {
    std::int64_t start_ns = 0;
    std::int64_t duration_ns = 0;
    std::int64_t external_id = kNone;
    std::int64_t correlation = kNone;
    std::int64_t id = kNone;        // record function, Python call or CUDA event
    std::int64_t parent = kNone;    // Python caller, or correlation of the record a wait refers to
    std::int64_t sequence = kNone;  // autograd
    std::int64_t flow = kNone;      // forward to backward
    std::int64_t module = kNone;    // python module
    std::int64_t bytes = 0;
    std::int64_t address = 0;
    std::int64_t allocated = 0;
    std::int32_t collective = -1;  // index into the step's collectives
    std::uint32_t number = 0;      // suffix of a numbered name; shapes of an operator
    std::uint16_t spec = 0;        // index into the catalog's table of this kind
    EventKind kind = EventKind::CpuOp;
    Lane lane = Lane::Main;
    Lane other_lane = Lane::Main;  // awaited stream
    bool ends_flow = false;        // of forward to backward

    std::int64_t end_ns() const { return start_ns + duration_ns; }
};

}  // namespace core::sample
