#pragma once
// Writes small XPlane files for tests.

#include "tests/core/ingest/perfetto/perfetto_writer.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace core::testing {

// Numbers of arguments in every plane that x_plane() makes.
enum XStatKey : std::uint64_t {
    kCorrelationStat = 1,
    kKernelStat,
    kCopyStat,
    kOperationStat,
    kStepStat,
    kCoresStat,
    kStartStat
};

inline std::string x_entry(std::uint32_t field, std::uint64_t key, std::string_view message) {
    return bytes(field, number(1, key) + bytes(2, number(1, key) + std::string(message)));
}
inline std::string x_stat_names() {
    constexpr std::string_view kNames[] = {"correlation_id", "kernel_details", "memcpy_details",    "hlo_op",
                                           "step_num",       "core_count",     "profile_start_time"};
    std::string names = x_entry(5, 100, bytes(2, "all-reduce.7"));
    std::uint64_t key = kCorrelationStat;
    for (const std::string_view name : kNames) names += x_entry(5, key++, bytes(2, name));
    return names;
}
inline std::string x_number(std::uint64_t key, std::uint64_t value) {
    return bytes(4, number(1, key) + number(3, value));
}
inline std::string x_text(std::uint64_t key, std::string_view value) {
    return bytes(4, number(1, key) + bytes(5, value));
}
inline std::string x_reference(std::uint64_t key, std::uint64_t to) { return bytes(4, number(1, key) + number(7, to)); }

inline std::string x_event(std::uint64_t name, std::uint64_t offset_ps, std::uint64_t duration_ps,
                           std::string_view stats = {}) {
    return bytes(4, number(1, name) + number(2, offset_ps) + number(3, duration_ps) + std::string(stats));
}
inline std::string x_line(std::uint64_t id, std::string_view name, std::uint64_t start_ns, std::string_view events) {
    return bytes(3, number(1, id) + bytes(2, name) + number(3, start_ns) + std::string(events));
}
// Names of events count from 1. They stand behind the lines, as profilers write them.
inline std::string x_plane(std::string_view name, std::string_view lines, const std::vector<std::string>& names,
                           std::string_view more = {}) {
    std::string plane = bytes(2, name) + std::string(lines);
    for (std::size_t i = 0; i < names.size(); ++i) plane += x_entry(4, i + 1, bytes(2, names[i]));
    return bytes(1, plane + x_stat_names() + std::string(more));
}

}  // namespace core::testing
