#pragma once
// A change of a run and what its graph's edges weigh under it. Links and order stay as recorded, so every answer is a
// ceiling. Definitions: docs/definitions.md, what-if.

#include "core/analysis/whatif/typical.hpp"

#include <array>
#include <memory>

namespace core {

inline constexpr std::int64_t kAsItIs = 100;  // percent

// Times in percent of what was recorded.
struct Scales {
    std::int64_t chosen = kAsItIs;
    std::int64_t cpu = kAsItIs;
    std::int64_t compute = kAsItIs;
    std::int64_t communication = kAsItIs;
    std::int64_t memory = kAsItIs;
    std::int64_t launch_delay = kAsItIs;
    std::int64_t host_callback = kAsItIs;
    bool placement = true;  // false: nodes of graphs wait for no node that only shares their lane
    bool operator==(const Scales&) const = default;
};

struct Change {
    Scales scales{};
    std::int64_t link = kAsItIs;      // percent of the links' bandwidth
    bool launch_gaps = true;          // false: GPU work waits for no launch, the end for no thread
    bool syncs = true;                // false: no call waits for GPU work
    std::vector<float> factor{};      // by edge, besides the scales; empty: all as they are
    std::vector<bool> typical{};      // by edge: weighs what it does on the peers; empty: none
    std::shared_ptr<const Typical> peers{};  // the weights there; null: those of the ChangeFacts
};

// Facts of the graph, besides its edges, that a change needs.
struct ChangeFacts {
    const Typical* typical = nullptr;             // needed where Change::typical is set without peers
    std::vector<double> bandwidth_share{};  // by join: of the transfer that goes with the bandwidth; empty: all
};

// All edges that `typical` knows weigh what it says.
Change change_to(Typical typical);

EdgeWeights weights_under(const RunGraph&, const Change&, const ChangeFacts&);

// By join: (S/B) / (alpha + S/B) of the line of its group and operation; 1 where there is none.
std::vector<double> find_bandwidth_shares(const Run&, const Waits&, const RunGraph&);

}  // namespace core
