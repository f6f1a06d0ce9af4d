#pragma once
// What the edges of a run's graph would weigh if a rank were like its peers: the median over the peers of the same
// event. Peers are ranks with the same sequence of collectives in a step; the same event is one of the same name and
// ordinal in the same stretch between two collectives. Definitions: docs/definitions.md, what-if.

#include "core/analysis/whatif/run_graph.hpp"

namespace core {

enum class TypicalOver : std::uint8_t { Ranks, Steps };  // peers of the same step only, or of all steps alike

struct Typical {
    EdgeWeights weights;                 // by edge; as recorded where it has no partner
    std::vector<bool> known;             // by edge: it has partners
    std::uint64_t kept = 0;              // edges longer than nothing without partners
    std::int64_t kept_time = 0;          // ns, their sum
};

Result<Typical> find_typical(const Run&, const Waits&, const RunGraph&, TypicalOver, const JobContext&);

// The step of each edge, as an index into `numbers`; 0xFFFFFFFF outside of steps.
inline constexpr std::uint32_t kNoStepIndex = 0xFFFFFFFFu;
struct EdgeSteps {
    std::vector<std::int64_t> numbers;  // rising
    std::vector<std::uint32_t> of_edge;
};
EdgeSteps find_edge_steps(const Run&, const RunGraph&);

}  // namespace core
