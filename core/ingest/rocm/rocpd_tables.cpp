#include "core/ingest/rocm/rocpd_tables.hpp"

#include "core/base/ascii.hpp"
#include "core/ingest/json/json_value.hpp"
#include "core/ingest/json/visit_members.hpp"
#include "core/ingest/nsys/nvtx_names.hpp"
#include "core/ingest/rocm/rccl_calls.hpp"
#include "core/ingest/sqlite/launch_environment.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <unordered_map>

namespace core {
namespace {

constexpr std::string_view kTableNames[] = {"rocpd_string",          "rocpd_info_process", "rocpd_info_thread",
                                            "rocpd_info_agent",      "rocpd_info_node",    "rocpd_info_kernel_symbol",
                                            "rocpd_kernel_dispatch", "rocpd_memory_copy",  "rocpd_region",
                                            "rocpd_sample",          "rocpd_event",        "rocpd_info_pmc"};

// Columns that the tables of events have in common: of one writer the first two and places, of another numbers of rows
// that hold them.
constexpr std::array<std::string_view, 11> kCommon{"start", "end",      "start_id", "end_id",    "track_id", "pid",
                                                   "tid",   "agent_id", "queue_id", "stream_id", "event_id"};
constexpr std::size_t kEvent = 10, kOwn = kCommon.size();

std::vector<std::string_view> with_common(std::initializer_list<std::string_view> own) {
    std::vector<std::string_view> columns(kCommon.begin(), kCommon.end());
    columns.insert(columns.end(), own.begin(), own.end());
    return columns;
}

// "_0192…" of "rocpd_string_0192…"; absent: another table.
std::optional<std::string> suffix_of(std::string_view table) {
    for (const std::string_view base : kTableNames) {
        if (!table.starts_with(base)) continue;
        const std::string_view rest = table.substr(base.size());
        if (rest.empty() || rest.front() == '_') return std::string(rest);
    }
    return std::nullopt;
}

enum class CallKind { Hip, Hsa, Marker, Rccl, Other };

CallKind kind_of(std::string_view category, std::string_view name) {
    const auto is = [&](std::string_view word) { return contains_any_case(category, word); };
    if (is("marker") || is("roctx")) return CallKind::Marker;
    if (is("rccl")) return CallKind::Rccl;
    if (is("hip")) return CallKind::Hip;
    if (is("hsa")) return CallKind::Hsa;
    if (!category.empty()) return CallKind::Other;
    if (name.starts_with("hip")) return CallKind::Hip;
    if (name.starts_with("hsa_")) return CallKind::Hsa;
    if (name.starts_with("roctx")) return CallKind::Marker;
    return name.starts_with("nccl") ? CallKind::Rccl : CallKind::Other;
}

std::string_view category_of(CallKind kind) {
    switch (kind) {
        case CallKind::Hip:
            return "hip_runtime";
        case CallKind::Hsa:
            return "hsa_runtime";
        case CallKind::Marker:
        case CallKind::Rccl:
            return "user_annotation";
        default:
            return "host_region";
    }
}

class Part {
public:
    Part(RocmRows& rows, std::uint32_t number, std::string suffix)
        : rows_(rows),
          number_(number),
          suffix_(std::move(suffix)),
          strings_(rows.tables(), table("rocpd_string"), "id", "string"),
          categories_(rows.tables(), table("rocpd_info_category"), "id", "name"),
          kernel_names_(rows.tables(), table("rocpd_info_kernel_symbol"), "id", "display_name"),
          kernel_symbols_(rows.tables(), table("rocpd_info_kernel_symbol"), "id", "kernel_name"),
          events_(rows.tables(), table("rocpd_event"), "id", {"stack_id", "category_id", "extdata"}),
          tracks_(rows.tables(), table("rocpd_track"), "id", {"pid", "tid", "agent_id", "queue_id", "stream_id"}),
          times_(rows.tables(), table("rocpd_timestamp"), "id", {"value"}),
          samples_(rows.tables(), table("rocpd_sample"), "event_id", {"timestamp", "timestamp_id"}),
          dispatches_(rows.tables(), table("rocpd_kernel_dispatch"), "event_id", {"start", "start_id"}),
          values_(rows.tables(), table("rocpd_pmc_event"), "event_id", {"id"}) {}

    bool read_facts() {
        has_categories_ = rows_.tables().has(table("rocpd_info_category"));
        return read_processes() && read_threads() && read_agents() && read_streams();
    }
    bool read_gpu_work() { return read_kernels() && read_copies(); }
    bool read_calls() { return read_rccl_arguments() && read_regions() && read_samples() && read_counters(); }

private:
    struct Place {
        RocmTimes times;
        std::optional<std::int64_t> pid, tid, agent, queue, stream;
    };
    struct Agent {
        bool is_gpu = false;
        std::int64_t device = 0;
        std::string name;
    };

    std::string table(std::string_view base) const { return std::string(base) + suffix_; }
    std::string repaired(std::optional<std::string_view> text) {
        return text ? std::string(rows_.repaired(*text, scratch_)) : std::string();
    }

    bool read_processes() {
        std::map<std::int64_t, std::string> hosts;
        constexpr std::string_view kNode[] = {"id", "hostname"};
        if (!rows_.each(table("rocpd_info_node"), kNode, [&](const SqliteRows& row) {
                if (const auto id = row.integer(0); id && hosts.size() < kMostFacts)
                    hosts.try_emplace(*id, repaired(row.text(1)));
            }))
            return false;
        constexpr std::string_view kColumns[] = {"id", "nid", "pid", "command", "environment"};
        return rows_.each(table("rocpd_info_process"), kColumns, [&](const SqliteRows& row) {
            const auto id = row.integer(0);
            if (!id) return;
            RocmProcess process{.pid = row.integer(2).value_or(*id), .name = repaired(row.text(3))};
            const auto host = hosts.find(row.integer(1).value_or(-1));
            if (host != hosts.end()) process.host = host->second;
            LaunchEnvironment environment;
            if (const auto text = row.text(4)) environment.consider_json(*text);
            process.rank = environment.rank();
            process.world = environment.world();
            rows_.add_process({number_, *id}, process);
        });
    }

    bool read_threads() {
        constexpr std::string_view kColumns[] = {"id", "pid", "tid", "name"};
        return rows_.each(table("rocpd_info_thread"), kColumns, [&](const SqliteRows& row) {
            const auto id = row.integer(0), process = row.integer(1), thread = row.integer(2);
            if (!id || !thread || threads_.size() >= kMostFacts) return;
            threads_.try_emplace(*id, *thread);
            if (const auto name = row.text(3)) rows_.name_thread(pid_of(process.value_or(0)), *thread, *name);
        });
    }

    // Devices are numbered as the process sees them.
    bool read_agents() {
        constexpr std::string_view kColumns[] = {"id",           "type",       "type_index", "logical_index",
                                                 "product_name", "model_name", "name"};
        return rows_.each(table("rocpd_info_agent"), kColumns, [&](const SqliteRows& row) {
            const auto id = row.integer(0);
            if (!id || agents_.size() >= kMostFacts) return;
            Agent agent{.is_gpu = row.text(1) != "CPU", .device = *id, .name = {}};
            for (const std::size_t column : {3U, 2U})
                if (const auto index = row.integer(column)) agent.device = *index;
            for (const std::size_t column : {4U, 5U, 6U})
                if (agent.name.empty()) agent.name = repaired(row.text(column));
            agents_.try_emplace(*id, std::move(agent));
        });
    }

    // A writer that knows no streams gives all work the first one; then the queue says more.
    bool read_streams() {
        constexpr std::string_view kColumns[] = {"id"};
        return rows_.each(table("rocpd_info_stream"), kColumns, [&](const SqliteRows& row) {
            if (row.integer(0).value_or(0) != 0) has_streams_ = true;
        });
    }

    std::int64_t pid_of(std::int64_t process) const {
        const RocmProcess* const found = rows_.find_process({number_, process});
        return found != nullptr ? found->pid : process;
    }

    Place place_of(const SqliteRows& row) {
        Place at{.times = {row.integer(0), row.integer(1)},
                 .pid = row.integer(5),
                 .tid = row.integer(6),
                 .agent = row.integer(7),
                 .queue = row.integer(8),
                 .stream = row.integer(9)};
        if (const auto id = row.integer(2); id && !at.times.start_ns) at.times.start_ns = time_of(*id);
        if (const auto id = row.integer(3); id && !at.times.end_ns) at.times.end_ns = time_of(*id);
        const auto track = row.integer(4);
        const SqliteRows* const found = track && !at.pid ? tracks_.find(*track) : nullptr;
        if (found == nullptr) return at;
        at.pid = found->integer(0);
        at.tid = found->integer(1);
        at.agent = found->integer(2);
        at.queue = found->integer(3);
        at.stream = found->integer(4);
        return at;
    }

    std::optional<std::int64_t> time_of(std::int64_t id) {
        const SqliteRows* const row = times_.find(id);
        return row != nullptr ? row->integer(0) : std::nullopt;
    }

    const Agent* find_agent(std::optional<std::int64_t> id) const {
        const auto found = id ? agents_.find(*id) : agents_.end();
        return found == agents_.end() ? nullptr : &found->second;
    }

    // Kernels without the table of agents keep their number.
    RocmRank* begin_gpu_row(const SqliteRows& row, const Place& at, const Agent* agent) {
        const std::int64_t device = agent != nullptr ? agent->device : at.agent.value_or(0);
        const bool by_stream = has_streams_ || !at.queue;
        const std::optional<std::int64_t> number = by_stream ? at.stream : at.queue;
        std::string stream = (by_stream ? "" : "queue ") + std::to_string(number.value_or(0));
        RocmRank* const rank =
            rows_.begin_gpu_row(row, {number_, at.pid.value_or(0)}, at.times, device, std::move(stream),
                                agent != nullptr ? std::string_view(agent->name) : std::string_view());
        if (rank == nullptr) return nullptr;
        if (number) rows_.arguments.add("stream", Arg::Stream, *number);
        if (at.queue) rows_.arguments.add("queue", *at.queue);
        add_correlation(row.integer(kEvent));
        return rank;
    }

    // The number of the call on top of the thread's stack when the work was submitted.
    void add_correlation(std::optional<std::int64_t> event) {
        const SqliteRows* const found = event ? events_.find(*event) : nullptr;
        const auto stack = found != nullptr ? found->integer(0) : std::nullopt;
        if (stack && *stack > 0) rows_.arguments.add("correlation", Arg::Correlation, *stack);
    }

    bool read_kernels() {
        const auto columns = with_common({"kernel_id", "workgroup_size_x", "workgroup_size_y", "workgroup_size_z",
                                          "grid_size_x", "grid_size_y", "grid_size_z", "group_segment_size",
                                          "private_segment_size", "region_name_id", "dispatch_id"});
        return rows_.each(table("rocpd_kernel_dispatch"), columns, [&](const SqliteRows& row) {
            const Place at = place_of(row);
            RocmRank* const rank = begin_gpu_row(row, at, find_agent(at.agent));
            if (rank == nullptr) return;
            if (const auto kernel = row.integer(kOwn)) {
                rows_.event.name = kernel_names_.find(*kernel);
                if (rows_.event.name.empty()) rows_.event.name = kernel_symbols_.find(*kernel);
            }
            if (rows_.event.name.empty()) rows_.event.name = "kernel without a name";
            rows_.event.category = "kernel";
            add_sizes(row);
            rows_.add_optional("shared memory", row, kOwn + 7);
            rows_.add_optional("private memory", row, kOwn + 8);
            if (const auto region = row.integer(kOwn + 9))
                if (const std::string_view text = strings_.find(*region); !text.empty())
                    rows_.arguments.add("region", text);
            rows_.add_optional("dispatch", row, kOwn + 10);
            rows_.finish_row(*rank, row);
        });
    }

    // The file counts the grid in work-items; other traces in blocks.
    void add_sizes(const SqliteRows& row) {
        std::string grid = "[", block = "[";
        for (std::size_t i = 1; i <= 3; ++i) {
            const auto items = row.integer(kOwn + 3 + i), size = row.integer(kOwn + i);
            if (!items || !size || *size <= 0 || *items < 0) return;
            grid += (i > 1 ? ", " : "") + std::to_string(*items / *size + (*items % *size != 0 ? 1 : 0));
            block += (i > 1 ? ", " : "") + std::to_string(*size);
        }
        rows_.arguments.add_json("grid", grid + "]");
        rows_.arguments.add_json("block", block + "]");
    }

    // On the GPU that it writes to, else on the one that it reads from.
    bool read_copies() {
        const auto columns = with_common({"name_id", "dst_agent_id", "src_agent_id", "size"});
        return rows_.each(table("rocpd_memory_copy"), columns, [&](const SqliteRows& row) {
            Place at = place_of(row);
            const Agent* const to = find_agent(row.integer(kOwn + 1));
            const Agent* const from = find_agent(row.integer(kOwn + 2));
            const Agent* const on = to != nullptr && to->is_gpu ? to : from != nullptr && from->is_gpu ? from : to;
            if (!at.agent) at.agent = row.integer(kOwn + (on != nullptr && on == from ? 2 : 1));
            RocmRank* const rank = begin_gpu_row(row, at, on);
            if (rank == nullptr) return;
            const auto operation = row.integer(kOwn);
            const std::string name = rows_.name_copy(operation ? strings_.find(*operation) : std::string_view());
            rows_.event.name = name;
            rows_.event.category = "gpu_memcpy";
            rows_.add_bytes(row.integer(kOwn + 3));
            if (from != nullptr && from->is_gpu) rows_.arguments.add("source device", from->device);
            if (to != nullptr && to->is_gpu) rows_.arguments.add("destination device", to->device);
            rows_.finish_row(*rank, row);
        });
    }

    std::string_view category_text(std::int64_t id) {
        return has_categories_ ? categories_.find(id) : strings_.find(id);
    }

    bool is_rccl(std::int64_t category) {
        const auto [known, fresh] = is_rccl_.try_emplace(category, false);
        if (fresh) known->second = contains_any_case(category_text(category), "rccl");
        return known->second;
    }

    // Stores those of RCCL's calls only.
    bool read_rccl_arguments() {
        constexpr std::string_view kEventColumns[] = {"id", "category_id"};
        if (!rows_.tables().has(table("rocpd_arg"))) return true;
        if (!rows_.each(table("rocpd_event"), kEventColumns, [&](const SqliteRows& row) {
                const auto id = row.integer(0), category = row.integer(1);
                if (id && category && is_rccl(*category)) rccl_calls_.try_emplace(*id);
            }))
            return false;
        if (rccl_calls_.empty()) return true;
        constexpr std::string_view kColumns[] = {"event_id", "name", "value"};
        return rows_.each(table("rocpd_arg"), kColumns, [&](const SqliteRows& row) {
            const auto event = row.integer(0);
            const auto call = event ? rccl_calls_.find(*event) : rccl_calls_.end();
            if (call == rccl_calls_.end()) return;
            const auto name = row.text(1), value = row.text(2);
            if (name && value) call->second.take(*name, *value);
        });
    }

    struct Event {
        std::optional<std::int64_t> stack;
        std::string_view category;
        std::string message;
    };
    Event event_of(std::optional<std::int64_t> id) {
        Event event;
        const SqliteRows* const row = id ? events_.find(*id) : nullptr;
        if (row == nullptr) return event;
        event.stack = row->integer(0);
        if (const auto text = row->text(2); text && text->size() > 2)
            visit_json_members(*text, [&](std::string_view key, std::string_view value) {
                if (key != "message") return true;
                std::string unescaped;
                event.message = repaired(json_text(value.data(), value.data() + value.size(), unescaped));
                return false;
            });
        if (const auto category = row->integer(1)) event.category = category_text(*category);
        return event;
    }

    // Names and arguments of a call; `name` and `event` must outlive the row.
    void fill_call(const Event& event, std::string_view name, CallKind kind, std::optional<std::int64_t> event_id) {
        rows_.event.category = category_of(kind);
        rows_.event.name = name.empty() ? std::string_view("call without a name") : name;
        if (kind == CallKind::Marker) {
            if (!event.message.empty()) {
                const NvtxName split = split_nvtx_name(event.message);
                rows_.event.name = split.name;
                if (split.is_operator) rows_.event.category = "cpu_op";
                if (split.sequence)
                    rows_.arguments.add("Sequence number", Arg::SequenceNumber,
                                        std::max<std::int64_t>(*split.sequence, -1));
                if (!name.empty()) rows_.arguments.add("call", name);
            }
            return;
        }
        if (kind == CallKind::Rccl)
            if (const auto call = event_id ? rccl_calls_.find(*event_id) : rccl_calls_.end(); call != rccl_calls_.end())
                call->second.add_to(rows_.arguments, rows_.event.name);
        if (kind == CallKind::Other && !event.category.empty()) rows_.arguments.add("category", event.category);
        const bool launches = kind == CallKind::Hip || kind == CallKind::Hsa;
        if (!event.stack || *event.stack <= 0) return;
        if (launches)
            rows_.arguments.add("correlation", Arg::Correlation, *event.stack);
        else
            rows_.arguments.add("correlation", *event.stack);
    }

    std::int64_t thread_of(std::optional<std::int64_t> id) const {
        const auto found = threads_.find(id.value_or(0));
        return found == threads_.end() ? id.value_or(0) : found->second;
    }

    bool read_regions() {
        return rows_.each(table("rocpd_region"), with_common({"name_id"}), [&](const SqliteRows& row) {
            const Place at = place_of(row);
            RocmRank* const rank =
                rows_.begin_thread_row(row, {number_, at.pid.value_or(0)}, at.times, thread_of(at.tid));
            if (rank == nullptr) return;
            const Event event = event_of(row.integer(kEvent));
            const auto id = row.integer(kOwn);
            const std::string_view name = id ? strings_.find(*id) : std::string_view();
            fill_call(event, name, kind_of(event.category, name), row.integer(kEvent));
            rows_.finish_row(*rank, row);
        });
    }

    // Calls and marks without a length. Samples of other tools describe no work.
    bool read_samples() {
        constexpr std::string_view kColumns[] = {"timestamp", "timestamp_id", "track_id", "event_id", "name_id"};
        return rows_.each(table("rocpd_sample"), kColumns, [&](const SqliteRows& row) {
            const Event event = event_of(row.integer(3));
            const auto id = row.integer(4);
            const std::string_view name = id ? strings_.find(*id) : std::string_view();
            const CallKind kind = kind_of(event.category, name);
            const auto event_id = row.integer(3);
            const bool has_value = event_id && values_.find(*event_id) != nullptr;  // which is a counter's
            if (kind == CallKind::Other && has_value) return;
            if (kind == CallKind::Other) return rows_.drop("object-event", row, "a sample that is no call");
            std::optional<std::int64_t> time = row.integer(0);
            if (const auto time_id = row.integer(1); time_id && !time) time = time_of(*time_id);
            const auto track = row.integer(2);
            const SqliteRows* const found = track ? tracks_.find(*track) : nullptr;
            const auto pid = found != nullptr ? found->integer(0) : std::nullopt;
            const auto tid = found != nullptr ? found->integer(1) : std::nullopt;
            RocmRank* const rank =
                rows_.begin_thread_row(row, {number_, pid.value_or(0)}, {time, time}, thread_of(tid));
            if (rank == nullptr) return;
            fill_call(event, name, kind, row.integer(3));
            rows_.event.phase = Phase::Instant;
            rows_.finish_row(*rank, row);
        });
    }

    struct Counter {
        std::int64_t device = 0;
        std::string name;
    };

    bool read_counter_names(std::map<std::int64_t, Counter>& counters) {
        constexpr std::string_view kColumns[] = {"id", "agent_id", "name", "symbol", "units"};
        return rows_.each(table("rocpd_info_pmc"), kColumns, [&](const SqliteRows& row) {
            const auto id = row.integer(0);
            if (!id || counters.size() >= kMostFacts) return;
            Counter counter{.device = 0, .name = repaired(row.text(2))};
            if (counter.name.empty()) counter.name = repaired(row.text(3));
            if (counter.name.empty()) counter.name = "counter " + std::to_string(*id);
            if (const std::string unit = repaired(row.text(4)); !unit.empty()) counter.name += " (" + unit + ")";
            const auto agent = row.integer(1);
            if (const Agent* const found = find_agent(agent))
                counter.device = found->device;
            else
                counter.device = agent.value_or(0);
            counters.try_emplace(*id, std::move(counter));
        });
    }

    // When a sample was taken, or a kernel began.
    std::optional<std::int64_t> time_of_event(std::int64_t event) {
        for (SqliteLookup* const table_of_times : {&samples_, &dispatches_}) {
            const SqliteRows* const row = table_of_times->find(event);
            if (row == nullptr) continue;
            if (const auto time = row->integer(0)) return time;
            if (const auto id = row->integer(1)) return time_of(*id);
        }
        return std::nullopt;
    }

    // Counters of the hardware: a value per kernel, or samples over time.
    bool read_counters() {
        std::map<std::int64_t, Counter> counters;
        if (!rows_.tables().has(table("rocpd_pmc_event"))) return true;
        if (!read_counter_names(counters)) return false;
        constexpr std::string_view kColumns[] = {"event_id", "pmc_id", "value"};
        return rows_.each(table("rocpd_pmc_event"), kColumns, [&](const SqliteRows& row) {
            const auto event = row.integer(0), id = row.integer(1);
            const auto value = row.number(2);
            const auto counter = id ? counters.find(*id) : counters.end();
            const auto time = event ? time_of_event(*event) : std::nullopt;
            if (counter == counters.end() || !value || !std::isfinite(*value) || !time)
                return rows_.drop("event-malformed", row, "no usable counter, value or time");
            rows_.add_sample(number_, counter->second.device, counter->second.name, *time, *value);
        });
    }

    static constexpr std::size_t kMostFacts = 1'000'000;

    RocmRows& rows_;
    std::uint32_t number_;
    std::string suffix_;
    SqliteTexts strings_, categories_, kernel_names_, kernel_symbols_;
    SqliteLookup events_, tracks_, times_, samples_, dispatches_, values_;
    std::map<std::int64_t, Agent> agents_;
    std::map<std::int64_t, std::int64_t> threads_;  // rows of the table of threads → threads
    bool has_categories_ = false;  // in a table of their own
    bool has_streams_ = false;
    std::map<std::int64_t, bool> is_rccl_;  // by category
    std::unordered_map<std::int64_t, RcclCall> rccl_calls_;
    std::string scratch_;
};

}  // namespace

bool read_rocpd(RocmRows& rows) {
    std::set<std::string> suffixes;
    for (const std::string& table : rows.tables().names())
        if (std::optional<std::string> suffix = suffix_of(table)) suffixes.insert(std::move(*suffix));
    std::vector<std::unique_ptr<Part>> parts;
    for (const std::string& suffix : suffixes)
        parts.push_back(std::make_unique<Part>(rows, static_cast<std::uint32_t>(parts.size()), suffix));
    for (const auto& part : parts)
        if (!part->read_facts()) return false;
    for (const auto& part : parts)
        if (!part->read_gpu_work()) return false;
    rows.close_ranks();
    for (const auto& part : parts)
        if (!part->read_calls()) return false;
    rows.finish();
    return true;
}

}  // namespace core
