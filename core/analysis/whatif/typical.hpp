#pragma once
// Weights of a run's graph if some ranks were like their peers. Peers are ranks with the same
// sequence of collectives in a step; partners are the same event on peers: same name and ordinal, counted in launch
// order, in the same stretch between two collectives. Definitions: docs/definitions.md, what-if.

#include "core/analysis/whatif/run_graph.hpp"

namespace core {

enum class TypicalOver : std::uint8_t { Ranks, Steps };  // peers of the same step only, or of all steps alike

struct Typical {
    EdgeWeights weights;                 // by edge; as recorded where it has no partner
    std::vector<bool> known;             // by edge: it has partners, or is removed
    std::uint64_t kept = 0;              // edges longer than nothing without partners
    std::int64_t kept_time = 0;          // ns, their sum
};

// Which edges are partners. Found once per graph; what ranks would weigh follows in O(edges).
struct Partners {
    std::vector<std::uint32_t> edges;    // one group of partners after the other
    std::vector<std::uint32_t> first;    // by group, one longer: into edges
    std::vector<std::uint32_t> sequence; // by group: whose peers they are of
    std::vector<std::uint32_t> part;     // by place in edges
    std::vector<std::vector<std::uint32_t>> parts_of;  // by sequence: a part once for each of its steps with it
    std::vector<std::uint32_t> alone;    // edges outside of all groups
    std::size_t groups() const { return sequence.size(); }
};

Result<Partners> find_partners(const Run&, const Waits&, const RunGraph&, TypicalOver, const JobContext&);

// Every rank like all: the median over an event's partners and itself; as recorded where less than half of the peers
// have it.
Typical make_all_typical(const RunGraph&, const Partners&);
// The parts named like their peers that are not: the median over these; nothing where less than half of them have the
// event, as only the named do it. Where all peers are named, the median over all. Edges of other parts aren't known,
// nor those in stretches without peers.
Typical make_typical(const RunGraph&, const Partners&, const std::vector<bool>& named);

// The step of each edge, as an index into `numbers`; 0xFFFFFFFF outside of steps.
inline constexpr std::uint32_t kNoStepIndex = 0xFFFFFFFFu;
struct EdgeSteps {
    std::vector<std::int64_t> numbers;  // rising
    std::vector<std::uint32_t> of_edge;
};
EdgeSteps find_edge_steps(const Run&, const RunGraph&);

}  // namespace core
