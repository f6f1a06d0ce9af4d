#include "core/store/staged_events.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace core {
namespace {

bool is_any_of(std::string_view name, std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, name) != names.end();
}

// On MTIA, waiting for and recording events is synchronisation, not work.
bool is_mtia_sync(std::string_view name) { return name.starts_with("event_wait") || name.starts_with("event_record"); }

bool is_ascend_sync(std::string_view name) {
    return is_any_of(name, {"EVENT_WAIT", "EVENT_RECORD", "Notify Wait", "Notify_Wait", "Notify Record",
                            "Notify_Record", "Write Value"});
}

std::set<NameId> processes_named(const Staged& staged, std::string_view name) {
    std::set<NameId> pids;
    for (const MetadataRow& row : staged.metadata) {
        if (row.kind == MetadataKind::ProcessName && staged.pool.text(row.text) == name) pids.insert(row.pid);
    }
    return pids;
}

}  // namespace

void mark_gpu_events(Staged& staged) {
    // Ascend writes device work without a category: tasks below "Ascend Hardware", collectives below "HCCL".
    const std::set<NameId> hardware = processes_named(staged, "Ascend Hardware");
    const std::set<NameId> collectives = processes_named(staged, "HCCL");
    staged.device_threads.assign(staged.threads.size(), false);
    for (std::size_t t = 0; t < staged.threads.size(); ++t)
        staged.device_threads[t] = hardware.contains(staged.threads[t].pid);

    for (StagedEvent& event : staged.events) {
        if ((event.flags & kInstant) != 0) continue;
        const CategoryEntry& category = staged.categories[event.category];
        const std::string_view name = staged.pool.text(event.name);
        bool gpu = is_gpu_category(category.kind) && !(category.kind == Category::GpuOther && is_mtia_sync(name));
        if (category.text == NameId{0}) {
            if (staged.device_threads[event.thread])
                gpu = !is_ascend_sync(name);
            else if (!collectives.empty() && collectives.contains(staged.threads[event.thread].pid))
                gpu = name.starts_with("hcom_");
        }
        if (gpu) event.flags |= kGpuEvent;
    }
}

}  // namespace core
