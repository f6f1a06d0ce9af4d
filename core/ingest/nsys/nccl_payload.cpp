#include "core/ingest/nsys/nccl_payload.hpp"

#include "core/base/ascii.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace core {
namespace {

constexpr std::size_t kHeaderBytes = 32;
constexpr std::size_t kMostHexBytes = 4096;
constexpr std::size_t kMostLayouts = 10'000;
constexpr std::int64_t kMostFields = 64;

// Sizes of NVTX's integer types by number; 0: not an integer.
struct IntegerType {
    std::uint8_t bytes = 0;
    bool is_signed = false;
};
IntegerType integer_type(std::int64_t type) {
    constexpr IntegerType kTypes[] = {{},         {1, true}, {1, false}, {2, true}, {2, false}, {4, true},
                                      {4, false}, {8, true}, {8, false}, {8, true}, {8, false}, {1, true},
                                      {1, false}, {2, true}, {2, false}, {4, true}, {4, false}, {8, true},
                                      {8, false}, {},        {},         {},        {8, false}};
    return type > 0 && type < std::ssize(kTypes) ? kTypes[type] : IntegerType{};
}

std::uint64_t little_endian(std::string_view bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i > 0; --i) value = value << 8 | static_cast<unsigned char>(bytes[i - 1]);
    return value;
}

std::optional<std::uint64_t> read_integer(std::string_view values, const NcclSchemas::Field& field) {
    const IntegerType type = integer_type(field.type);
    if (type.bytes == 0 || field.offset > values.size() || values.size() - field.offset < type.bytes)
        return std::nullopt;
    const std::uint64_t raw = little_endian(values.substr(field.offset, type.bytes));
    const unsigned shift = 64U - 8U * type.bytes;
    return type.is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(raw << shift) >> shift) : raw;
}

int hex_digit(char c) {
    if (is_digit(c)) return c - '0';
    const char lower = lower_ascii(c);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Bytes of hexadecimal text; empty if it is none.
std::string from_hex(std::string_view text) {
    if (text.starts_with("0x")) text.remove_prefix(2);
    if (text.size() % 2 != 0 || text.size() < 2 * kHeaderBytes || text.size() > 2 * kMostHexBytes) return {};
    std::string bytes;
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const int high = hex_digit(text[i]), low = hex_digit(text[i + 1]);
        if (high < 0 || low < 0) return {};
        bytes += static_cast<char>(high * 16 + low);
    }
    return bytes;
}

void set_field(NcclPayload& payload, std::string_view name, std::uint64_t value) {
    const auto number = static_cast<std::int64_t>(value);
    if (name == "NCCL communicator ID") payload.communicator = value;
    if (name == "Parent NCCL communicator ID") payload.parent = value;
    constexpr std::int64_t kMost = 10'000'000;
    const bool small = number >= 0 && number <= kMost;
    if (name == "Message size [bytes]" && number >= 0) payload.bytes = number;
    if (name == "No. of ranks" && small) payload.ranks = number;
    if (name == "Rank" && small) payload.rank = number;
    if (name == "CUDA device" && small) payload.device = number;
    if (name == "Root" && small) payload.root = number;
    if (name == "Peer rank" && small) payload.peer = number;
}

}  // namespace

void NcclSchemas::add(Key key, std::int64_t index, const Field& field) {
    if (index < 0 || index >= kMostFields || (fields_.size() >= kMostLayouts && !fields_.contains(key))) return;
    fields_[key].try_emplace(index, field);
}

std::optional<NcclPayload> NcclSchemas::decode(std::string_view blob) const {
    const std::string bytes = from_hex(blob);
    if (!bytes.empty()) blob = bytes;
    if (blob.size() < kHeaderBytes) return std::nullopt;
    const auto domain = static_cast<std::int64_t>(little_endian(blob.substr(0, 8)));
    const auto schema = static_cast<std::int64_t>(little_endian(blob.substr(8, 8)));
    const std::uint64_t size = little_endian(blob.substr(16, 8));
    const std::uint64_t stated = little_endian(blob.substr(24, 8));
    const auto layout = fields_.find({domain, schema});
    if (layout == fields_.end()) return std::nullopt;
    const std::size_t begin = stated >= kHeaderBytes && stated <= blob.size() ? stated : kHeaderBytes;
    const std::string_view values = blob.substr(begin, std::min<std::uint64_t>(size, blob.size() - begin));
    NcclPayload payload;
    for (const auto& [index, field] : layout->second)
        if (const std::optional<std::uint64_t> value = read_integer(values, field))
            set_field(payload, field.name, *value);
    return payload;
}

NcclSchemas read_nccl_schemas(NsysDatabase& database) {
    NcclSchemas schemas;
    if (!database.has_column("NVTX_EVENTS", "binaryData")) return schemas;
    constexpr std::string_view kColumns[] = {"domainId", "schemaId", "idx", "type", "name", "offset"};
    for (const std::string_view table : {"NVTX_PAYLOAD_SCHEMA_ENTRIES", "NVTX_PAYLOAD_ENTRIES"}) {
        database.visit(table, kColumns, [&](const SqliteRows& row) {
            const auto domain = row.integer(0), schema = row.integer(1), index = row.integer(2), type = row.integer(3);
            const std::int64_t offset = row.integer(5).value_or(0);  // not stated for the first
            const auto name = row.text(4);
            if (domain && schema && index && type && name && offset >= 0)
                schemas.add({*domain, *schema}, *index,
                            {.name = std::string(*name), .type = *type, .offset = static_cast<std::size_t>(offset)});
            return true;
        });
    }
    return schemas;
}

void add_nccl_facts(const NcclPayload& payload, std::string_view call, std::optional<std::int64_t> world,
                    RowArguments& to) {
    if (!call.starts_with("nccl")) return;
    if (payload.communicator) {
        // The same number on all its ranks.
        const std::string name = std::to_string(*payload.communicator);
        to.add("communicator", name);
        to.add_column(Arg::GroupName, name);
    }
    if (payload.bytes) to.add("bytes", Arg::Bytes, *payload.bytes);
    if (payload.ranks) to.add("ranks", Arg::GroupSize, *payload.ranks);
    if (payload.rank) to.add("rank", *payload.rank);
    if (payload.root) to.add("root", *payload.root);
    if (!payload.peer) return;
    // A rank of the communicator, which is that of the job in the largest one only.
    const Arg peer = call.starts_with("ncclSend") ? Arg::DestinationRank : Arg::SourceRank;
    if (payload.ranks && payload.ranks == world)
        to.add("peer", peer, *payload.peer);
    else
        to.add("peer", *payload.peer);
}

void NcclGroups::add(std::int64_t start_ns, std::string_view call, std::optional<NcclPayload>& payload) {
    if (start_ns < last_start_ns_) is_sorted_ = false;
    last_start_ns_ = start_ns;
    if (payload && payload->communicator) {
        if (payload->ranks && ranks_.size() < kMostLayouts) ranks_.try_emplace(*payload->communicator, *payload->ranks);
        const auto known = ranks_.find(*payload->communicator);
        if (!payload->ranks && known != ranks_.end()) payload->ranks = known->second;
    }
    if (call == "ncclGroupStart" && depth_++ == 0) pending_.clear();
    if (call == "ncclGroupEnd" && depth_ > 0 && --depth_ == 0) payload = combined();
    if (depth_ > 0 && payload && !call.starts_with("ncclGroup")) pending_.push_back({std::string(call), *payload});
}

// Facts common to all calls of the group, because the group's end launches their kernels. Sizes of one operation add
// up.
std::optional<NcclPayload> NcclGroups::combined() {
    std::optional<NcclPayload> all;
    const std::vector<Pending> pending = std::exchange(pending_, {});
    if (!is_sorted_ || pending.empty()) return all;
    for (const Pending& one : pending) {
        if (!all) {
            all = one.payload;
            continue;
        }
        if (all->communicator != one.payload.communicator) return std::nullopt;
        const bool same = one.call == pending.front().call && all->bytes && one.payload.bytes;
        std::int64_t bytes = 0;
        if (same && !__builtin_add_overflow(*all->bytes, *one.payload.bytes, &bytes))
            all->bytes = bytes;
        else
            all->bytes.reset();
        all->peer.reset();
        all->root.reset();
    }
    all->rank.reset();
    return all;
}

}  // namespace core
