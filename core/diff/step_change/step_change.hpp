#pragma once
// The change from the baseline's mean step to the candidate's, in parts that add up exactly to both
// and to the change. Built from two answers of `step-parts`.

#include "core/diff/join/compare_runs.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace core {

enum class StepPart : std::uint8_t { Kernel, OtherKernels, ExposedCommunication, ExposedMemory, Idle, NotRecorded };
inline constexpr std::size_t kStepParts = 6;
std::string_view name_of(StepPart);  // "kernel", "other_kernels", "exposed_communication", …
std::string_view meaning_of(StepPart);  // defines its time in a sentence

// Exposed communication as waiting for a later rank, transfer and the rest: mean per step, adding up to the part's.
struct CommunicationSplit {
    std::int64_t wait = 0;
    std::int64_t transfer = 0;
    std::int64_t other = 0;
    bool operator==(const CommunicationSplit&) const = default;
};

struct PartChange {
    StepPart part = StepPart::Kernel;
    std::string name;                           // kernels: the row's name; else empty
    BySide<std::vector<std::string>> kernels;   // Kernel and OtherKernels: full names, most time first
    BySide<bool> present;                       // true if the side has the part
    BySide<std::int64_t> ns;                    // mean per step; 0 if not present
    BySide<std::optional<CommunicationSplit>> split = {};  // of ExposedCommunication, where every rank's is known
    std::int64_t change() const { return ns.candidate - ns.baseline; }
};

// The mean is over the steps of the answers (with windows: over the ranks), rounded half up to nanoseconds.
// Each part's mean is truncated to whole nanoseconds; the missing nanoseconds go, one each, to the parts with the
// largest remainders (ties: the first). So every part is within a nanosecond of its own mean, and candidate - baseline
// adds up without a remainder. A NamePairing pairs kernels; those with the largest change are separate parts, the rest
// is one part.
struct StepChange {
    bool of_steps = true;  // false: windows
    bool of_sample = false;  // of steps on their slowest rank, without warm-up: those of the verdict
    BySide<std::int64_t> windows;  // number of windows averaged
    BySide<std::int64_t> mean;
    std::vector<PartChange> parts;  // kernels by size of change, then the others in the order of StepPart
    std::vector<std::string> notes;
    std::int64_t change() const { return mean.candidate - mean.baseline; }
};

struct StepChangeOptions {
    NameMatching names = NameMatching::Exact;
    std::vector<NamePair> pairs{};
    std::size_t kernels = 10;  // maximum number of separate kernel parts
    bool of_sample = false;  // the answers are those of the steps of the sample
};

// True if both runs have steps on a rank in the filters; else use windows (the parameter of
// `step-parts`).
bool both_have_steps(const BySide<const Run*>&, const BySide<Filter>& filters);
Params step_parts_params(bool of_steps);

// Answers of `step-parts` that a comparison is made of. Of the steps of the sample (collect_step_sample), each on its
// slowest rank, so that verdict, waterfall and report speak of the same steps; of all chosen ranks if a side has none.
struct StepPartAnswers {
    BySide<Answer> answers;
    bool of_steps = false;
    bool of_sample = false;
};
Result<StepPartAnswers> ask_step_parts(const BySide<const Run*>&, const BySide<Filter>& filters, std::int64_t warmup,
                                       unsigned threads, const JobContext&);

// NotFound if a side has no step (or window) under its filter.
Result<StepChange> build_step_change(const StepChangeOptions&, const BySide<const Answer*>&, bool of_steps,
                                     const BySide<const Run*>&, const BySide<Filter>& filters, const RunAlignment&);

// Describes the table of a StepChange like an analysis; not in the registry, as it needs both runs.
const Analysis& waterfall();
// The table: the whole step, then its parts.
Comparison to_comparison(const StepChange&);

// Does everything at once, for the CLI; query.analysis is the waterfall().
Result<RunComparison> compare_steps(const DiffQuery& query, std::size_t most_kernels, const BySide<const Run*>&,
                                    const RunAlignment&, std::int64_t warmup, unsigned threads, const JobContext&);

}  // namespace core
