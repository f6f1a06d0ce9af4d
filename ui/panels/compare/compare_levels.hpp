#pragma once
// Levels of the Compare panel.

#include <array>
#include <string_view>

namespace ui {

// A level of comparison: an analysis with one of its parameters, with ranks summed or not.
struct CompareLevel {
    const char* title;
    std::string_view id;
    std::string_view analysis = {};  // empty: has a view of its own
    std::string_view param = {};
    std::string_view value = {};
    bool per_rank = false;
    std::string_view what = {};
    std::string_view missing = {};  // why there may be no rows
    bool is_tested = false;  // its rows are sampled per step
};
inline constexpr std::array kCompareLevels{
    CompareLevel{"Waterfall", "waterfall", {}, {}, {}, false, "From the baseline's mean step to the candidate's", {}},
    CompareLevel{"Steps",
                 "steps",
                 "steps",
                 {},
                 {},
                 true,
                 "Every step of every rank next to its partner",
                 "No ProfilerStep ranges (the profiler's step() was not called), or none matches the filter."},
    CompareLevel{"Phases", "phases", "annotations", "source", "cpu", false,
                 "Ranges the program named on its threads: forward, backward, optimizer, step marks",
                 "No annotations on CPU threads; record_function names them."},
    CompareLevel{"GPU ranges", "gpu-ranges", "annotations", "source", "gpu", false,
                 "The same ranges by the GPU work launched inside them", "No annotations on GPU rows in either run."},
    CompareLevel{"Modules", "modules", "annotations", "source", "modules", false, "Calls of nn.Module on the CPU",
                 "No module calls in either run; profile with with_stack=True or with_modules=True."},
    CompareLevel{"Operators", "operators", "operators", "by", "name", false,
                 "CPU operators with the GPU work they launched",
                 "No CPU operators in either run, or none matches the filter.", true},
    CompareLevel{"By shape", "shapes", "operators", "by", "inputs", false,
                 "CPU operators apart by the shapes and types of their inputs; profile with record_shapes=True",
                 "No CPU operators in either run, or none matches the filter."},
    CompareLevel{"Kernels",
                 "kernels",
                 "kernels",
                 {},
                 {},
                 false,
                 "GPU kernels, copies and memsets by name",
                 "No GPU events in either run, or none matches the filter.",
                 true},
    CompareLevel{"Op by op",
                 "op-by-op",
                 {},
                 {},
                 {},
                 false,
                 "The operators of one step of both runs, aligned: inserted, removed, replaced and changed ones",
                 {}},
};

}  // namespace ui
