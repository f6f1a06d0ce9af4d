#include "core/analysis/telemetry/rank_samples.hpp"
#include "core/base/format.hpp"
#include "core/doctor/examine_run.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace core::doctor {
namespace {

struct FateRule {
    LogFate fate;
    std::string_view id;
    std::string_view said;  // behind "1 log of GPUs "
};

constexpr FateRule kFateRules[] = {
    {LogFate::OtherTime, "telemetry-other-time", "covers another time than the traces"},
    {LogFate::OtherDevice, "telemetry-other-device", "is of GPUs that the run does not use"},
    {LogFate::NoTime, "telemetry-no-time", "has no time in its lines"},
    {LogFate::NoHeader, "telemetry-no-header", "has no names of columns"},
    {LogFate::ZoneUndecided, "telemetry-zone-undecided", "has local times that fit several zones"},
    {LogFate::Unmapped, "telemetry-unmapped", "does not say which GPU is which rank"},
};

void report_logs(FindingSink& sink, const std::vector<const JoinedLog*>& logs, std::string_view id,
                 std::string_view said, std::string example) {
    if (logs.empty()) return;
    std::string text = format_plural(logs.size(), "log of GPUs ", "logs of GPUs: each ") + std::string(said);
    sink.add(id, logs.size(), std::move(text)).example.text = std::move(example);
}

}  // namespace

void check_telemetry(FindingSink& sink) {
    if (!may_have_telemetry(sink.run)) return;
    const std::shared_ptr<const Telemetry> telemetry = telemetry_of(sink.run);
    for (const FateRule& rule : kFateRules) {
        std::vector<const JoinedLog*> logs;
        for (const JoinedLog& log : telemetry->logs)
            if (log.fate == rule.fate) logs.push_back(&log);
        report_logs(sink, logs, rule.id, rule.said, logs.empty() ? "" : logs.front()->file + ": " + logs.front()->why);
    }
    std::vector<const JoinedLog*> zones;
    for (const JoinedLog& log : telemetry->logs)
        if (log.fate == LogFate::Used && log.is_zone_found && log.utc_offset != 0) zones.push_back(&log);
    if (!zones.empty())
        report_logs(sink, zones, "telemetry-zone-guessed", "was read as local time",
                    zones.front()->file + ": read as " + format_utc_offset(zones.front()->utc_offset));
}

}  // namespace core::doctor
