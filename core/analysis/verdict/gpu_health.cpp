#include "core/analysis/verdict/gpu_health.hpp"

#include "core/analysis/collectives/clock_share.hpp"
#include "core/analysis/telemetry/gpu_state.hpp"
#include "core/base/format.hpp"

#include <algorithm>

namespace core {
namespace {

constexpr std::string_view kNoTelemetry = "no log of GPU clocks, and no counters of them in the traces";

// Without samples: why the logs that there are have none.
std::string explain_unknown(const Telemetry& telemetry) {
    const auto unused = std::ranges::find_if(telemetry.logs, [](const JoinedLog& log) { return !log.why.empty(); });
    return unused == telemetry.logs.end() ? std::string(kNoTelemetry) : unused->file + ": " + unused->why;
}

bool knows_errors(const Telemetry& telemetry) {
    const bool has_log = std::ranges::any_of(telemetry.logs, [](const JoinedLog& log) {
        return log.kind == TelemetryKind::KernelLog && log.fate == LogFate::Used;
    });
    return has_log || std::ranges::any_of(telemetry.ranks, [](const RankSamples& samples) {
               return !samples.of(Metric::EccDouble).empty() || !samples.of(Metric::Xid).empty();
           });
}

}  // namespace

Reading read_clocks(const HealthFacts& facts) {
    if (!may_have_telemetry(*facts.run)) return {.evidence = std::string(kNoTelemetry)};
    if (const std::optional<LowClocks> low = find_low_clocks(*facts.run))
        return {.value = low->most / low->clock - 1, .evidence = low->describe(), .slot = low->slots.front()};
    const std::optional<WorstClock> worst = find_worst_clock(*facts.run);
    if (!worst) {
        const auto telemetry = telemetry_of(*facts.run);
        if (!telemetry->has_samples()) return {.evidence = explain_unknown(*telemetry)};
        return {.evidence = "no rank has enough samples of its clock inside kernels to compare it"};
    }
    return {.value = std::max(worst->ratio.ratio - 1, 0.0),
            .evidence =
                "rank " + format_rank(facts.run->rank(worst->slot).key) + ": " + format_clock_share(worst->ratio, 0),
            .slot = worst->slot};
}

Reading read_gpu_errors(const HealthFacts& facts) {
    if (!may_have_telemetry(*facts.run)) return {.evidence = "no kernel log, and no counters of errors"};
    const auto telemetry = telemetry_of(*facts.run);
    if (!knows_errors(*telemetry)) return {.evidence = "no kernel log of this time, and no counters of errors"};
    std::size_t grave = 0;
    Reading reading{.value = 0};
    for (std::uint32_t slot = 0; slot < telemetry->ranks.size(); ++slot) {
        const std::string errors = describe_gpu_errors(*telemetry, slot);
        if (errors.empty()) continue;
        const bool is_grave = has_grave_errors(*telemetry, slot);
        if (reading.evidence.empty() || (is_grave && grave == 0)) {
            reading.evidence = "rank " + format_rank(facts.run->rank(slot).key) + ": " + errors;
            reading.slot = slot;
        }
        grave += is_grave ? 1 : 0;
    }
    if (grave > 1)
        reading.evidence += "; " + format_plural(grave - 1, "more GPU has such errors", "more GPUs have such errors");
    if (reading.evidence.empty()) reading.evidence = "none in the logs";
    reading.value = static_cast<double>(grave) / static_cast<double>(telemetry->ranks.size());
    return reading;
}

}  // namespace core
