#pragma once
// How to record what a trace lacks, in terms of the program that wrote it. One table for the doctor, empty answers and
// panels, so that all name the same step.

#include "core/index/run.hpp"
#include "core/store/trace_writer.hpp"

#include <string>
#include <string_view>

namespace core {

// Sentences, each with a full stop.
struct WriterAdvice {
    TraceWriter writer;
    std::string_view name;
    std::string_view gpu_work;  // how to have kernels and copies in the trace
    std::string_view calls;     // … calls of the host, with their launches
    std::string_view steps;     // … marks of steps
    std::string_view stacks;    // … Python stacks
};

const WriterAdvice& advice_for(TraceWriter writer);
// For the writer that the first ranks with events share; else what holds for any.
const WriterAdvice& advice_for(const Run& run);

// For a run without any: "The traces have no GPU events." and the advice, unless it is of dumps and logs alone.
std::string explain_no_gpu_events(const Run& run);

}  // namespace core
