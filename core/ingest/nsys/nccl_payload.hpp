#pragma once
// Payloads that NCCL attaches to its NVTX ranges, if blobs were exported: communicator, ranks, message size. The file
// describes their layouts; fields are found by name.

#include "core/ingest/nsys/nsys_database.hpp"
#include "core/ingest/nsys/rank_stage.hpp"

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace core {

struct NcclPayload {
    std::optional<std::uint64_t> communicator, parent;
    std::optional<std::int64_t> bytes, ranks, rank, device, root, peer;
};

class NcclSchemas {
public:
    struct Field {
        std::string name;
        std::int64_t type = 0;  // NVTX_PAYLOAD_ENTRY_TYPE_…
        std::size_t offset = 0;
    };
    using Key = std::pair<std::int64_t, std::int64_t>;  // domain, schema
    void add(Key key, std::int64_t index, const Field& field);
    bool empty() const { return fields_.empty(); }
    // A header of 32 bytes, then the values; or that as hexadecimal text. Absent: of no known layout, or too short.
    std::optional<NcclPayload> decode(std::string_view blob) const;

private:
    std::map<Key, std::map<std::int64_t, Field>> fields_;  // by index; processes repeat them
};

NcclSchemas read_nccl_schemas(NsysDatabase& database);
// `world`: ranks of the largest communicator.
void add_nccl_facts(const NcclPayload& payload, std::string_view call, std::optional<std::int64_t> world,
                    RowArguments& to);

// The NCCL calls of one thread by start: fills in the ranks of communicators seen before, and gives ncclGroupEnd what
// all calls of its group have in common. Rows out of order: groups say nothing.
class NcclGroups {
public:
    void add(std::int64_t start_ns, std::string_view call, std::optional<NcclPayload>& payload);

private:
    struct Pending {
        std::string call;
        NcclPayload payload;
    };
    std::optional<NcclPayload> combined();

    std::int64_t last_start_ns_ = std::numeric_limits<std::int64_t>::min();
    bool is_sorted_ = true;
    int depth_ = 0;
    std::vector<Pending> pending_;
    std::map<std::uint64_t, std::int64_t> ranks_;  // by communicator
};

}  // namespace core
