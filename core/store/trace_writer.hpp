#pragma once
// The program that wrote a trace, as far as the trace shows it: by what its reader states, else by the categories and
// the names of processes that the program gives. Advice on how to record more depends on it.

#include "core/store/rank_trace.hpp"

#include <cstdint>

namespace core {

enum class TraceWriter : std::uint8_t {
    Unknown,
    PyTorch,
    PyTorchAscend,  // torch_npu
    PyTorchGaudi,   // the PyTorch bridge of Gaudi, or Synapse's own profiler
    Xla,            // JAX and TensorFlow, in any of their forms
    NsightSystems,
    Rocprofv3,
    RocprofSystems,  // ROCm Systems Profiler, Omnitrace before
    RpdTracer,
    Unitrace,
    Neuron,
    Perfetto,  // of a program that is not known
};
inline constexpr std::size_t kTraceWriterCount = static_cast<std::size_t>(TraceWriter::Perfetto) + 1;

// O(processes + categories).
TraceWriter find_trace_writer(const RankTrace& trace);

}  // namespace core
