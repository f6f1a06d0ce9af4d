#include "core/index/collective_calls.hpp"

#include "core/base/ascii.hpp"

#include <algorithm>
#include <vector>

namespace core {

bool calls_collective(std::string_view name) {
    constexpr std::string_view kBackends[] = {"nccl:", "rccl:", "xccl:", "hccl:", "ccl:", "mccl:"};
    return std::ranges::any_of(kBackends, [&](std::string_view backend) { return name.starts_with(backend); });
}

// "broadcast", "gather" and "scatter" alone are ordinary tensor work.
bool sounds_like_communication(std::string_view kernel) {
    const auto has = [&](std::string_view word) { return contains_any_case(kernel, word); };
    if (has("warpAllReduce") || has("blockAllReduce")) return false;  // within one kernel
    constexpr std::string_view kWords[] = {"allreduce",      "all_reduce", "allgather",  "all_gather", "reducescatter",
                                           "reduce_scatter", "alltoall",   "all_to_all", "all2all",    "sendrecv",
                                           "nccl",           "nvshmem",    "symm_mem"};
    return std::ranges::any_of(kWords, has);
}

UnrecordedCollectives find_unrecorded_collectives(const RankIndex& index) {
    const RankTrace& trace = index.trace();
    UnrecordedCollectives found;
    if (trace.info.world_size == 1) return found;  // nothing to do on the GPU
    std::vector<bool> calls(trace.names.size(), false);
    bool any = false;
    for (std::uint32_t name = 0; name < calls.size(); ++name) {
        calls[name] = calls_collective(trace.text(NameId{name}));
        any = any || calls[name];
    }
    if (!any) return found;
    bool computes = false;
    for (const EventId e : trace.gpu_events) {
        const KernelClass of = index.classes().of(e);
        if (of == KernelClass::Communication ||
            (of == KernelClass::Compute && sounds_like_communication(trace.name_text(e))))
            return found;
        const Category category = trace.category_kind(e);
        computes = computes || (category != Category::GpuMemcpy && category != Category::GpuMemset);
    }
    if (!computes) return found;
    for (std::size_t i = 0; i < trace.size(); ++i) {
        const auto e = static_cast<EventId>(i);
        if (!calls[index_of(trace.name[i])] || trace.has(e, kGpuEvent) || is_launch_category(trace.category_kind(e)))
            continue;
        if (found.calls++ == 0) found.example = e;
    }
    return found;
}

}  // namespace core
