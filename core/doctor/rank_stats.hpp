#pragma once
// Counts from the examination of one rank: one pass over its GPU events and one over all.

#include "core/analysis/engine/rounding.hpp"
#include "core/doctor/doctor.hpp"
#include "core/store/launch_losses.hpp"

namespace core {

namespace doctor {

// How often, and where: the first, or the worst where a size is given.
struct Tally {
    std::uint64_t count = 0;
    EventId example = kNoEvent;
    Duration size{};  // of the example
    void add(EventId e) {
        if (count++ == 0) example = e;
    }
    void add(EventId e, Duration how_much) {
        if (count++ == 0 || how_much > size) {
            example = e;
            size = how_much;
        }
    }
};

}  // namespace doctor

struct RankStats {
    std::size_t cpu_events = 0;
    std::size_t linked = 0;             // GPU events with their launch
    bool has_launch_calls = false;      // runtime or driver calls of any kind
    std::size_t copy_events = 0;  // on the GPU
    std::size_t compute_events = 0;  // on the GPU, apart from copies and communication
    std::size_t communication_events = 0;
    doctor::Tally before_window;  // GPU events without a launch at the head of their stream
    doctor::Tally launch_lost;  // and behind others that have one
    LaunchLosses launches;  // calls that launch kernels, without any
    doctor::Tally unrecorded_collectives;  // calls of the CPU, without any GPU event that could be theirs
    doctor::Tally before_launch;  // GPU events; size: how long before the call
    doctor::Tally overlapping;  // GPU events; size: with what came before on their stream
    doctor::Tally no_length;  // GPU events that take no time
    doctor::Tally too_long;  // size: their duration
    doctor::Tally unknown_communication;
    Duration unknown_time{};  // their sum
    doctor::Tally group_cut;
    doctor::Tally shapes_cut;
};

namespace doctor {

// From a to b; times may be as far apart as there are numbers.
template <class Point>
Duration between(Point a, Point b) {
    return Duration{clamped(Wide{ns_of(b)} - ns_of(a))};
}

// Fails only when cancelled.
Result<RankStats> examine_rank(const RankIndex&, const JobContext&);

struct ClockSpread {
    std::vector<std::size_t> slots;  // of the ranks it is known of
    std::vector<Duration> offsets;  // of each: later than the middle of all
    Duration spread{};  // largest − smallest
    Duration noise{};  // how far single collectives lie from their rank's offset: the median
    std::size_t collectives = 0;  // of the rank that has most
};
// From the collectives that were matched across the run. Absent where fewer than two ranks have enough of them, and on
// aligned clocks.
std::optional<ClockSpread> measure_clocks(const Run&);

}  // namespace doctor
}  // namespace core
