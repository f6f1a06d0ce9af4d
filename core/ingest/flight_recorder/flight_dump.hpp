#pragma once
// One dump of PyTorch's flight recorder as plain data, of every version from 2.0 on, pickled or JSON. What a version
// doesn't write is absent. Values of the wrong kind are absent too, and counted; an entry without a group or a time of
// creation is dropped.

#include "core/base/diagnostics.hpp"
#include "core/base/result.hpp"
#include "core/ingest/pickle/value_tree.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

enum class CallState : std::uint8_t { Scheduled, Started, Completed };

struct FlightEntry {
    ValueId value{};  // in the tree, for the text of its arguments
    std::string_view group, description;
    std::string_view operation;  // "nccl:all_reduce", as written
    std::string_view thread;
    CallState state = CallState::Scheduled;
    std::optional<std::int64_t> record, group_id, collective_number, peer_number;
    bool is_peer_to_peer = false;
    std::int64_t created_ns = 0;
    std::optional<std::int64_t> started_ns, completed_ns;
    std::optional<std::int64_t> in_elements, out_elements;
    std::string dtypes;  // each once, in order: "BFloat16", "Float, Long"
    // The number that counts the calls of its kind in the group: equal for the parts of one coalesced call.
    std::optional<std::int64_t> number() const { return is_peer_to_peer ? peer_number : collective_number; }
};

struct FlightGroup {
    std::string_view name, description, ranks_text;
    std::vector<std::int32_t> ranks;  // global, in group order; empty if unreadable
};

struct FlightDump {
    FlightDump() = default;
    FlightDump(FlightDump&&) = default;  // the views below stay valid
    FlightDump& operator=(FlightDump&&) = default;
    FlightDump(const FlightDump&) = delete;
    FlightDump& operator=(const FlightDump&) = delete;
    ~FlightDump() = default;

    ValueTree tree;
    std::deque<std::string> made_names;  // of groups that the dump only numbers
    std::string version, library_version;
    std::vector<FlightGroup> groups;
    std::vector<FlightEntry> entries;  // as written: by record
    std::string status_json;           // pg_status
    std::uint64_t dropped = 0;
    std::size_t before_dropped = 0;    // entries before the last dropped one
    Diagnostics diagnostics;
    std::int64_t last_ns = 0;  // the latest time in the dump; 0 without entries
    std::optional<std::int64_t> first_record;  // smallest record_id: what the ring overwrote before it is lost
};

// Fails if the tree is not a dump. The views point into the dump's own tree.
Result<FlightDump> read_flight_dump(ValueTree tree);

}  // namespace core
