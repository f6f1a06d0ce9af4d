#pragma once
// From the baseline's mean step to the candidate's, in parts that add up to both, and to the change, exactly.
//
// Made of two answers of `step-parts`. The mean is over the chosen steps of all chosen ranks (with windows: over
// the ranks), rounded half up to nanoseconds. Each part's mean is first cut to whole nanoseconds; what is
// then missing to the mean is given, one nanosecond each, to the parts that lost most (of equal ones to the first):
// so every part is within a nanosecond of its own mean, and candidate - baseline adds up without a remainder.
// Kernels are paired by a NamePairing; those that changed most are parts of their own, the rest are one.

#include "core/diff/compare_runs.hpp"

#include <array>
#include <string>
#include <vector>

namespace core {

enum class StepPart : std::uint8_t { Kernel, OtherKernels, ExposedCommunication, ExposedMemory, Idle, NotRecorded };
inline constexpr std::size_t kStepParts = 6;
std::string_view name_of(StepPart);  // "kernel", "other_kernels", "exposed_communication", …
std::string_view meaning_of(StepPart);  // what its time is, in a sentence

struct PartChange {
    StepPart part = StepPart::Kernel;
    std::string name;                           // of a kernel: as the row is called; else empty
    BySide<std::vector<std::string>> kernels;   // full names behind it, most time first; of Kernel and OtherKernels
    BySide<bool> present;                       // whether the side has it at all
    BySide<std::int64_t> ns;                    // mean per step; 0 where it is not present
    std::int64_t change() const { return ns.candidate - ns.baseline; }
};

struct StepChange {
    bool of_steps = true;                       // else of windows
    BySide<std::int64_t> windows;               // how many the means are of
    BySide<std::int64_t> mean;
    std::vector<PartChange> parts;  // kernels by the size of their change, then the others as in StepPart
    std::vector<std::string> notes;
    std::int64_t change() const { return mean.candidate - mean.baseline; }
};

struct StepChangeOptions {
    NameMatching names = NameMatching::Exact;
    std::vector<NamePair> pairs{};
    std::size_t kernels = 10;  // most that are parts of their own
};

// Steps, if both runs have any on a rank that the filters take; else windows: for the parameter of `step-parts`.
bool both_have_steps(const BySide<const Run*>&, const BySide<Filter>& filters);
Params step_parts_params(bool of_steps);

// NotFound, in words, when a side has no step (or window) under its filter.
Result<StepChange> build_step_change(const StepChangeOptions&, const BySide<const Answer*>&, bool of_steps,
                                     const BySide<const Run*>&, const BySide<Filter>& filters, const RunAlignment&);

// What a StepChange is as a table, described as analyses are; it is not in their registry, for it needs both runs.
const Analysis& waterfall();
// Its table: the whole step, then the parts.
Comparison to_comparison(const StepChange&);

// All at once, for the CLI; query.analysis is the waterfall().
Result<RunComparison> compare_steps(const DiffQuery& query, std::size_t most_kernels, const BySide<const Run*>&,
                                    const RunAlignment&, unsigned threads, const JobContext&);

}  // namespace core
