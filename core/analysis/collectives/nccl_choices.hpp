#pragma once
// Which algorithm and protocol NCCL says it used for a collective: from its logs and plugin traces that lie in the run,
// joined by the ranks of the communicator, the operation and the size. Never a guess: where two communicators can be
// the group's and chose differently, nothing is said.

#include "core/collectives/matched_run.hpp"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace core {

// One file's facts of one process. rank: its number in the job; absent: unknown.
struct NcclSource {
    const NcclFacts* facts = nullptr;
    std::optional<std::int32_t> rank;
};
// Those of companions, then those of ranks, in their order.
std::vector<NcclSource> collect_nccl_sources(const Run&);

struct NcclChoice {
    std::string algorithm, protocol;  // "RING", "LL128"
    std::int32_t first_channel = -1, last_channel = -1;  // -1: not said, or different ones
    std::string text() const;  // "RING LL128"
    std::string channels() const;  // "0-23"; may be empty
};

class NcclChoices {
public:
    explicit NcclChoices(const Run&);
    bool empty() const { return choices_.empty(); }
    // bytes: S as nccl-tests counts it. O(rows of that operation and size).
    std::optional<NcclChoice> find(const RunGroup& group, std::optional<std::int64_t> members, Operation operation,
                                   std::int64_t bytes) const;

private:
    struct Communicator {
        std::int32_t size = 0;
        std::map<std::int32_t, std::int32_t> ranks;  // of those whose number in the job is known, by rank in it
    };
    struct Row {
        NcclChoice choice;
        const Communicator* communicator = nullptr;  // null: not said; then its rank 0 is `rank`
        std::optional<std::int32_t> rank;
    };
    static bool can_be(const Row& row, const RunGroup& group, std::optional<std::int64_t> members);

    std::map<std::pair<std::uint64_t, std::size_t>, Communicator> communicators_;  // id, else the source's place
    std::map<std::pair<Operation, std::int64_t>, std::vector<Row>> choices_;
};

// Made once per run.
std::shared_ptr<const NcclChoices> nccl_choices_of(const Run&);
// The choice for the collective that an event is part of.
std::optional<NcclChoice> find_nccl_choice(const Run&, EventRef);

}  // namespace core
