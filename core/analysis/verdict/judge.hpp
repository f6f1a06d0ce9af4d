#pragma once
// The rules of `verdict`: what bounds a step or a run, by medians over its ranks. Pure functions. Internal to this
// folder.

#include "core/analysis/findings/limits.hpp"
#include "core/analysis/verdict/time_facts.hpp"

#include <string>

namespace core {

// Medians over ranks, each by itself; shares of the duration unless said otherwise. Absent: no rank knows.
struct Situation {
    std::size_t ranks = 0;
    double compute = 0, exposed = 0, copies = 0, idle = 0;
    double communication = 0;  // beside compute or not
    std::optional<double> waiting;  // of exposed communication
    std::optional<double> host_wait;  // of idle
    std::optional<double> loading;
    std::optional<double> loading_idle;  // of loading
    std::optional<double> math;  // FLOP at peak, of the time of matrix operators
    std::optional<double> memory_bound, launch_bound;  // of the summed time of compute kernels
    std::optional<double> counted;  // of the time of matrix kernels
    bool is_replayed = false;  // most kernels are in replays of graphs
    bool has_straggler = false;
    std::string straggler;  // "rank 3"
    double straggler_saves = 0;  // share of the run that a replay saves with it like its peers; 0 for a step
    double pipeline_saves = 0;  // share of the run that even stages, or more microbatches, save; 0 for a step
    std::string pipeline;  // what the pipeline loses that by
};
// Situation in one window, from each rank's facts; has_straggler is the caller's.
Situation summarise_ranks(std::span<const TimeFacts>);

enum class Bound : std::uint8_t {
    Data,
    Host,
    Straggler,
    Pipeline,
    Imbalance,
    Communication,
    Copy,
    Compute,
    Idle,
    Balanced
};

struct Judgement {
    Bound bound = Bound::Balanced;
    std::string name;  // "host-bound", "compute-bound: memory"
    double share = 0;  // the rule's quantity
    std::string evidence;
    std::string_view advice;
    std::string_view certainty;  // measured, likely or possible
    std::string second;  // the next rule that fits; empty: none
};
Judgement judge(const Situation&, const Limits&);
// The verdict of the chapter: communication, compute or balanced, by the larger of the two unions.
std::string_view judge_classic(const Situation&, const Limits&);

}  // namespace core
