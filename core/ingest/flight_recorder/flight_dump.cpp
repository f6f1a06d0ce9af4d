#include "core/ingest/flight_recorder/flight_dump.hpp"

#include "core/base/ascii.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

namespace core {
namespace {

constexpr std::size_t kMostMembers = 1 << 20;
constexpr std::int64_t kLatestTime = 4'000'000'000'000'000'000;  // in 2096; differences stay far from 64 bits

// "[0, 1]" → 0, 1; empty for anything else.
std::vector<std::int32_t> parse_ranks(std::string_view text) {
    std::vector<std::int32_t> ranks;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at != end) {
        if (!is_digit(*at)) {
            if (std::string_view("[], ").find(*at) == std::string_view::npos) return {};
            ++at;
            continue;
        }
        std::int32_t rank = 0;
        const auto [behind, error] = std::from_chars(at, end, rank);
        if (error != std::errc{} || ranks.size() == kMostMembers) return {};
        ranks.push_back(rank);
        at = behind;
    }
    return ranks;
}

std::optional<CallState> parse_state(std::string_view text) {
    if (text == "completed") return CallState::Completed;
    if (text == "started") return CallState::Started;
    if (text == "scheduled") return CallState::Scheduled;
    return std::nullopt;
}

class DumpReader {
public:
    explicit DumpReader(FlightDump& dump) : dump_(dump), tree_(dump.tree) {}

    void read(ValueId entries) {
        const ValueId root = tree_.root();
        dump_.version = text_of(root, "version");
        dump_.library_version = text_of(root, "comm_lib_version");
        if (dump_.library_version.empty()) dump_.library_version = text_of(root, "nccl_version");
        if (const auto groups = tree_.find(root, "pg_config")) read_groups(*groups);
        if (const auto status = tree_.find(root, "pg_status")) dump_.status_json = to_json(tree_, *status);
        std::size_t position = 0;
        for (const ValueId entry : tree_.items(entries)) read_entry(entry, position++);
    }

private:
    std::string text_of(ValueId dictionary, std::string_view key) const {
        const auto value = tree_.find(dictionary, key);
        return value ? std::string(tree_.text(*value).value_or("")) : std::string();
    }
    std::string_view view_of(ValueId dictionary, std::string_view key) const {
        const auto value = tree_.find(dictionary, key);
        return value ? tree_.text(*value).value_or(std::string_view()) : std::string_view();
    }
    std::optional<std::int64_t> integer_of(ValueId dictionary, std::string_view key) const {
        const auto value = tree_.find(dictionary, key);
        return value ? tree_.integer(*value) : std::nullopt;
    }
    // Times: null in pickles and 0 in JSON mean that it has not happened.
    std::optional<std::int64_t> time_of(ValueId dictionary, std::string_view key) const {
        const std::optional<std::int64_t> time = integer_of(dictionary, key);
        return time && *time > 0 && *time <= kLatestTime ? time : std::nullopt;
    }

    void read_groups(ValueId groups) {
        const std::span<const ValueId> pairs = tree_.items(groups);
        if (tree_.kind(groups) != ValueKind::Dictionary) return;
        for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
            const ValueId config = pairs[i + 1];
            FlightGroup group;
            group.name = tree_.text(pairs[i]).value_or(view_of(config, "name"));
            group.description = view_of(config, "desc");
            group.ranks_text = view_of(config, "ranks");
            group.ranks = parse_ranks(group.ranks_text);
            dump_.groups.push_back(std::move(group));
        }
    }

    void drop(std::size_t position, std::string_view why) {
        ++dump_.dropped;
        dump_.before_dropped = dump_.entries.size();
        const bool first = dump_.diagnostics.is_first("event-malformed");
        dump_.diagnostics.add("event-malformed",
                              first ? "entry " + std::to_string(position) + ": " + std::string(why) : "");
    }

    void read_entry(ValueId value, std::size_t position) {
        if (tree_.kind(value) != ValueKind::Dictionary) return drop(position, "not a dictionary");
        FlightEntry entry;
        entry.value = value;
        const std::optional<std::int64_t> created = time_of(value, "time_created_ns");
        if (!created) return drop(position, "no time_created_ns");
        const std::optional<CallState> state = parse_state(view_of(value, "state"));
        if (!state) return drop(position, "no state that is known");
        entry.created_ns = *created;
        entry.state = *state;
        entry.record = integer_of(value, "record_id");
        entry.group_id = integer_of(value, "pg_id");
        read_group(value, entry);
        if (entry.group.empty()) return drop(position, "no process group");
        read_numbers(value, entry);
        entry.operation = view_of(value, "profiling_name");
        entry.thread = view_of(value, "thread_name");
        entry.started_ns = time_of(value, "time_discovered_started_ns");
        entry.completed_ns = time_of(value, "time_discovered_completed_ns");
        entry.in_elements = count_elements(value, "input_sizes");
        entry.out_elements = count_elements(value, "output_sizes");
        entry.dtypes = list_dtypes(value);
        dump_.last_ns =
            std::max({dump_.last_ns, entry.created_ns, entry.started_ns.value_or(0), entry.completed_ns.value_or(0)});
        if (entry.record && (!dump_.first_record || *entry.record < *dump_.first_record))
            dump_.first_record = entry.record;
        dump_.entries.push_back(std::move(entry));
    }

    // [name, description]; before version 2.1 only the number of the group.
    void read_group(ValueId value, FlightEntry& entry) {
        if (const auto group = tree_.find(value, "process_group")) {
            const std::span<const ValueId> parts = tree_.items(*group);
            if (!parts.empty()) entry.group = tree_.text(parts[0]).value_or(std::string_view());
            if (parts.size() > 1) entry.description = tree_.text(parts[1]).value_or(std::string_view());
            if (parts.empty()) entry.group = tree_.text(*group).value_or(std::string_view());
        }
        if (!entry.group.empty() || !entry.group_id) return;
        const std::string name = "pg_id " + std::to_string(*entry.group_id);
        const auto known = std::ranges::find(dump_.made_names, name);
        entry.group = known != dump_.made_names.end() ? *known : dump_.made_names.emplace_back(name);
    }

    void read_numbers(ValueId value, FlightEntry& entry) {
        entry.collective_number = integer_of(value, "collective_seq_id");
        if (!entry.collective_number) entry.collective_number = integer_of(value, "seq_id");
        entry.peer_number = integer_of(value, "p2p_seq_id");
        const auto is_peer = tree_.find(value, "is_p2p");
        if (is_peer) entry.is_peer_to_peer = tree_.boolean(*is_peer).value_or(false);
    }

    // The elements of all tensors; absent if a size is not a list of counts.
    std::optional<std::int64_t> count_elements(ValueId value, std::string_view key) const {
        const auto sizes = tree_.find(value, key);
        if (!sizes || (tree_.kind(*sizes) != ValueKind::List && tree_.kind(*sizes) != ValueKind::Tuple))
            return std::nullopt;
        std::int64_t sum = 0;
        for (const ValueId tensor : tree_.items(*sizes)) {
            std::int64_t elements = 1;
            for (const ValueId size : tree_.items(tensor)) {
                const std::optional<std::int64_t> count = tree_.integer(size);
                if (!count || *count < 0 || __builtin_mul_overflow(elements, *count, &elements)) return std::nullopt;
            }
            if (__builtin_add_overflow(sum, elements, &sum)) return std::nullopt;
        }
        return sum;
    }

    std::string list_dtypes(ValueId value) const {
        const auto dtypes = tree_.find(value, "input_dtypes");
        if (!dtypes) return {};
        std::vector<std::string_view> seen;
        constexpr std::size_t kMostTypes = 8;
        std::string all;
        for (const ValueId dtype : tree_.items(*dtypes)) {
            const std::optional<std::string_view> name = tree_.text(dtype);
            if (!name || seen.size() == kMostTypes || std::ranges::find(seen, *name) != seen.end()) continue;
            seen.push_back(*name);
            all.append(all.empty() ? "" : ", ").append(*name);
        }
        return all;
    }

    FlightDump& dump_;
    const ValueTree& tree_;
};

}  // namespace

Result<FlightDump> read_flight_dump(ValueTree tree) {
    const std::optional<ValueId> entries = tree.find(tree.root(), "entries");
    if (!entries || (tree.kind(*entries) != ValueKind::List && tree.kind(*entries) != ValueKind::Tuple))
        return bad_input("no list of \"entries\": not a complete flight-recorder dump");
    FlightDump dump;
    dump.tree = std::move(tree);
    DumpReader(dump).read(*entries);
    return dump;
}

}  // namespace core
