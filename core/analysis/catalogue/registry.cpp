// The table of analyses, in the order of lists. To add one, write it with its row in
// core/analysis/<district>/<name>.cpp, declare the row in <district>_analyses.hpp, and name it here. The CLI, panels,
// exports and tests use the row alone.

#include "core/analysis/catalogue/registry.hpp"

#include "core/analysis/collectives/collective_analyses.hpp"
#include "core/analysis/efficiency/efficiency_analyses.hpp"
#include "core/analysis/findings/finding_analyses.hpp"
#include "core/analysis/hangs/hang_analyses.hpp"
#include "core/analysis/launches/launch_analyses.hpp"
#include "core/analysis/memory/memory_analyses.hpp"
#include "core/analysis/operators/operator_analyses.hpp"
#include "core/analysis/parallelism/parallelism_analyses.hpp"
#include "core/analysis/telemetry/telemetry_analyses.hpp"
#include "core/analysis/time/time_analyses.hpp"
#include "core/analysis/verdict/verdict_analyses.hpp"
#include "core/analysis/whatif/whatif_analyses.hpp"

#include <algorithm>
#include <vector>

namespace core {
namespace {

std::vector<Analysis> collect_rows() {
    return {
        kTemporalBreakdown,
        kKernelTypes,
        kKernels,
        kKernelImbalance,
        kOverlap,
        kSteps,
        kStepParts,
        kLaunches,
        kLaunchSummary,
        kNames,
        kQueueLength,
        kOperators,
        kOperatorCalls,
        kAnnotations,
        kKernelsByAnnotation,
        kKernelsByOperator,
        kFlopCoverage,
        kOpEfficiency,
        kMfu,
        kModules,
        kKernelSequences,
        kGraphs,
        kMemoryBandwidth,
        kIdleBreakdown,
        kDeviceIdle,
        kIdleGaps,
        kMemoryTimeline,
        kMemorySnapshot,
        kMemoryPeak,
        kMemoryEfficiency,
        kMemoryFragmentation,
        kCounters,
        kCriticalPath,
        kWhatIf,
        kStragglers,
        kStragglerCauses,
        kWaitByStep,
        kExposedCommunication,
        kCollectives,
        kWaits,
        kMatching,
        kClockAlignment,
        kBandwidth,
        kNccl,
        kTrainingLog,
        kTelemetry,
        kEnergy,
        kLinkModel,
        kLinkPredictions,
        kCollectiveOutliers,
        kCommunicationMatrix,
        kCommEfficiency,
        kParallelGroups,
        kDdpBuckets,
        kFsdp,
        kPipeline,
        kExperts,
        kVerdict,
        kHealth,
        kFindings,
        kWhatToDo,
        kHangs,
    };
}

}  // namespace

const Catalogue<Analysis>& analyses() {
    static const std::vector<Analysis> kRows = collect_rows();
    static const Catalogue<Analysis> kCatalogue(kRows);
    return kCatalogue;
}

const Analysis* find_analysis(std::string_view id) {
    const auto it = std::ranges::find(all_analyses(), id, &Analysis::id);
    return it == all_analyses().end() ? nullptr : &*it;
}

}  // namespace core
