#pragma once
// The sink that the parts of an examination write on. Each looks at one matter of all ranks.

#include "core/doctor/rank_stats.hpp"
#include "core/doctor/rules.hpp"
#include "core/index/rank_count.hpp"

#include <map>

namespace core::doctor {

// "1 event", "1,234 events"
std::string count_of(std::uint64_t count, std::string_view one, std::string_view many = {});

class FindingSink {
public:
    FindingSink(const Run& of_run, std::span<const RankStatsPtr> of_ranks)
        : run(of_run), ranks(of_ranks), first_captures_(find_first_captures(of_run)) {}

    DoctorFinding& add(std::string_view id, std::uint64_t count, std::string text);  // valid until the next
    DoctorExample example_of(EventRef) const;
    // Separate captures of a rank are not compared with other ranks: the first one is.
    bool compares(std::size_t slot) const { return is_first_capture(key(slot)); }
    bool is_first_capture(RankKey key) const { return first_captures_.at(key.number) == key.capture; }
    // The same for times: captures that are windows of one job count, too, unless they are records beside the traces.
    bool compares_windows(std::size_t slot) const {
        return compares(slot) || (are_windows(run) && !is_beside(trace(slot).info));
    }
    const RankTrace& trace(std::size_t slot) const { return run.rank(slot).trace(); }
    RankKey key(std::size_t slot) const { return run.rank(slot).key; }
    std::vector<DoctorFinding> release() &&;  // in the order they were added

    const Run& run;
    std::span<const RankStatsPtr> ranks;  // of each slot
    DoctorStats rank_stats;

private:
    std::map<std::int32_t, std::int32_t> first_captures_;  // by number
    std::vector<DoctorFinding> findings_;
};

std::string describe_clocks(const DoctorStats&);  // "; clocks agree within 30 µs (residual …)"; empty for one rank

void check_ranks(FindingSink&);  // present, missing, empty, without a GPU
void check_steps(FindingSink&);  // common steps
void check_windows(FindingSink&);  // common time; events far from it
void check_clocks(FindingSink&);  // between ranks
void check_collectives(FindingSink&);  // that differ between ranks
void check_events(FindingSink&);  // counts of each rank
void check_telemetry(FindingSink&);  // logs of GPUs that are of no use
void check_reading(FindingSink&);  // dropped, repaired and guessed

}  // namespace core::doctor
