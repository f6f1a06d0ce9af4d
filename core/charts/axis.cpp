#include "core/charts/axis.hpp"

#include "core/analysis/engine/flop_text.hpp"
#include "core/base/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace core {
namespace {

struct Written {
    double per_unit;
    const char* suffix;
};

Written written_as(double maximum, Unit unit) {
    const auto pick = [maximum](std::initializer_list<Written> units) {
        Written chosen = *units.begin();
        for (const Written& candidate : units)
            if (maximum >= candidate.per_unit) chosen = candidate;
        return chosen;
    };
    switch (unit) {
        case Unit::Ns:
            return pick({{1, "ns"}, {1e3, "\xC2\xB5s"}, {1e6, "ms"}, {1e9, "s"}, {60e9, "min"}});
        case Unit::Bytes:
            return pick({{1, "B"}, {1024, "KiB"}, {1048576, "MiB"}, {1073741824, "GiB"}});
        case Unit::BytesPerSecond:
            return pick({{1, "B/s"}, {1e3, "kB/s"}, {1e6, "MB/s"}, {1e9, "GB/s"}});
        case Unit::Flop:
            return pick({{1, "FLOP"}, {1e6, "MFLOP"}, {1e9, "GFLOP"}, {1e12, "TFLOP"}, {1e15, "PFLOP"}});
        case Unit::FlopPerSecond:
            return pick({{1, "FLOP/s"}, {1e6, "MFLOP/s"}, {1e9, "GFLOP/s"}, {1e12, "TFLOP/s"}, {1e15, "PFLOP/s"}});
        case Unit::FlopPerByte:
            return {1, "FLOP/B"};
        case Unit::Ratio:
            return {0.01, "%"};
        default:
            return pick({{1, ""}, {1e3, "k"}, {1e6, "M"}});
    }
}

double round_step(double raw) {
    const double magnitude = std::pow(10.0, std::floor(std::log10(raw)));
    const double factor = raw / magnitude;
    for (const double nice : {1.0, 2.0, 2.5, 5.0})
        if (factor <= nice * 1.0000001) return nice * magnitude;
    return 10 * magnitude;
}

int decimals_for(double step) {
    int decimals = 0;
    while (decimals < 6 && std::abs(step - std::round(step)) > 1e-6) {
        step *= 10;
        ++decimals;
    }
    return decimals;
}

}  // namespace

std::string Axis::label(double value) const {
    if (std::abs(value) < step / 1000) return "0";
    return fmt::format("{:.{}f}", value / per_unit, decimals);
}

Axis make_axis(double maximum, Unit unit, int ticks) { return make_axis(0, maximum, unit, ticks); }

Axis make_axis(double minimum, double maximum, Unit unit, int ticks) {
    const auto end = [](double value, double sign) { return std::isfinite(value) && value * sign > 0 ? value : 0; };
    minimum = end(minimum, -1);
    maximum = end(maximum, 1);
    if (minimum == maximum) maximum = unit == Unit::Ratio ? 0.01 : 1;
    const Written written = written_as(std::max(-minimum, maximum), unit);
    Axis axis;
    axis.per_unit = written.per_unit;
    axis.suffix = written.suffix;
    double length = 0;
    for (int extra = 0; extra < 3; ++extra) {  // more ticks if they leave less empty space
        double step = round_step((maximum - minimum) / written.per_unit / (std::max(1, ticks) + extra));
        if (written.per_unit == 1 && unit != Unit::Number) step = std::max(step, 1.0);
        const double most = std::ceil(maximum / written.per_unit / step - 1e-9) * step * written.per_unit;
        const double least = std::floor(minimum / written.per_unit / step + 1e-9) * step * written.per_unit;
        if (length > 0 && most - least >= length) continue;
        length = most - least;
        axis.most = most;
        axis.least = least;
        axis.step = step * written.per_unit;
        axis.decimals = decimals_for(step);
    }
    return axis;
}

Axis make_share_axis() {
    return {.least = 0, .most = 1.0, .step = 0.25, .per_unit = 0.01, .decimals = 0, .suffix = "%"};
}

std::string format_value(double value, Unit unit) {
    if (!std::isfinite(value)) return "\xE2\x80\x93";
    switch (unit) {
        case Unit::Ns:
            return format_duration(Duration{std::llround(value)});
        case Unit::Bytes:
            return format_bytes(std::llround(value));
        case Unit::BytesPerSecond:
            return format_bytes_per_second(value);
        case Unit::Flop:
            return format_flop(value);
        case Unit::FlopPerSecond:
            return format_flop_per_second(value);
        case Unit::FlopPerByte:
            return format_flop_per_byte(value);
        case Unit::Ratio:
            return format_ratio(value);
        case Unit::Number:
            return format_number(value);
        default:
            return format_count(std::int64_t{std::llround(value)});
    }
}

std::string signed_value(double value, Unit unit) {
    std::string text = format_value(value, unit);
    return value > 0 && !text.starts_with('<') ? "+" + text : text;
}

}  // namespace core
