#pragma once
// Dumps of the flight recorder in one line per entry, as JSON values; pickled() and dump() make files of them.

#include "tests/core/ingest/pickle/pickle_writer.hpp"

#include <string>
#include <vector>

namespace core::testing {

inline constexpr std::int64_t kFlightBegin = 1'700'000'000'000'000'000;

struct FlightCall {
    std::string group = "0";
    std::int64_t number = 1;
    std::string state = "scheduled";
    std::int64_t at = 0;  // ns after kFlightBegin
    std::string operation = "nccl:all_reduce";
    std::int64_t elements = 16;
    std::string dtype = "Float";
    bool is_peer_to_peer = false;
};

class FlightFixture {
public:
    FlightFixture& group(const std::string& name, const std::string& ranks, const std::string& description = "") {
        groups_[name] = {
            {"name", name}, {"desc", description.empty() ? "group_" + name : description}, {"ranks", ranks}};
        return *this;
    }
    FlightFixture& call(const FlightCall& call) {
        nlohmann::json entry = {{"record_id", records_++},
                                {"pg_id", 7},
                                {"process_group", {call.group, "group_" + call.group}},
                                {"collective_seq_id", call.is_peer_to_peer ? 0 : call.number},
                                {"p2p_seq_id", call.is_peer_to_peer ? call.number : 0},
                                {"op_id", call.number},
                                {"profiling_name", call.operation},
                                {"time_created_ns", kFlightBegin + call.at},
                                {"input_sizes", {{call.elements}}},
                                {"input_dtypes", {call.dtype}},
                                {"output_sizes", {{call.elements}}},
                                {"output_dtypes", {call.dtype}},
                                {"state", call.state},
                                {"time_discovered_started_ns", nullptr},
                                {"time_discovered_completed_ns", nullptr},
                                {"retired", call.state == "completed"},
                                {"timeout_ms", 600000},
                                {"is_p2p", call.is_peer_to_peer},
                                {"frames",
                                 {{{"name", "step"}, {"filename", "/job/train.py"}, {"line", 40 + call.number}},
                                  {{"name", "main"}, {"filename", "/job/train.py"}, {"line", 9}}}}};
        if (call.state == "completed") entry["time_discovered_completed_ns"] = kFlightBegin + call.at + 50;
        if (call.state != "scheduled") entry["time_discovered_started_ns"] = kFlightBegin + call.at + 10;
        entries_.push_back(std::move(entry));
        return *this;
    }
    // The first record that the ring still has.
    FlightFixture& first_record(std::int64_t record) {
        records_ = record;
        return *this;
    }
    nlohmann::json build() const {
        return {
            {"version", "2.10"},
            {"pg_config", groups_},
            {"pg_status",
             {{"7",
               {{"last_enqueued_collective", 3}, {"last_started_collective", -1}, {"last_completed_collective", 2}}}}},
            {"comm_lib_version", "2.27.3"},
            {"entries", entries_}};
    }

private:
    nlohmann::json groups_ = nlohmann::json::object();
    nlohmann::json entries_ = nlohmann::json::array();
    std::int64_t records_ = 0;
};

}  // namespace core::testing
