#pragma once
// The checks of `health`: a table of what is checked, with what, and what to do. The window's lights, the report and
// the command line show the rows of the analysis.

#include <cstdint>
#include <span>
#include <string_view>

namespace core {

enum class Health : std::uint8_t { Ok, Warn, Bad, Unknown };  // Unknown: no data; never counts as good
std::string_view name_of(Health);
Health parse_health(std::string_view name);  // Unknown for any other text

struct HealthCheck {
    std::string_view id;  // "host": stable; limits are called after it
    std::string_view title;  // "Host"
    std::string_view checks;  // what the value is, of what
    bool is_least;  // values below the limits are bad
    std::string_view advice;
    std::string_view analysis;  // where to look
    std::string_view graph_advice{};  // instead, of a rank whose kernels are mostly in replays of graphs; empty: none
};
std::span<const HealthCheck> health_checks();  // kHealthChecks, in the order of Limits
const HealthCheck* find_health_check(std::string_view id);

}  // namespace core
