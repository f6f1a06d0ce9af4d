#pragma once
// Names of what a flight-recorder dump becomes in a trace, for those who read it there.

#include "core/store/rank_trace.hpp"

#include <string_view>

namespace core {

inline constexpr std::string_view kFlightRecorderTrace = "PyTorch flight recorder";  // RankInfo::trace_name
// Categories of entries by state; those that aren't completed last to the end of the dump.
inline constexpr std::string_view kFlightCompleted = "flight_recorder";
inline constexpr std::string_view kFlightStarted = "flight_recorder_started";
inline constexpr std::string_view kFlightScheduled = "flight_recorder_scheduled";
// Keys of RankInfo::environment.
inline constexpr std::string_view kFlightVersion = "flight_recorder_version";
inline constexpr std::string_view kFlightFirstRecord = "flight_recorder_first_record";  // 0: nothing was overwritten
inline constexpr std::string_view kFlightUnread = "flight_recorder_unread";  // entries read before the last unreadable

inline bool is_flight_dump(const RankInfo& info) { return info.trace_name == kFlightRecorderTrace; }

}  // namespace core
