// NVTX ranges and marks of an export, with the operators and NCCL calls in them.

#include "core/ingest/nsys/nccl_payload.hpp"
#include "core/ingest/nsys/nsys_rows.hpp"
#include "core/ingest/nsys/nvtx_names.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace core {
namespace {

enum NvtxType : std::int64_t {
    kCategoryName = 33,
    kMark = 34,
    kThreadName = 39,
    kPushPop = 59,
    kStartEnd = 60,
    kDomain = 75,
};

class NvtxReader {
public:
    explicit NvtxReader(NsysRows& rows) : rows_(rows) {}

    bool read() {
        payloads_ = read_nccl_schemas(rows_.database());
        constexpr std::string_view kColumns[] = {
            "start",       "end",         "globalTid",  "eventType",    "text",        "textId",
            "rangeId",     "domainId",    "category",   "endGlobalTid", "uint64Value", "int64Value",
            "doubleValue", "uint32Value", "int32Value", "floatValue",   "jsonText",    "binaryData"};
        return rows_.each("NVTX_EVENTS", kColumns, [&](const SqliteRows& row) { read_nvtx_row(row); });
    }


private:
    std::string_view nvtx_text(const SqliteRows& row) {
        if (const auto text = row.text(4); text && !text->empty()) return rows_.database().repaired(*text, scratch_);
        const auto id = row.integer(5);
        return id ? rows_.database().text(*id) : std::string_view();
    }

    void read_nvtx_row(const SqliteRows& row) {
        const std::int64_t type = row.integer(3).value_or(0);
        if (type == kDomain || type == kCategoryName || type == kThreadName) return read_nvtx_name(row, type);
        if (type != kPushPop && type != kStartEnd && type != kMark) {
            if (NsysRank* const rank = rows_.find_rank(process_of(row.integer(2).value_or(0)), false))
                rank->stage.drop("object-event", rows_.place(row) + ": NVTX event of type " + std::to_string(type));
            return;
        }
        NsysRank* const rank = rows_.begin_thread_row(row, true);
        if (rank == nullptr) return;
        const std::string_view text = nvtx_text(row);
        const NvtxName split = split_nvtx_name(text);
        rows_.event.name = split.name.empty() ? std::string_view("NVTX range without a name") : split.name;
        rows_.event.category = split.is_operator ? "cpu_op" : "user_annotation";
        add_operator(split);
        add_nvtx_extras(row);
        add_payload(row, *rank);
        const bool open = row.is_null(1);
        if (type == kMark) {
            rows_.event.category = "nvtx_mark";
            rows_.event.phase = Phase::Instant;
            rows_.event.duration_ns = 0;
        } else if (type == kStartEnd) {
            return finish_range(*rank, row, open);
        } else if (open) {
            rows_.event.phase = Phase::Begin;
        }
        rows_.finish_row(*rank, row);
    }

    // Start/end ranges may overlap on a thread: asynchronous, matched by row.
    void finish_range(NsysRank& rank, const SqliteRows& row, bool open) {
        const std::string id = std::to_string(row.id());
        rows_.event.id = id;
        rows_.event.phase = Phase::AsyncBegin;
        const std::int64_t duration_ns = std::exchange(rows_.event.duration_ns, 0);
        rows_.finish_row(rank, row);
        if (open) return;
        rows_.arguments.clear();
        rows_.event.start_ns = NsysRows::clamp_time(rows_.event.start_ns + duration_ns);
        rows_.event.phase = Phase::AsyncEnd;
        rank.stage.add(rows_.event, rows_.arguments);
    }

    void add_operator(const NvtxName& split) {
        if (split.sequence)
            rows_.arguments.add("Sequence number", Arg::SequenceNumber, std::max<std::int64_t>(*split.sequence, -1));
        if (split.op_id) rows_.arguments.add("op_id", *split.op_id);
        if (split.sizes.empty()) return;
        rows_.arguments.add("Input Dims", split.sizes);
        std::string compact;
        std::ranges::copy_if(split.sizes, std::back_inserter(compact), [](char c) { return c != ' '; });
        rows_.arguments.add_column(Arg::InputDims, compact);
    }

    void add_nvtx_extras(const SqliteRows& row) {
        const std::int64_t process = process_of(row.integer(2).value_or(0));
        if (const auto domain = row.integer(7); domain && *domain != 0) {
            const auto name = nvtx_domains_.find({process, *domain});
            if (name != nvtx_domains_.end())
                rows_.arguments.add("domain", name->second);
            else
                rows_.arguments.add("domain", *domain);
        }
        if (const auto category = row.integer(8); category && *category != 0)
            rows_.arguments.add("category", *category);
        for (const std::size_t column : {10U, 11U, 13U, 14U})
            if (const auto value = row.integer(column)) rows_.arguments.add("payload", *value);
        for (const std::size_t column : {12U, 15U})
            if (const auto value = row.number(column)) rows_.arguments.add("payload", std::to_string(*value));
        if (const auto json = row.text(16); json && !json->empty())
            rows_.arguments.add("payload", rows_.database().repaired(*json, payload_scratch_));
    }

    void read_nvtx_name(const SqliteRows& row, std::int64_t type) {
        const auto global = row.integer(2);
        const std::int64_t process = global ? process_of(*global) : kAnyProcess;
        const std::string_view text = nvtx_text(row);
        constexpr std::size_t kMostDomains = 10'000;
        if (type == kDomain && row.integer(7) && nvtx_domains_.size() < kMostDomains)
            nvtx_domains_[{process, *row.integer(7)}] = text;
        if (type == kThreadName && global && rows_.thread_names.size() < kMostDomains)
            rows_.thread_names.try_emplace({process, thread_of(*global)}, text);
    }

    void add_payload(const SqliteRows& row, NsysRank& rank) {
        if (payloads_.empty() || !rows_.event.name.starts_with("nccl")) return;
        std::optional<NcclPayload> payload;
        if (const auto blob = row.bytes(17); blob && !blob->empty()) payload = payloads_.decode(*blob);
        nccl_groups_[row.integer(2).value_or(0)].add(rows_.event.start_ns, rows_.event.name, payload);
        if (!payload) return;
        if (payload->rank && payload->ranks && rows_.event.name.starts_with("ncclCommInit") &&
            (!rank.nccl_size || *rank.nccl_size < *payload->ranks)) {
            rank.nccl_size = static_cast<int>(*payload->ranks);
            rank.nccl_rank = static_cast<int>(*payload->rank);
        }
        add_nccl_facts(*payload, rows_.event.name, rank.nccl_size, rows_.arguments);
    }

    NsysRows& rows_;
    NcclSchemas payloads_;
    std::map<std::pair<std::int64_t, std::int64_t>, std::string> nvtx_domains_;  // by process and number
    std::map<std::int64_t, NcclGroups> nccl_groups_;  // by global thread
    std::string scratch_, payload_scratch_;
};

}  // namespace

bool read_nsys_nvtx(NsysRows& rows) { return NvtxReader(rows).read(); }

}  // namespace core
