#include "core/analysis/engine/flop_text.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

namespace core {
namespace {

std::string three_digits(double value) {
    const double size = std::abs(value);
    if (size != 0 && size < 0.01) return fmt::format("{:.2e}", value);
    return fmt::format("{:.{}f}", value, size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

std::string with_prefix(double value, std::string_view unit) {
    if (!std::isfinite(value)) return "-";
    constexpr std::array<std::string_view, 7> kPrefixes = {"", "k", "M", "G", "T", "P", "E"};
    std::size_t prefix = 0;
    for (; prefix + 1 < kPrefixes.size() && std::abs(value) >= 999.5; ++prefix) value /= 1000;
    const std::string digits =
        prefix == 0 && value == std::floor(value) ? fmt::format("{:.0f}", value) : three_digits(value);
    return fmt::format("{} {}{}", digits, kPrefixes[prefix], unit);
}

}  // namespace

std::string format_flop(double flop) { return with_prefix(flop, "FLOP"); }
std::string format_flop_per_second(double rate) { return with_prefix(rate, "FLOP/s"); }
std::string format_flop_per_byte(double intensity) {
    return std::isfinite(intensity) ? three_digits(intensity) + " FLOP/B" : "-";
}

}  // namespace core
