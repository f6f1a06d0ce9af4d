#include "core/store/assemble/node_arrows.hpp"
#include "core/store/staged_events.hpp"

#include <algorithm>
#include <atomic>
#include <string_view>

namespace core {
namespace {

bool all_gpu_events_have_correlations(const Staged& staged, const JobContext& job) {
    std::vector<bool> has_correlation(staged.events.size(), false);
    for (const std::uint32_t row : staged.integers[static_cast<std::size_t>(Arg::Correlation)].rows) {
        has_correlation[row] = true;
    }
    if (job.checkpoint()) return false;
    std::atomic<bool> all{true};
    share_rows(job, staged.events.size(), [&](std::size_t first, std::size_t last) {
        for (std::size_t row = first; all && row < last; ++row) {
            const StagedEvent& event = staged.events[row];
            if ((event.flags & kGpuEvent) != 0 && becomes_event(event.phase) && !has_correlation[row]) all = false;
        }
    });
    return all;
}

}  // namespace

std::vector<bool> find_launch_arrows(const Staged& staged) {
    std::vector<bool> launches;
    for (const FlowKind& kind : staged.flow_kinds) {
        const std::string_view category = staged.pool.text(kind.category);
        launches.push_back(category == "ac2g" || category == "async_cpu_to_gpu" || category == "async_gpu");
    }
    return launches;
}

void drop_launch_arrows(Staged& staged, const std::vector<bool>& launches, const JobContext& job) {
    if (staged.flows.empty() || !all_gpu_events_have_correlations(staged, job)) return;
    const std::uint64_t end = has_graph_nodes(staged) ? kFirstNodeArrow : ~std::uint64_t{0};
    std::erase_if(staged.flows, [&](const StagedFlow& flow) { return launches[flow.kind] && flow.id < end; });
    staged.flows.shrink_to_fit();
}

}  // namespace core
