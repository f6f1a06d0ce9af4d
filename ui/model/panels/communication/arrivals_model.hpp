#pragma once
// One collective as its members saw it: who arrived when, who waited how long, how long each
// transferred, and how certain the match is. Shown for a row of collectives, in the timeline's
// tooltip and in the details. No ImGui.

#include "core/collectives/waits.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ui {

struct Arrival {
    core::EventRef event;
    core::RankKey rank;
    core::RunTime arrival{};
    core::Duration duration{0};
    std::optional<core::Duration> wait;      // absent for one-sided operations and doubtful matches
    std::optional<core::Duration> transfer;  // duration - wait
    std::size_t place = 0;                   // 1: arrived first
};

struct ArrivalsModel {
    std::string group;
    core::Operation operation = core::Operation::Unknown;
    std::int64_t sequence = 0;
    std::vector<Arrival> arrivals;  // in order of arrival
    core::RunTime first{}, last{}, end{};
    std::optional<std::size_t> culprit;  // index of the last arrival; absent if it is within the error
    bool close = false;                  // its delay is within the clock error
    bool counts = false;                 // contributes to sums of waiting
    std::string why_not;                 // why it doesn't contribute
    std::optional<std::int64_t> bytes;
    std::optional<double> bus_bandwidth;  // bytes per second
    std::optional<double> algorithm_bandwidth;
    std::string matched;  // "certain, by number"
    std::string doubts;   // "sizes differ"; empty: certain
    std::string missing;  // "2 members are missing"; empty: none
    core::Duration error{0};
    const Arrival* of(core::EventRef) const;
};

// Sentences about one member, for the tooltip and the details.
struct ArrivalLine {
    enum class Kind : std::uint8_t { Plain, Wait, Doubt };
    std::string label;
    std::string value;
    Kind kind = Kind::Plain;
};
std::vector<ArrivalLine> describe_member(const ArrivalsModel&, core::EventRef);

// Arrivals at the collective of an event; absent for other events. O(members), once waits are measured.
std::optional<ArrivalsModel> describe_arrivals(const core::Run&, const core::Waits&, core::EventRef);
// The collective that a row of the table collectives names: its group in that table. O(collectives).
std::optional<std::uint32_t> find_collective(const core::Run&, const core::WaitsPtr&, std::string_view group,
                                             std::string_view operation, std::int64_t sequence);
ArrivalsModel describe_arrivals(const core::Run&, const core::Waits&, std::uint32_t collective);

// The same member's event in the next or previous collective of its group; invalid if there is none.
core::EventRef find_neighbour_in_group(const core::Waits&, core::EventRef, bool forward);
// The event that a member waits for; invalid if no rank was last or the member itself was.
core::EventRef find_awaited(const core::Run&, const core::Waits&, core::EventRef);

}  // namespace ui
