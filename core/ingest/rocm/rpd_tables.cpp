#include "core/ingest/rocm/rpd_tables.hpp"

#include "core/base/ascii.hpp"
#include "core/ingest/json/timestamp.hpp"
#include "core/ingest/nsys/nvtx_names.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <unordered_map>

namespace core {
namespace {

constexpr std::size_t kMostSeries = 100'000;  // of samples

enum class OpKind { Kernel, Copy, Set, Wait };

OpKind kind_of_op(std::string_view type) {
    const auto is = [&](std::string_view word) { return contains_any_case(type, word); };
    if (is("barrier") || is("marker") || is("sync")) return OpKind::Wait;
    if (is("copy") || is("memcpy")) return OpKind::Copy;
    return is("fill") || is("memset") ? OpKind::Set : OpKind::Kernel;
}

std::optional<double> parse_value(const SqliteRows& row, std::size_t column) {
    if (const auto number = row.number(column)) return number;
    const auto text = row.text(column);
    if (!text) return std::nullopt;
    double value = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    return error == std::errc{} && end == text->data() + text->size() ? std::optional(value) : std::nullopt;
}

class RpdReader {
public:
    explicit RpdReader(RocmRows& rows)
        : rows_(rows),
          strings_(rows.tables(), "rocpd_string", "id", "string"),
          texts_(rows.tables(), rows.tables().has("rocpd_ustring") ? "rocpd_ustring" : "rocpd_string", "id",
                 {"string"}),
          call_of_op_(rows.tables(), "rocpd_api_ops", "op_id", {"api_id"}),
          calls_(rows.tables(), "rocpd_api", "id", {"pid"}),
          kernels_(rows.tables(), "rocpd_kernelapi", "api_ptr_id",
                   {"gridX", "gridY", "gridZ", "workgroupX", "workgroupY", "workgroupZ", "groupSegmentSize",
                    "privateSegmentSize", "kernelName_id"}),
          copies_(rows.tables(), "rocpd_copyapi", "api_ptr_id", {"size"}),
          operators_(rows.tables(), "ext_autogradapi", "api_ptr_id", {"seq", "sizes"}) {}

    bool read() {
        if (!read_strides() || !read_owners() || !read_work()) return false;
        rows_.close_ranks();
        if (!read_calls() || !read_samples()) return false;
        rows_.finish();
        return true;
    }

private:
    // A file of several nodes numbers processes and GPUs node by node, this many each.
    bool read_strides() {
        constexpr std::string_view kColumns[] = {"tag", "value"};
        return rows_.each("rocpd_metadata", kColumns, [&](const SqliteRows& row) {
            const auto tag = row.text(0);
            const auto value = parse_value(row, 1);
            const bool fits = tag && value && *value >= 1 && *value < 1e15;
            if (fits && *tag == "gpu_stride") gpu_stride_ = static_cast<std::int64_t>(*value);
            if (fits && *tag == "pid_stride") pid_stride_ = static_cast<std::int64_t>(*value);
        });
    }
    static std::uint32_t node_of(std::int64_t number, std::int64_t stride) {
        constexpr std::int64_t kMostNodes = 1'000'000;
        return static_cast<std::uint32_t>(number < 0 ? 0 : std::min(number / stride, kMostNodes));
    }
    RocmProcessId process(std::int64_t pid) const { return {node_of(pid, pid_stride_), pid}; }
    std::int64_t device_of(std::int64_t gpu) const { return gpu < 0 ? gpu : gpu % gpu_stride_; }

    // The process of a call that put work on a GPU.
    std::optional<std::int64_t> pid_of_call(std::optional<std::int64_t> call) {
        const SqliteRows* const row = call ? calls_.find(*call) : nullptr;
        return row != nullptr ? row->integer(0) : std::nullopt;
    }
    std::optional<std::int64_t> call_of(std::int64_t op) {
        const SqliteRows* const row = call_of_op_.find(op);
        return row != nullptr ? row->integer(0) : std::nullopt;
    }

    // Work without a call belongs to the process that uses the GPU, if it is the only one; else to the only process.
    bool read_owners() {
        constexpr std::string_view kPid[] = {"pid"};
        if (!rows_.each("rocpd_api", kPid, [&](const SqliteRows& row) {
                const auto pid = row.integer(0);
                if (pid && only_pid_ && *only_pid_ != *pid) is_one_process_ = false;
                if (pid) only_pid_ = pid;
            }))
            return false;
        constexpr std::string_view kColumns[] = {"id", "gpuId"};
        return is_one_process_ || rows_.each("rocpd_op", kColumns, [&](const SqliteRows& row) {
            const auto op = row.integer(0), gpu = row.integer(1);
            const auto pid = op && gpu ? pid_of_call(call_of(*op)) : std::nullopt;
            if (!pid || owners_.size() >= kMostSeries) return;
            const auto [owner, fresh] = owners_.try_emplace(*gpu, Owner{.pid = *pid});
            if (!fresh && owner->second.pid != *pid) owner->second.is_only = false;
        });
    }

    bool read_work() {
        constexpr std::string_view kColumns[] = {"start",          "end",      "gpuId", "queueId", "id",
                                                 "description_id", "opType_id"};
        return rows_.each("rocpd_op", kColumns, [&](const SqliteRows& row) {
            const auto gpu = row.integer(2), queue = row.integer(3);
            const std::optional<std::int64_t> call = call_of(row.integer(4).value_or(row.id()));
            const std::optional<std::int64_t> pid = pid_of_call(call);
            const auto owner = owners_.find(gpu.value_or(-1));
            const bool is_owned = owner != owners_.end() && owner->second.is_only;
            // Else each GPU is a rank of its own: nothing says whose it is.
            const std::int64_t whose = pid                            ? *pid
                                       : is_one_process_ && only_pid_ ? *only_pid_
                                       : is_owned                     ? owner->second.pid
                                                                      : kNoProcess - gpu.value_or(0);
            RocmRank* const rank = rows_.begin_gpu_row(row, process(whose), {row.integer(0), row.integer(1)},
                                                       device_of(gpu.value_or(-1)), std::to_string(queue.value_or(0)));
            if (rank == nullptr) return;
            if (queue) rows_.arguments.add("stream", Arg::Stream, *queue);
            if (call) rows_.arguments.add("correlation", Arg::Correlation, *call);
            const auto type_id = row.integer(6), text_id = row.integer(5);
            const std::string_view type = type_id ? strings_.find(*type_id) : std::string_view();
            const std::string_view text = text_id ? strings_.find(*text_id) : std::string_view();
            const std::string name = fill_work(kind_of_op(type), type, text, call);
            rows_.event.name = name;
            rows_.finish_row(*rank, row);
        });
    }

    std::string fill_work(OpKind kind, std::string_view type, std::string_view text, std::optional<std::int64_t> call) {
        if (kind == OpKind::Copy) {
            rows_.event.category = "gpu_memcpy";
            std::string name = rows_.name_copy(type);
            if (!text.empty()) rows_.arguments.add("description", text);
            if (const SqliteRows* const copy = call ? copies_.find(*call) : nullptr) rows_.add_bytes(copy->integer(0));
            return name;
        }
        if (!type.empty()) rows_.arguments.add("operation", type);
        if (kind == OpKind::Kernel) {
            rows_.event.category = "kernel";
            const SqliteRows* const kernel = call ? kernels_.find(*call) : nullptr;
            if (kernel != nullptr) {
                add_size("grid", *kernel, 0);
                add_size("block", *kernel, 3);
                rows_.add_optional("shared memory", *kernel, 6);
                rows_.add_optional("private memory", *kernel, 7);
                if (const auto name = kernel->integer(8); name && text.empty()) text = strings_.find(*name);
            }
        } else {
            rows_.event.category = kind == OpKind::Set ? "gpu_memset" : "cuda_sync";
        }
        if (!text.empty()) return std::string(text);
        if (kind == OpKind::Set) return "Memset (Device)";
        return type.empty() ? std::string("kernel without a name") : std::string(type);
    }

    void add_size(std::string_view key, const SqliteRows& row, std::size_t first) {
        const auto x = row.integer(first), y = row.integer(first + 1), z = row.integer(first + 2);
        if (x && y && z)
            rows_.arguments.add_json(
                key, "[" + std::to_string(*x) + ", " + std::to_string(*y) + ", " + std::to_string(*z) + "]");
    }

    // Texts of marks can be as many as marks, or a few that all share: the recent ones are stored.
    std::string argument_text(std::optional<std::int64_t> id) {
        constexpr std::size_t kMostRecent = 65'536;
        if (!id) return {};
        if (const auto known = recent_texts_.find(*id); known != recent_texts_.end()) return known->second;
        if (recent_texts_.size() >= kMostRecent) recent_texts_.clear();
        const SqliteRows* const row = texts_.find(*id);
        const auto text = row != nullptr ? row->text(0) : std::nullopt;
        return recent_texts_[*id] = text ? std::string(rows_.repaired(*text, scratch_)) : std::string();
    }

    bool read_calls() {
        constexpr std::string_view kColumns[] = {"start",      "end",     "pid",       "tid",        "id",
                                                 "apiName_id", "args_id", "domain_id", "category_id"};
        return rows_.each("rocpd_api", kColumns, [&](const SqliteRows& row) {
            const auto start = row.integer(0), end = row.integer(1), pid = row.integer(2);
            rows_.add_process(process(pid.value_or(0)), {.pid = pid.value_or(0)});
            RocmRank* const rank =
                rows_.begin_thread_row(row, process(pid.value_or(0)), {start, end}, row.integer(3).value_or(0));
            if (rank == nullptr) return;
            const auto name_id = row.integer(5), domain_id = row.integer(7);
            const std::string_view name = name_id ? strings_.find(*name_id) : std::string_view();
            const std::string_view domain = domain_id ? strings_.find(*domain_id) : std::string_view();
            const std::string text = argument_text(row.integer(6));
            const bool is_mark = name == "UserMarker" || domain == "roctx" || domain == "nvtx";
            if (is_mark || (domain_id && domain != "hip" && domain != "hsa" && domain != "rccl" && !domain.empty()))
                fill_mark(is_mark && !text.empty() ? std::string_view(text) : name, domain, start == end,
                          operators_.find(row.integer(4).value_or(row.id())));
            else
                fill_call(name, row.integer(4).value_or(row.id()));
            if (!is_mark && !text.empty()) rows_.arguments.add("arguments", text);
            rows_.finish_row(*rank, row);
        });
    }

    // Ranges of roctx, of PyTorch's emit_nvtx, and of programs that log by themselves. `stated`: facts that
    // rpdTracer's own script took out of the names of PyTorch's operators, or null.
    void fill_mark(std::string_view text, std::string_view domain, bool is_instant, const SqliteRows* stated) {
        const NvtxName split = split_nvtx_name(text);
        rows_.event.name = split.name.empty() ? std::string_view("range without a name") : split.name;
        const bool is_torch = domain == "torch" && split.name.find("::") != std::string_view::npos;
        rows_.event.category = split.is_operator || stated != nullptr || is_torch ? "cpu_op" : "user_annotation";
        const std::optional<std::int64_t> sequence = stated != nullptr ? stated->integer(0) : split.sequence;
        if (sequence)
            rows_.arguments.add("Sequence number", Arg::SequenceNumber, std::max<std::int64_t>(*sequence, -1));
        std::string_view sizes = split.sizes;
        if (stated != nullptr)
            if (const auto column = stated->text(1)) sizes = rows_.repaired(*column, scratch_);
        if (!sizes.empty()) {
            rows_.arguments.add("Input Dims", sizes);
            std::string compact;
            std::ranges::copy_if(sizes, std::back_inserter(compact), [](char c) { return c != ' '; });
            rows_.arguments.add_column(Arg::InputDims, compact);
        }
        if (!domain.empty()) rows_.arguments.add("domain", domain);
        if (is_instant) rows_.event.phase = Phase::Instant;
    }

    void fill_call(std::string_view name, std::int64_t id) {
        rows_.event.name = name.empty() ? std::string_view("call without a name") : name;
        const bool is_hsa = name.starts_with("hsa_");
        const bool is_runtime = name.starts_with("hip") || name.starts_with("cu");
        rows_.event.category = is_hsa                     ? "hsa_runtime"
                               : is_runtime               ? "hip_runtime"
                               : name.starts_with("nccl") ? "user_annotation"
                                                          : "host_region";
        rows_.arguments.add("correlation", Arg::Correlation, id);
    }

    // A sample holds from its start to its end; the end of the last one of a series is a point of its own.
    bool read_samples() {
        constexpr std::string_view kColumns[] = {"deviceType", "deviceId", "monitorType", "start", "end", "value"};
        const bool whole = rows_.each("rocpd_monitor", kColumns, [&](const SqliteRows& row) {
            const auto device = row.integer(1), start = row.integer(3);
            const auto kind = row.text(2);
            const auto value = parse_value(row, 5);
            if (!device || !start || !kind || !value || std::abs(*start) > kLongestTime)
                return rows_.drop("event-malformed", row, "no usable device, time or value");
            std::string name(rows_.repaired(*kind, scratch_));
            if (const auto type = row.text(0); type && *type != "gpu")
                name = std::string(rows_.repaired(*type, scratch_)) + " " + name;
            add_sample(*device, name, *start, *value);
            const std::int64_t end = row.integer(4).value_or(0);
            if (last_.size() < kMostSeries || last_.contains({*device, name}))
                last_[{*device, name}] = {.time_ns = std::min(end, kLongestTime), .value = *value};
        });
        for (const auto& [series, last] : last_)
            if (last.time_ns > 0) add_sample(series.first, series.second, last.time_ns, last.value);
        return whole;
    }

    void add_sample(std::int64_t device, std::string_view name, std::int64_t time_ns, double value) {
        rows_.add_sample(node_of(device, gpu_stride_), device_of(device), name, time_ns, value);
    }

    struct Owner {
        std::int64_t pid;
        bool is_only = true;
    };
    struct Last {
        std::int64_t time_ns = 0;
        double value = 0;
    };
    static constexpr std::int64_t kNoProcess = -1;

    RocmRows& rows_;
    SqliteTexts strings_;
    SqliteLookup texts_, call_of_op_, calls_, kernels_, copies_, operators_;
    std::unordered_map<std::int64_t, Owner> owners_;  // by GPU
    std::int64_t gpu_stride_ = std::numeric_limits<std::int64_t>::max(), pid_stride_ = gpu_stride_;
    std::optional<std::int64_t> only_pid_;
    bool is_one_process_ = true;
    std::unordered_map<std::int64_t, std::string> recent_texts_;  // of calls, by number
    std::map<std::pair<std::int64_t, std::string>, Last> last_;
    std::string scratch_;
};

}  // namespace

bool read_rpd(RocmRows& rows) { return RpdReader(rows).read(); }

}  // namespace core
