#pragma once
// The operators of one step of one rank in order, each with the module around it, its inputs and what it launched.
// Texts point into the trace, which must outlive the sequence.

#include "core/base/jobs.hpp"
#include "core/index/run.hpp"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace core {

struct SequencedOperator {
    EventId event;
    std::string_view name;
    std::string_view module;  // "Linear_0": the innermost nn.Module around it; empty: none was recorded
    std::uint32_t depth = 0;  // number of operators around it
    std::string_view inputs;  // shapes as in the file; empty if not recorded
    std::string_view types;
    std::int64_t ns = 0;      // its duration on the CPU
    std::uint32_t first_kernel = 0, last_kernel = 0;  // half-open, in kernels
    std::int64_t kernel_ns = 0;                       // sum of their durations
    std::size_t count() const { return last_kernel - first_kernel; }
};

struct OperatorSequence {
    std::size_t slot = 0;
    std::optional<std::int64_t> step;  // nothing: the whole trace
    // By thread, the one that began first first; within a thread by start, outer operators before inner ones.
    std::vector<SequencedOperator> operators;
    // Kernels, copies and memsets that an operator launched and no operator inside it did: by operator, in the order of
    // their launches.
    std::vector<EventId> kernels;
    bool has_modules = false;
    bool has_inputs = false;
    std::span<const EventId> kernels_of(const SequencedOperator& one) const {
        return std::span(kernels).subspan(one.first_kernel, one.count());
    }
};

// Operators that begin in the step of this number, or in the whole trace. O(events). Fails only if cancelled.
Result<OperatorSequence> collect_operator_sequence(const Run&, std::size_t slot, std::optional<std::int64_t> step,
                                                   const JobContext&);

// "Linear_0" -> "Linear": the class without the number of the instance.
std::string_view module_class(std::string_view module);

}  // namespace core
