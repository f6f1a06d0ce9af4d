#include "core/base/format.hpp"
#include "core/store/assemble/device_rows.hpp"
#include "core/store/staged_events.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace core {
namespace {

bool is_any_of(std::string_view name, std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, name) != names.end();
}

// MTIA's event waits and records are synchronisation, not work.
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

enum class Verdict : std::uint8_t { No, Yes, UnlessSync, ByThread };

// Verdict by category alone. Host callbacks and event records within graphs are on the rows of streams, but not work.
Verdict verdict_of(const CategoryEntry& category, std::string_view text) {
    if (text == "graph_host_node" || text == "graph_event_node") return Verdict::No;
    if (category.kind == Category::Other) return Verdict::ByThread;
    if (category.kind == Category::GpuOther) return Verdict::UnlessSync;
    return is_gpu_category(category.kind) ? Verdict::Yes : Verdict::No;
}

}  // namespace

void mark_gpu_events(Staged& staged, const JobContext& job) {
    // Ascend writes device work without a category: tasks below "Ascend Hardware", collectives below "HCCL".
    const std::set<NameId> collectives = processes_named(staged, "HCCL");
    DeviceShape shape = find_device_shape(staged);
    if (shape.threads > 0)
        staged.diagnostics.add("device-by-shape",
                               format_plural(shape.threads, "thread", "threads") + ", told by " + shape.how);
    staged.device_rows = std::move(shape.rows);
    staged.devices = std::move(shape.devices);
    std::vector<Verdict> verdicts;
    for (const CategoryEntry& category : staged.categories)
        verdicts.push_back(verdict_of(category, staged.pool.text(category.text)));

    const auto is_gpu = [&](const StagedEvent& event, std::uint32_t thread) {
        const auto name = [&] { return staged.pool.text(event.name); };
        switch (verdicts[event.category]) {
            case Verdict::UnlessSync:
                return !is_mtia_sync(name());
            case Verdict::ByThread:
                if (staged.device_rows[thread] == DeviceThread::Repeat) return false;
                if (staged.device_rows[thread] == DeviceThread::Work) return !is_ascend_sync(name());
                return staged.categories[event.category].text == NameId{0} && !collectives.empty() &&
                       collectives.contains(staged.threads[thread].pid) && name().starts_with("hcom_");
            default:
                return verdicts[event.category] == Verdict::Yes;
        }
    };
    share_rows(job, staged.events.size(), [&](std::size_t first, std::size_t last) {
        for (std::size_t row = first; row < last; ++row) {
            StagedEvent& event = staged.events[row];
            if ((event.flags & kInstant) == 0 && is_gpu(event, staged.thread_of_event[row])) event.flags |= kGpuEvent;
        }
    });
}

}  // namespace core
