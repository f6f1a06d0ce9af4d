#include "core/base/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>

namespace core {
namespace {

__extension__ using Wide = unsigned __int128;

struct UnitStep {
    std::string_view suffix;
    std::uint64_t size;
    std::uint64_t limit;  // at this count the next unit takes over; 0: last unit
};

constexpr UnitStep kTimeUnits[] = {
    {" ns", 1, 1000},          {" \xc2\xb5s", 1'000, 1000}, {" ms", 1'000'000, 1000},
    {" s", 1'000'000'000, 60}, {" min", 60'000'000'000, 0},
};
constexpr UnitStep kByteUnits[] = {
    {" B", 1, 1024},         {" KiB", 1ull << 10, 1024}, {" MiB", 1ull << 20, 1024}, {" GiB", 1ull << 30, 1024},
    {" TiB", 1ull << 40, 0},
};
constexpr std::array<std::uint64_t, 10> kPowersOfTen = {1,       10,        100,        1'000,       10'000,
                                                        100'000, 1'000'000, 10'000'000, 100'000'000, 1'000'000'000};

std::uint64_t magnitude(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    return value < 0 ? 0 - bits : bits;
}

std::string grouped(std::uint64_t value) {
    std::string digits = std::to_string(value);
    for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
    return digits;
}

// value / 10^decimals with all its decimals.
std::string fixed_point(std::uint64_t value, std::size_t decimals) {
    std::string text = grouped(value / kPowersOfTen[decimals]);
    if (decimals == 0) return text;
    return text + fmt::format(".{:0{}}", value % kPowersOfTen[decimals], decimals);
}

std::uint64_t rounded_quotient(std::uint64_t value, std::size_t decimals, std::uint64_t unit) {
    return static_cast<std::uint64_t>((static_cast<Wide>(value) * kPowersOfTen[decimals] + unit / 2) / unit);
}

std::string three_digits(std::int64_t signed_value, std::span<const UnitStep> units) {
    const std::uint64_t value = magnitude(signed_value);
    const std::string_view sign = signed_value < 0 ? "-" : "";
    for (const UnitStep& unit : units) {
        for (std::size_t decimals = unit.size == 1 ? 0 : 2;; --decimals) {
            const std::uint64_t q = rounded_quotient(value, decimals, unit.size);
            const bool fits = decimals == 0 || q < 1000;
            const bool stays = unit.limit == 0 || q < unit.limit * kPowersOfTen[decimals];
            if (fits && stays) return std::string(sign) + fixed_point(q, decimals).append(unit.suffix);
            if (decimals == 0) break;
        }
    }
    return {};  // not reached: the last unit takes everything
}

std::string fixed(double value, int decimals) { return fmt::format("{:.{}f}", value, decimals); }

// Groups the digits before the point of a plain decimal number.
std::string with_groups(std::string text) {
    const std::size_t begin = text.starts_with('-') ? 1 : 0;
    for (std::size_t i = std::min(text.find('.'), text.size()); i > begin + 3; i -= 3) text.insert(i - 3, ",");
    return text;
}

// Decimals of a unit needed to print multiples of a step exactly.
std::size_t decimals_for(std::uint64_t step, std::uint64_t unit) {
    std::size_t decimals = 0;
    while (unit > 1 && step % unit != 0) {
        ++decimals;
        unit /= 10;
    }
    return decimals;
}

}  // namespace

std::string format_duration(Duration d) { return three_digits(d.count(), kTimeUnits); }

std::string format_duration_exact(Duration d) { return format_count(d.count()) + " ns"; }

std::string format_bytes(std::int64_t bytes) { return three_digits(bytes, kByteUnits); }

std::string format_bytes_exact(std::int64_t bytes) { return format_count(bytes) + " B"; }

std::string format_bytes_per_second(double rate) {
    if (!std::isfinite(rate)) return "-";
    constexpr std::string_view kSuffixes[] = {" B/s", " kB/s", " MB/s", " GB/s", " TB/s"};
    std::size_t unit = 0;
    double value = std::abs(rate);
    while (unit + 1 < std::size(kSuffixes) && value >= 999.5) {
        value /= 1000;
        ++unit;
    }
    const int decimals = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    return (rate < 0 ? "-" : "") + with_groups(fixed(value, decimals)) + std::string(kSuffixes[unit]);
}

std::string format_count(std::int64_t count) { return (count < 0 ? "-" : "") + grouped(magnitude(count)); }
std::string format_count(std::uint64_t count) { return grouped(count); }

std::string format_plural(std::uint64_t count, std::string_view one, std::string_view many) {
    return format_count(count).append(" ").append(count == 1 ? one : many);
}

std::string format_ratio(double ratio) {
    const double percent = std::abs(ratio) * 100;
    if (!std::isfinite(percent)) return "-";
    const std::string sign = ratio < 0 ? "-" : "";
    if (percent == 0) return "0 %";
    if (percent < 0.005) return ratio < 0 ? ">-0.01 %" : "<0.01 %";
    return sign + with_groups(fixed(percent, percent < 9.995 ? 2 : 1)) + " %";
}

std::string format_number(double number) {
    if (!std::isfinite(number)) return "-";
    const double size = std::abs(number);
    if (size == 0) return "0";
    if (size == std::floor(size) && size < 1e15) return with_groups(fixed(number, 0));
    if (size >= 1e15 || size < 1e-4) return fmt::format("{:.3e}", number);
    const int decimals = std::max(0, 3 - static_cast<int>(std::floor(std::log10(size))));
    std::string text = fixed(number, decimals);
    if (decimals > 0) {
        text.erase(text.find_last_not_of('0') + 1);
        if (text.ends_with('.')) text.pop_back();
    }
    return with_groups(std::move(text));
}

std::string format_time_offset(Duration offset, Duration step) {
    constexpr std::span kUnits = std::span(kTimeUnits).first(4);  // no minutes: nobody reads decimals of minutes
    const std::uint64_t value = magnitude(offset.count());
    const std::uint64_t apart = std::max<std::uint64_t>(1, magnitude(step.count()));
    std::size_t unit = 0;
    while (unit + 1 < kUnits.size() && std::max(value, apart) >= kUnits[unit + 1].size) ++unit;
    const std::uint64_t unit_size = kUnits[unit].size;
    const std::size_t decimals = decimals_for(apart, unit_size);
    const std::uint64_t q = rounded_quotient(value, decimals, unit_size);
    return (offset.count() < 0 && q != 0 ? "-" : "") + fixed_point(q, decimals) + std::string(kUnits[unit].suffix);
}

}  // namespace core
