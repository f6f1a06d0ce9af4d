#pragma once
// Collectives of a run: member events of several ranks that belong together, how they were matched and how sure that
// is. Plain data, made by match_run.

#include "core/index/member_events.hpp"

#include <string>
#include <vector>

namespace core {

// How members were found, strongest first.
enum class MatchedBy : std::uint8_t { Number, CommsId, Pair, Replay, Order };
std::string_view name_of(MatchedBy);  // "number", "comms id", "pair", "replay", "order"

enum class Confidence : std::uint8_t { Certain, Probable, Doubtful, Alone };
std::string_view name_of(Confidence);  // "certain", …

// Reasons to doubt a match, as bits.
enum class Doubt : std::uint8_t {
    Operations = 1,
    Types = 2,
    Sizes = 4,
    Parts = 8,
    Steps = 16,
    Shifted = 32,
    Ids = 64,
};
constexpr std::uint8_t bit_of(Doubt doubt) { return static_cast<std::uint8_t>(doubt); }
std::string format_doubts(std::uint8_t doubts);  // "sizes differ, steps differ"; empty for none

// Parameters of matching by order and of the clocks (docs/definitions.md, matching and clock-alignment). None of it
// changes what is matched by number.
struct MatchParams {
    std::int64_t tolerance = 10'000'000;  // ns between the ends of members matched by order
    std::int64_t shifts = 256;            // of a rank's list of ends, to either side, that are tried
    std::int64_t least = 4;               // usable collectives on every rank, or its clock is refused
    std::int64_t drift_least = 12;        // of them on every rank, or no drift is looked for
    std::int64_t drift_saves = 30;        // percent of the noise that a drift has to save
    std::int64_t least_error = 2'000;     // ns
    bool operator==(const MatchParams&) const = default;
};

struct MemberRef {
    std::uint32_t slot = 0;
    std::uint32_t index = 0;  // into the slot's MemberTable
    auto operator<=>(const MemberRef&) const = default;
};

// Members and missing slots are ranges of MatchedRun::members and ::missing_slots.
struct Collective {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    std::uint32_t first_missing = 0;
    std::uint32_t missing = 0;  // members whose file is here but whose event is not
    std::uint32_t group = 0;    // into MatchedRun::groups
    std::uint32_t cohort = 0;
    std::uint32_t sequence = 0;  // from the start within (group, operation) of the cohort
    std::uint32_t absent = 0;    // members whose file is not here
    std::int64_t number = kNoNumber;
    Operation operation = Operation::Unknown;
    MatchedBy by = MatchedBy::Order;
    Confidence confidence = Confidence::Alone;
    std::uint8_t doubts = 0;
};

// The axis of a mesh of ranks that a group lies on, as its ranks and operations show (name_axes).
enum class GroupAxis : std::uint8_t { None, Tensor, Data, Pipeline, Expert, Context };
std::string_view name_of(GroupAxis);  // "", "TP", "DP", "PP", "EP", "CP"

// A process group as far as the traces tell. Group 0 is the unnamed one of events that say nothing.
struct RunGroup {
    std::string name;
    std::string description;
    std::vector<std::int32_t> members;  // ranks, rising; empty: unknown
    std::string cut_members;            // the list as written, where it is cut
    std::int64_t size = 0;              // 0: unknown
    GroupAxis axis = GroupAxis::None;             // told by its ranks; only where no description tells it
    std::string label;                  // name, description or axis and, where needed, members
    std::string familiar;               // description, else axis, else size and members: what people call it
};

// Whether a group's name and members are known, so that its numbers tell its collectives.
inline bool is_known(const RunGroup& group) {
    return !group.name.empty() && (!group.members.empty() || !group.cut_members.empty());
}

// Files of one world size that ran at one time, each rank number once; never matched with other cohorts.
struct Cohort {
    std::vector<std::uint32_t> slots;  // by rank
    std::int64_t world_size = 0;       // 0: unknown
};

}  // namespace core
