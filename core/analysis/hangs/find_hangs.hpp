#pragma once
// Finds who a hung job waits for, from what each rank's flight recorder still knows. A pure function of plain records:
// no trace, no run. The rules are in the definition of the analysis `hangs`; ranks are positions in `ranks` here.
// O(calls log calls + members of groups).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core::hangs {

enum class CallProgress : std::uint8_t { Scheduled, Started, Completed };

// One entry of a dump. Parts of a coalesced call share their number.
struct RecordedCall {
    std::uint32_t group = 0;  // into RecordedJob::groups
    std::int64_t number = 0;  // of collectives, or of sends and receives, in the group
    bool is_peer_to_peer = false;
    CallProgress progress = CallProgress::Scheduled;
    std::int64_t created_ns = 0;
    std::string_view operation, dtypes;  // without the backend: "all_reduce", "send 0->1"
    std::optional<std::int64_t> in_elements, out_elements;
    std::uint32_t event = 0;  // the caller's
};

struct RecordedGroup {
    std::string name, description;
    std::vector<std::int32_t> members;  // rank numbers in group order; empty: not written
};

struct RecordedRank {
    std::int32_t number = 0;
    std::vector<RecordedCall> calls = {};  // in the order of their records
    bool lost_calls = false;   // the ring overwrote some
    bool knows_starts = false; // its states tell started from scheduled
    // How many of the calls were recorded before the last entry that could not be read or has no number, and before the
    // last whose group the dump does not describe; absent if there is none.
    std::optional<std::size_t> before_unread = {}, before_unplaced = {};
};

struct RecordedJob {
    std::vector<RecordedGroup> groups;
    std::vector<RecordedRank> ranks;  // by number, each once
    std::vector<std::int32_t> left_out;  // numbers, rising, of ranks whose dump is there but not asked for
};

enum class Verdict : std::uint8_t {
    Missing,  // has not entered a collective that others wait in
    Behind,  // has not completed a collective that another rank completed
    Mismatch,  // calls another operation, size or type than the others
    NotStarted,  // has entered, but its GPU has not started what the others' have
    NoDump,  // a member whose dump is not there
    Incomplete,  // would be missing, but its dump has later entries that could be the call
    HeldUp,  // would be missing, but waits itself for a rank that is named
};
std::string_view name_of(Verdict);

// One rank in one group.
struct Suspect {
    std::uint32_t group = 0;
    std::int32_t rank = 0;  // number
    Verdict verdict = Verdict::Missing;
    bool named = false;  // false for HeldUp, NoDump and Incomplete
    std::int64_t number = 0;  // the collective in question
    std::string_view operation;  // of it
    std::int64_t since_ns = 0;  // when the first member that is known to have entered it did
    std::int64_t waiting = 0;  // members that wait in it
    std::optional<std::int64_t> last;  // the last collective of the group that the rank entered
    std::string mismatch;  // "size 4096, others 8192"
    std::optional<std::uint32_t>
        event;  // of the rank: its call of that number, else its last of the group, else of all
    auto operator<=>(const Suspect&) const = default;
};

// A group with a collective that somebody waits in.
struct GroupState {
    std::uint32_t group = 0;
    std::int64_t number = 0;  // the first collective not everyone entered, else the first pending
    bool all_entered = false;  // everyone with a dump did
    std::string_view operation;
    std::vector<std::int32_t> entered, missing, behind, no_dump;  // rank numbers, rising
    std::int64_t since_ns = 0;  // when the first rank entered it
};

struct Hangs {
    std::vector<Suspect> suspects;  // by group, then rank; each pair once: the verdict with the strongest evidence
    std::vector<GroupState> groups;  // by their first waiting
    bool only_pending = false;  // the dumps hold no completed call
};

Hangs find_hangs(const RecordedJob& job);

}  // namespace core::hangs
