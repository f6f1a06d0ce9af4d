// Samples of GPU metrics: clocks, activity and memory traffic as counters of the ranks.

#include "core/ingest/nsys/nsys_rows.hpp"

#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace core {
namespace {

constexpr std::size_t kMostMetrics = 4096;
constexpr std::int64_t kGpuOfType = 0xFF;  // the GPU's number in a type of sample

using MetricNames = std::map<std::pair<std::int64_t, std::int64_t>, std::string>;  // by type and metric

bool read_names(NsysRows& rows, MetricNames& names) {
    constexpr std::string_view kColumns[] = {"typeId", "metricId", "metricName"};
    std::string scratch;
    return rows.each("TARGET_INFO_GPU_METRICS", kColumns, [&](const SqliteRows& row) {
        const auto type = row.integer(0), metric = row.integer(1);
        const auto name = row.text(2);
        if (metric && name && names.size() < kMostMetrics)
            names.try_emplace({type.value_or(0), *metric}, rows.database().repaired(*name, scratch));
    });
}

}  // namespace

bool read_nsys_gpu_metrics(NsysRows& rows) {
    MetricNames names;
    if (!read_names(rows, names)) return false;
    constexpr std::string_view kColumns[] = {"timestamp", "typeId", "metricId", "value"};
    return rows.each("GPU_METRICS", kColumns, [&](const SqliteRows& row) {
        const auto time = row.integer(0), type = row.integer(1), metric = row.integer(2);
        const auto value = row.number(3);
        if (!time || !type || !metric || !value || !std::isfinite(*value)) return rows.skip_gpu_sample(row);
        const auto name = names.find({*type, *metric});
        if (name == names.end()) return rows.skip_gpu_sample(row);
        rows.add_gpu_sample(*type & kGpuOfType, name->second, *time, *value);
    });
}

}  // namespace core
