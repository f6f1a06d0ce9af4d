#pragma once
// The change that the parameters of the analysis what-if describe, for its row `given` and for the window: one
// function, so that both say the same.

#include "core/analysis/engine/analysis.hpp"
#include "core/analysis/whatif/change.hpp"

#include <string>

namespace core::what_if {

// Parameters of the row, in its order.
enum Given : std::size_t {
    kChosen,
    kCpu,
    kCompute,
    kCommunication,
    kMemory,
    kLaunchDelay,
    kLink,
    kLaunches,
    kTypical,
    kStragglers,
    kOver,
    kBuckets,
    kGathers,
    kExperts,
    kStages,
    kHostCallback,
    kGraphLanes
};
inline constexpr std::int64_t kNobody = -1;  // of kTypical

// Factors of transfers, by edge; empty where they are 1 for all.
class ParallelFactors {
public:
    ParallelFactors(const Waits& waits, const RunGraph& graph) : waits_(waits), graph_(graph) {}
    std::vector<float> of_gathers() const;
    std::vector<float> of_experts() const;
    // Compute of every stage as long as that of the stages on average; empty where the ranks are not pipelines of one
    // length.
    std::vector<float> of_stages(const Run&) const;
    // shares: of find_bandwidth_shares; size: percent of the buckets' size.
    std::vector<float> of_buckets(std::span<const double> shares, std::int64_t size) const;

private:
    template <class Factor>
    std::vector<float> collect(const Factor&) const;
    double imbalance_factor(const Collective&) const;
    const Waits& waits_;
    const RunGraph& graph_;
};

struct GivenChange {
    Change change;
    std::string text;  // "compute at 50 %, rank 3 typical"; empty: nothing is changed
};
// Fails where a parameter names what the graph doesn't have.
Result<GivenChange> make_given_change(const Run&, const Waits&, const RunGraph&, const Partners&, const Params&);

}  // namespace core::what_if
