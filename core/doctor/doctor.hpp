#pragma once
// The trace doctor: examines an opened run for anything that could mislead its reader. A finding has its count, its
// first example, what it means for the numbers, and a remedy. Losses and repairs of reading are findings too, each
// counted once. A healthy run has none (thresholds.hpp). Ids are stable; the table of rules.cpp lists all. A pure
// function of the run: O(events), a pass per rank on several threads; memory: 8 bytes per distinct name.

#include "core/base/jobs.hpp"
#include "core/query/number_ranges.hpp"

#include <map>
#include <mutex>
#include <optional>

namespace core {

// Error: numbers lack something or are wrong. Warning: numbers can be misread. Note: good to know.
enum class DoctorSeverity : std::uint8_t { Note, Warning, Error };
std::string_view name_of(DoctorSeverity);  // "note", "warning", "error"

struct DoctorRule {
    std::string_view id;
    DoctorSeverity severity;
    std::string_view means;  // for the numbers
    std::string_view remedy;  // what to do
};
std::span<const DoctorRule> all_doctor_rules();

// Data that was not recorded or not read: numbers that need it are absent, or too small.
bool is_loss(const DoctorRule&);

struct DoctorExample {
    std::string text;  // "rank 3: \"gemm\" at 1.23 s", or a place in a file; empty if there is none
    EventRef event;  // slot and event in the run that was examined; invalid where it is not an event
};

struct DoctorFinding {
    const DoctorRule* rule = nullptr;
    DoctorSeverity severity{};  // the rule's, or Note if the extent is small
    std::vector<RankKey> ranks;  // rising; empty: the run as a whole
    std::uint64_t count = 0;  // of events, ranks, steps or files, as the text says
    std::string text;
    DoctorExample example;
    std::string remedy{};  // what to do with this writer's traces; empty: the rule's

    std::string_view what_to_do() const { return remedy.empty() ? rule->remedy : std::string_view(remedy); }
};

// State of the ranks' clocks. Unknown: no collective could be compared, or those that could may be different ones.
enum class ClockState : std::uint8_t { Alone, Unknown, Agree, Apart, Aligned };

// Facts about the ranks, with or without findings. Second captures of a rank are left out of comparisons across ranks.
struct DoctorStats {
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
    DoctorStats rank_stats;
    std::vector<DoctorFinding> findings;  // errors first; within a severity as in the list of rules
};

struct RankStats;
using RankStatsPtr = std::shared_ptr<const RankStats>;

// Results of examined ranks, so that only new ranks are examined when more have arrived. Any thread. Keeps no rank
// alive.
class DoctorMemory {
public:
    RankStatsPtr find(const RankIndexPtr&) const;
    void keep(const RankIndexPtr&, RankStatsPtr);

private:
    mutable std::mutex mutex_;
    std::map<std::weak_ptr<const RankIndex>, RankStatsPtr, std::owner_less<>> known_;
};

std::string format_ranks(std::span<const RankKey>);  // "rank 3", "ranks 0-3,8", "ranks 0, 0\u00B7b"; empty of none

// Fails only when cancelled.
Result<DoctorReport> examine_run(const Run&, unsigned threads, const JobContext&, DoctorMemory* memory = nullptr);

}  // namespace core
