#pragma once
// The clocks that a run is shown on: recorded, or aligned by its collectives (clocks.hpp measures them). Thread-safe.

#include "core/index/run.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace core {

// Auto: aligned where the evidence was accepted and aligning matters, else recorded. Aligned: wherever the evidence was
// accepted. Recorded: never.
enum class ClockChoice : std::uint8_t { Auto, Aligned, Recorded };
inline constexpr std::string_view kClockChoices[] = {"auto", "aligned", "recorded"};
std::optional<ClockChoice> find_clock_choice(std::string_view name);
constexpr std::string_view name_of(ClockChoice choice) { return kClockChoices[static_cast<std::size_t>(choice)]; }
// A new run with new clocks, or the same run if they are equal.
RunPtr with_clocks(const RunPtr&, ClockChoice);
bool has_same_clocks(const Run&, const Run&);  // of the same ranks; O(ranks)
bool is_aligned(const Run&);  // on any rank
// Facts about the clocks of a run's worst cohort.
struct ClockFacts {
    bool aligned = false;
    bool measured = false;  // there was evidence
    bool comparable = false;  // the evidence was accepted
    bool matters = false;  // aligning moves more than it leaves
    Duration residual{0};
    Duration error{0};
    std::string refused = {};  // why the clocks cannot be compared; empty where they can
};
// Never matches anything: absent until matched() was asked, so that a frame may ask. O(cohorts + ranks).
std::optional<ClockFacts> find_clock_facts(const Run&);
// One line for answers: "clocks aligned, residual 1.1 µs, error 4.9 µs".
std::string describe_clocks(const ClockFacts&);
std::string describe_clocks(const Run&);

}  // namespace core
