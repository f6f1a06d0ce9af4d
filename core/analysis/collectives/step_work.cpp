#include "core/analysis/collectives/step_work.hpp"

namespace core {

StepWork::StepWork(const RankSlot& rank) {
    const RankTrace& trace = rank.trace();
    for (const EventId e : trace.gpu_events) {
        if (rank.index->classes().of(e) != KernelClass::Compute) continue;
        const Step* const step = trace.step_of(e);
        if (!step && !trace.steps.empty()) continue;
        KernelSum& sum = steps_[step ? step->number : kWholeTrace][trace.name_text(e)];
        const std::int64_t time = trace.duration[index_of(e)].count();
        ++sum.count;
        sum.time += time;
        if (time <= sum.longest_time) continue;
        sum.longest_time = time;
        sum.longest = e;
    }
}

const KernelSums& StepWork::of(std::int64_t step) const {
    static const KernelSums kNone;
    const auto it = steps_.find(step);
    return it == steps_.end() ? kNone : it->second;
}

std::shared_ptr<const WorkOfRun> work_of(const Run& run) {
    return run.derived().get<WorkOfRun>([&] {
        auto work = std::make_shared<WorkOfRun>();
        for (const RankSlot& rank : run.ranks()) work->ranks.emplace_back(rank);
        return work;
    });
}

}  // namespace core
