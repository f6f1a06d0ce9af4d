#include "ui/model/charts/compared.hpp"

#include "core/base/format.hpp"
#include "core/charts/axis.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace ui {
namespace {

constexpr double kNoticeable = 0.005;   // relative to the baseline
constexpr double kLeastShown = 0.0001;

std::string with_sign(double value, const std::string& size) { return (value > 0 ? "+" : "-") + size; }

}  // namespace

Compared Compared::between(std::optional<double> baseline, std::optional<double> candidate) {
    Compared both{.baseline = baseline, .candidate = candidate, .change = {}, .ratio = {}};
    if (!baseline || !candidate) return both;
    both.change = *candidate - *baseline;
    if (*baseline != 0) both.ratio = *candidate / *baseline;
    return both;
}

Compared Compared::of(const core::Comparison& comparison, std::size_t row, std::size_t measure) {
    const auto part = [&](core::Part which) -> std::optional<double> {
        const std::size_t column = comparison.column(measure, which);
        if (comparison.table.absent(row, column)) return std::nullopt;
        return comparison.table.number(row, column);
    };
    return {.baseline = part(core::Part::Baseline),
            .candidate = part(core::Part::Candidate),
            .change = part(core::Part::Change),
            .ratio = part(core::Part::Ratio)};
}

std::string format_change(const Compared& value, core::Unit unit) {
    if (!value.change) return "\xE2\x80\x93";
    if (*value.change == 0) return "0";
    return with_sign(*value.change, core::format_value(std::abs(*value.change), unit));
}

std::string format_ratio_change(const Compared& value) {
    if (!value.ratio || !std::isfinite(*value.ratio)) return {};
    if (*value.ratio > 2) return "\xC3\x97 " + core::format_number(*value.ratio);
    const double change = *value.ratio - 1;
    if (change == 0) return "0 %";
    const std::string size = core::format_ratio(std::abs(change));
    return std::abs(change) < kLeastShown ? size : with_sign(change, size);
}

int noticeable_change(const Compared& value) {
    if (!value.change || *value.change == 0) return 0;
    if (value.ratio && std::abs(*value.ratio - 1) < kNoticeable) return 0;
    return *value.change > 0 ? 1 : -1;
}

nlohmann::json describe_compared(const Compared& value) {
    nlohmann::json described = nlohmann::json::object();
    const auto add = [&](const char* name, const std::optional<double>& part) {
        if (part) described[name] = *part;
    };
    add("baseline", value.baseline);
    add("candidate", value.candidate);
    add("change", value.change);
    add("ratio", value.ratio);
    return described;
}

}  // namespace ui
