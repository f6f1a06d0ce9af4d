#include "ui/model/panels/first_screen.hpp"

#include "core/analysis/engine/writer_advice.hpp"
#include "core/analysis/parallelism/schedule.hpp"
#include "core/store/flight_names.hpp"
#include "core/store/logged_iterations.hpp"
#include "core/store/memory_names.hpp"

#include <algorithm>

namespace ui {
namespace {

bool all_are(const core::Run& run, bool (*is_one)(const core::RankInfo&)) {
    return !run.ranks().empty() &&
           std::ranges::all_of(run.ranks(), [&](const core::RankSlot& rank) { return is_one(rank.trace().info); });
}

bool any_has(const core::Run& run, bool (*is_one)(const core::RankTrace&)) {
    return std::ranges::any_of(run.ranks(), [&](const core::RankSlot& rank) { return is_one(rank.trace()); });
}

bool has_name(const core::RankTrace& trace, bool (*is_one)(std::string_view)) {
    for (std::uint32_t name = 0; name < trace.names.size(); ++name)
        if (is_one(trace.text(core::NameId{name}))) return true;
    return false;
}

// Operations of a pipeline's stages, without kernels.
bool is_schedule(const core::Run& run) {
    return !run.ranks().empty() && has_name(run.rank(0).trace(), core::is_compute_type);
}

bool ran_out_of_memory(const core::RankTrace& trace) {
    return has_name(trace, [](std::string_view name) { return name == core::kOutOfMemory; });
}

bool lost_gpu_work(const core::RankTrace& trace) { return trace.diagnostics.count("gpu-work-missing") > 0; }

}  // namespace

FirstScreen find_first_screen(const core::Run& run) {
    if (core::has_gpu_events(run)) return {};
    if (all_are(run, [](const core::RankInfo& info) { return core::is_flight_dump(info); }))
        return {.words = "flight-recorder dumps: see Hang", .panel = "hang"};
    if (all_are(run, [](const core::RankInfo& info) { return core::is_memory_snapshot(info); })) {
        if (any_has(run, ran_out_of_memory)) return {.words = "memory snapshots: see Findings", .panel = "findings"};
        return {.words = "memory snapshots: see memory-peak and memory-snapshot", .analysis = "memory-peak"};
    }
    if (all_are(run, [](const core::RankInfo& info) { return core::is_training_log(info.trace_name); }))
        return {.words = "a training log", .analysis = "training-log"};
    if (all_are(run, [](const core::RankInfo& info) { return core::is_log(info); }))
        return {.words = "logs of NCCL: see nccl", .analysis = "nccl"};
    if (is_schedule(run))
        return {.words = "a pipeline's schedule: see Communication, Pipeline", .communication = "pipeline"};
    if (run.event_count() == 0) return {};
    if (any_has(run, lost_gpu_work)) return {.words = "its GPU work was not recorded: see Import", .panel = "findings"};
    return {.words = "CPU only", .analysis = "operators", .advice = core::advice_for(run).gpu_work};
}

}  // namespace ui
