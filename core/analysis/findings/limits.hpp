#pragma once
// Thresholds of `verdict`, `health` and some findings: one table, each row with its source. What the user gave wins:
// --limit 'host.warn=0.2' and limits.json of the settings folder.

#include "core/base/result.hpp"
#include "core/index/run.hpp"

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace core {

// Limits of verdicts, then pairs of warn and bad, one per check of `health`, in its order.
enum class Limit : std::uint8_t {
    DataLoading,
    DataWhileIdle,
    HostIdle,
    HostShare,
    WaitExposed,
    WaitShare,
    CommunicationTimes,
    CommunicationShare,
    CopyShare,
    ComputeShare,
    MathShare,
    MemoryShare,
    LaunchShare,
    ClassicTimes,
    FirstOfHealth,
};
inline constexpr std::size_t kHealthChecks = 16;
inline constexpr std::size_t kLimits = static_cast<std::size_t>(Limit::FirstOfHealth) + 2 * kHealthChecks;

struct LimitRow {
    std::string_view id;  // "host.warn": stable
    double standard;  // a ratio; below 0: there is none
    std::string_view meaning;
    std::string_view source;  // chapter, literature or own
};
std::span<const LimitRow> limit_rows();  // as many as kLimits

class Limits {
public:
    Limits();
    double of(Limit limit) const { return values_[static_cast<std::size_t>(limit)]; }
    // Limit of the check at a place in the table of health; absent: it has no such limit.
    std::optional<double> warn_of(std::size_t check) const { return of_health(2 * check); }
    std::optional<double> bad_of(std::size_t check) const { return of_health(2 * check + 1); }

    // By id; absent: there is none.
    std::optional<double> find(std::string_view id) const;

    bool is_given(std::size_t row) const { return given_[row]; }  // not the table's
    double value(std::size_t row) const { return values_[row]; }  // below 0: none
    void add(const Limits& other);  // what the other was given

    // "host.warn=0.2,host.bad=0.4".
    std::optional<Error> add(std::string_view text);
    // {"host.warn": 0.2, …}.
    std::optional<Error> add_json(std::string_view json);

private:
    std::optional<double> of_health(std::size_t place) const;
    std::optional<Error> set(std::string_view id, double value);
    std::array<double, kLimits> values_{};
    std::array<bool, kLimits> given_{};
};

// Limits of all runs of this process that are asked about from now on: of limits.json and, which win, of --limit.
void set_limits(const Limits& of_file, const Limits& of_options);
void replace_file_limits(const Limits& of_file);
Limits current_limits();
// Limits of a run: those in run.derived(), else the process's.
std::shared_ptr<const Limits> limits_of(const Run&);

}  // namespace core
