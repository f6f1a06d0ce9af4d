#include "core/analysis/whatif/given_change.hpp"

#include "core/analysis/whatif/pipeline_stages.hpp"

#include <algorithm>
#include <array>

namespace core::what_if {
namespace {

// Adds b's factors to a's.
void multiply_factors(std::vector<float>& a, std::vector<float> b) {
    if (a.empty()) {
        a = std::move(b);
        return;
    }
    for (std::size_t e = 0; e < b.size(); ++e) a[e] *= b[e];
}

class GivenReader {
public:
    GivenReader(const Run& run, const Waits& waits, const RunGraph& graph, const Partners& partners,
                const Params& params)
        : run_(run), waits_(waits), graph_(graph), partners_(partners), params_(params) {}

    Result<GivenChange> read() {
        read_scales();
        if (Result<bool> done = read_peers(); !done) return std::move(done).error();
        read_parallel();
        if (Result<bool> done = read_stages(); !done) return std::move(done).error();
        return std::move(given_);
    }

private:
    void tell(const std::string& text) { given_.text += (given_.text.empty() ? "" : ", ") + text; }

    void read_scales() {
        given_.change.scales = {.chosen = params_[kChosen],
                                .cpu = params_[kCpu],
                                .compute = params_[kCompute],
                                .communication = params_[kCommunication],
                                .memory = params_[kMemory],
                                .launch_delay = params_[kLaunchDelay],
                                .host_callback = params_[kHostCallback],
                                .placement = params_[kGraphLanes] == 0};
        constexpr std::array<std::string_view, 6> kNames = {"chosen",        "cpu",    "compute",
                                                            "communication", "memory", "launch_delay"};
        for (std::size_t i = 0; i < kNames.size(); ++i)
            if (params_[i] != kAsItIs) tell(std::string(kNames[i]) + " at " + std::to_string(params_[i]) + " %");
        if (params_[kHostCallback] != kAsItIs)
            tell("host callbacks at " + std::to_string(params_[kHostCallback]) + " %");
        if (params_[kGraphLanes] == 1) tell("lanes of graphs free");
        given_.change.link = params_[kLink];
        if (params_[kLink] != kAsItIs) tell("links at " + std::to_string(params_[kLink]) + " %");
        given_.change.launch_gaps = params_[kLaunches] == 0;
        if (!given_.change.launch_gaps) tell("no launch gaps");
    }

    Result<bool> read_peers() {
        if (params_[kStragglers] == 1) {
            tell("no stragglers");
            like(make_all_typical(graph_, partners_));
        } else if (params_[kTypical] != kNobody) {
            const auto is_it = [&](const GraphPart& part) {
                return run_.rank(part.slot).key.number == params_[kTypical];
            };
            const auto it = std::ranges::find_if(graph_.parts, is_it);
            if (it == graph_.parts.end())
                return Error{ErrorCode::BadInput, "typical: rank " + std::to_string(params_[kTypical]) +
                                                      " is not among the ranks of this answer"};
            tell("rank " + std::to_string(params_[kTypical]) + " typical");
            const auto part = static_cast<std::size_t>(it - graph_.parts.begin());
            std::vector<bool> named(graph_.parts.size(), false);
            named[part] = true;
            like(make_typical(graph_, partners_, named));
        }
        return true;
    }

    void like(Typical typical) {
        Change change = change_to(std::move(typical));
        given_.change.typical = std::move(change.typical);
        given_.change.peers = std::move(change.peers);
    }

    void read_parallel() {
        const ParallelFactors factors(waits_, graph_);
        std::vector<float>& all = given_.change.factor;
        if (params_[kBuckets] != kAsItIs) {
            tell("buckets at " + std::to_string(params_[kBuckets]) + " %");
            multiply_factors(all, factors.of_buckets(find_bandwidth_shares(run_, waits_, graph_), params_[kBuckets]));
        }
        if (params_[kGathers] == 1) {
            tell("gathers prefetched");
            multiply_factors(all, factors.of_gathers());
        }
        if (params_[kExperts] == 1) {
            tell("experts balanced");
            multiply_factors(all, factors.of_experts());
        }
    }

    Result<bool> read_stages() {
        if (params_[kStages] == 0) return true;
        std::vector<float> factors = ParallelFactors(waits_, graph_).of_stages(run_);
        if (factors.empty())
            return Error{ErrorCode::BadInput,
                         "stages: only of ranks that are pipelines of one length and send to one another"};
        tell("stages balanced");
        multiply_factors(given_.change.factor, std::move(factors));
        return true;
    }

    const Run& run_;
    const Waits& waits_;
    const RunGraph& graph_;
    const Partners& partners_;
    const Params& params_;
    GivenChange given_;
};

}  // namespace

template <class Factor>
std::vector<float> ParallelFactors::collect(const Factor& factor_of) const {
    std::vector<float> factors(graph_.graph.edges.size(), 1);
    bool any = false;
    for (std::uint32_t e = 0; e < factors.size(); ++e) {
        const GraphEdge& edge = graph_.graph.edges[e];
        if (edge.kind != EdgeKind::Transfer) continue;
        factors[e] = static_cast<float>(factor_of(edge, waits_.matched->collectives[graph_.collective_of(edge.from)]));
        any = any || factors[e] != 1;
    }
    if (!any) factors.clear();
    return factors;
}

std::vector<float> ParallelFactors::of_gathers() const {
    return collect(
        [](const GraphEdge&, const Collective& c) { return c.operation == Operation::AllGather ? 0.0 : 1.0; });
}

std::vector<float> ParallelFactors::of_experts() const {
    return collect([&](const GraphEdge&, const Collective& c) {
        return c.operation == Operation::AllToAll ? imbalance_factor(c) : 1.0;
    });
}

std::vector<float> ParallelFactors::of_buckets(std::span<const double> shares, std::int64_t size) const {
    return collect([&](const GraphEdge& edge, const Collective& c) {
        const bool bucket = c.operation == Operation::AllReduce || c.operation == Operation::ReduceScatter;
        const double share = shares[edge.from - graph_.first_join];
        return bucket ? share + (1 - share) * static_cast<double>(kAsItIs) / static_cast<double>(size) : 1.0;
    });
}

std::vector<float> ParallelFactors::of_stages(const Run& run) const {
    const StageWork work = measure_stages(run, waits_, graph_, std::vector<bool>(graph_.parts.size(), false), 1);
    return work.stages == 0 ? std::vector<float>{} : balance_stages(graph_, work);
}

// Bytes of the largest member against the mean: what a balanced exchange would save of its size.
double ParallelFactors::imbalance_factor(const Collective& c) const {
    double sum = 0, most = 0;
    for (const MemberRef ref : waits_.matched->members_of(c)) {
        const MemberEvent& member = waits_.matched->member(ref);
        const std::int64_t bytes = std::max(member.in_bytes, member.out_bytes);
        if (bytes <= 0) return 1;
        sum += static_cast<double>(bytes);
        most = std::max(most, static_cast<double>(bytes));
    }
    return sum / (most * static_cast<double>(c.count));
}

Result<GivenChange> make_given_change(const Run& run, const Waits& waits, const RunGraph& graph,
                                      const Partners& partners, const Params& params) {
    return GivenReader(run, waits, graph, partners, params).read();
}

}  // namespace core::what_if
