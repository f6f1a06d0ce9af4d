#pragma once
// Input of the checks of `health`, per rank and of the run. Internal to this folder.

#include "core/analysis/collectives/chosen_members.hpp"
#include "core/analysis/engine/record_table.hpp"
#include "core/analysis/findings/diagnosis.hpp"
#include "core/analysis/verdict/time_facts.hpp"

#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace core {

// Facts of one rank besides its times.
struct RankHealth {
    std::uint32_t slot = 0;
    std::int64_t rank = 0;  // RankKey::packed
    bool trains = false;  // the backward pass launches GPU work
    bool has_tensor_cores = false;  // the device has a peak in tf32 or bf16
    bool has_half = false;  // the device has a peak in 16 bits
    std::int64_t flop = 0, flop_fp32 = 0, flop_half = 0;  // of matrix operators; half: 16 bits or less
    bool has_calls = false;  // runtime calls are in the trace
    std::int64_t steps = 0;  // chosen
    std::int64_t allocations = 0;  // calls that allocate or free device memory after the first step
    std::int64_t allocation_time = 0;
    std::int64_t later_steps = 0;  // ns of the steps after the first
    std::optional<std::int64_t> allocated{}, reserved_at_peak{}, peak_reserved{},
        device_memory{};  // of its fullest GPU
    EventId allocation_event = kNoEvent, memory_event = kNoEvent;
};

template <>
inline constexpr auto kFields<RankHealth> = std::tuple{field("slot", &RankHealth::slot),
                                                       field("rank", &RankHealth::rank),
                                                       field("trains", &RankHealth::trains),
                                                       field("has_tensor_cores", &RankHealth::has_tensor_cores),
                                                       field("has_half", &RankHealth::has_half),
                                                       field("flop", &RankHealth::flop),
                                                       field("flop_fp32", &RankHealth::flop_fp32),
                                                       field("flop_half", &RankHealth::flop_half),
                                                       field("has_calls", &RankHealth::has_calls),
                                                       field("steps", &RankHealth::steps),
                                                       field("allocations", &RankHealth::allocations),
                                                       field("allocation_time", &RankHealth::allocation_time),
                                                       field("later_steps", &RankHealth::later_steps),
                                                       field("allocated", &RankHealth::allocated),
                                                       field("reserved_at_peak", &RankHealth::reserved_at_peak),
                                                       field("peak_reserved", &RankHealth::peak_reserved),
                                                       field("device_memory", &RankHealth::device_memory),
                                                       field("allocation_event", &RankHealth::allocation_event),
                                                       field("memory_event", &RankHealth::memory_event)};

inline constexpr std::string_view kRankHealthTable = "rank health";
Result<Table> collect_rank_health(const RankView& of_all_work, const JobContext&);

struct HealthFacts {
    const Run* run = nullptr;
    std::vector<TimeFacts> windows;  // of each rank
    std::vector<TimeFacts> steps;    // of each rank and step
    std::vector<RankHealth> ranks;
    ChosenMembers members;
    Answer mfu;
};

// A value of a check before it is judged.
struct Reading {
    std::optional<double> value = {};
    bool is_lower_bound = false;  // the true value is at least this
    bool is_fine = false;  // ok without a value
    std::string evidence = {};  // why it is unknown, if it is
    std::optional<std::uint32_t> slot = {};
    EventId event = kNoEvent;
};
// Reads the check at a place in health_checks().
Reading read_check(std::size_t check, const HealthFacts&);
// Reading of kStragglersCheck once a replay has told who holds the run up: nobody is slow who does not.
inline constexpr std::string_view kStragglersCheck = "stragglers";
Reading read_confirmed(const HealthFacts&, const ConfirmedRanks&, Reading of_check);

}  // namespace core
