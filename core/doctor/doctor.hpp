#pragma once
// The trace doctor: what of a run as it was opened could mislead its reader. A finding says what was found, in numbers,
// with its first example, what it means for the numbers, and what to do. What was dropped, repaired or guessed while
// reading is part of it and counted once. Nothing is found where all is well: what every profiler does at the edges
// of its window is no finding (core/doctor/thresholds.hpp says from where on it is one).
//
// A pure function of the run. O(events), one pass over the events of each rank, ranks on several threads; memory of a
// few hundred bytes a rank and 8 bytes a distinct name. Ids are stable:
//
//   of the ranks      ranks-missing rank-duplicate ranks-in-one-file rank-guessed world-size-differs rank-empty
//                     rank-cpu-only
//   of steps, windows steps-not-common steps-absent windows-differ windows-apart duplicate-step times-far-off
//   of clocks         clock-guessed clocks-apart clocks-unknown kernels-before-launch
//   of launches       kernels-without-launch launches-without-kernel launches-not-recorded correlation-reused flow-unmatched
//   of durations      negative-duration duration-missing absurd-duration implausible-duration gpu-duration-zero
//                     begin-without-end end-name-differs child-cut kernels-overlap
//   of communication  unknown-communication group-ranks-cut collectives-differ collectives-unjoined
//   of texts          shapes-cut argument-unreadable text-repaired metadata-truncated
//   of files          event-dropped event-malformed events-left-out end-without-begin object-event json-repaired file-truncated
//                     file-unreadable file-gone folder-unreadable folder-too-deep simulation-left-out not-a-trace

#include "core/base/jobs.hpp"
#include "core/query/number_ranges.hpp"

#include <map>
#include <mutex>
#include <optional>

namespace core {

// Error: numbers lack something or are wrong. Warning: numbers are right in one reading only. Note: good to know.
enum class DoctorSeverity : std::uint8_t { Note, Warning, Error };
std::string_view name_of(DoctorSeverity);  // "note", "warning", "error"

struct DoctorRule {
    std::string_view id;
    DoctorSeverity severity;
    std::string_view means;  // for the numbers
    std::string_view remedy;  // what to do
};
std::span<const DoctorRule> all_doctor_rules();

struct DoctorExample {
    std::string text;  // "rank 3: \"gemm\" at 1.23 s", or a place in a file; empty if there is none
    EventRef event;  // slot and event in the run that was examined; invalid where it is no event
};

struct DoctorFinding {
    const DoctorRule* rule = nullptr;
    DoctorSeverity severity{};  // the rule's; or a note where what was found is small
    std::vector<RankKey> ranks;  // rising; empty: the run as a whole
    std::uint64_t count = 0;  // of what the text speaks of: events, ranks, steps, files
    std::string text;
    DoctorExample example;
};

// Of the ranks, whether or not there is a finding. Second captures of a rank count for no comparison across ranks.
// What is known of the ranks' clocks. Unknown: nothing could be compared, or what could may be different collectives.
enum class ClockState : std::uint8_t { Alone, Unknown, Agree, Apart, Aligned };

struct DoctorVitals {
    std::size_t files = 0;
    std::vector<NumberRange> present;
    std::vector<NumberRange> missing;  // of the world the files state
    std::optional<std::int64_t> world_size;
    std::vector<NumberRange> common_steps;  // on every rank
    std::optional<double>
        overlap;  // what the windows of all ranks have in common ÷ the longest of them; of two ranks or more
    ClockState clocks = ClockState::Alone;
    std::optional<Duration> clock_spread;  // ends of the same collectives: between the earliest and the latest rank
    Duration clock_residual{};  // of single collectives from their rank's clock: the median
    std::size_t collectives = 0;  // both were measured on
    std::string text() const;  // "8 of 8 ranks; steps 3-5 on each; …"
};

struct DoctorReport {
    DoctorVitals vitals;
    std::vector<DoctorFinding> findings;  // errors first; within a severity as in the list of rules
};

struct RankVitals;
using RankVitalsPtr = std::shared_ptr<const RankVitals>;

// What has been examined of ranks: who examines a run again when more ranks have arrived examines those alone. Threads:
// any. Holds no rank alive.
class DoctorMemory {
public:
    RankVitalsPtr find(const RankIndexPtr&) const;
    void keep(const RankIndexPtr&, RankVitalsPtr);

private:
    mutable std::mutex mutex_;
    std::map<std::weak_ptr<const RankIndex>, RankVitalsPtr, std::owner_less<>> known_;
};

std::string format_ranks(std::span<const RankKey>);  // "rank 3", "ranks 0-3,8", "ranks 0, 0\u00B7b"; empty of none

// Fails only when cancelled.
Result<DoctorReport> examine_run(const Run&, unsigned threads, const JobContext&, DoctorMemory* memory = nullptr);

}  // namespace core
