#pragma once
// Typed quantities of a trace; mixing them does not compile.
//
// Time is a point on a clock and Duration a difference: two points subtract but do not add. Each
// rank records on its own clock, so RankTime (as written in its file) and RunTime (after the run's
// clock map) are different types; only core/index/run.hpp turns one into the other.
// All are integer nanoseconds and trivially copyable, so columns of them can lie in a mapped file.

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>

namespace core {

using Duration = std::chrono::duration<std::int64_t, std::nano>;

struct RankClock {
    using duration = Duration;
};
struct RunClock {
    using duration = Duration;
};
using RankTime = std::chrono::time_point<RankClock, Duration>;
using RunTime = std::chrono::time_point<RunClock, Duration>;

// Half-open: contains begin, not end.
template <class Point>
struct Range {
    Point begin{};
    Point end{};
    Duration length() const { return end - begin; }
    bool empty() const { return end <= begin; }
    bool contains(Point t) const { return begin <= t && t < end; }
    bool operator==(const Range&) const = default;
};
using RankRange = Range<RankTime>;
using RunRange = Range<RunTime>;

inline RankTime rank_time(std::int64_t ns) { return RankTime{Duration{ns}}; }
inline RunTime run_time(std::int64_t ns) { return RunTime{Duration{ns}}; }
template <class Point>
std::int64_t ns_of(Point t) {
    return t.time_since_epoch().count();
}

enum class EventId : std::uint32_t {};   // position of an event in its rank's columns
enum class NameId : std::uint32_t {};    // a text of one rank's string table
enum class InternedName : std::uint32_t {};  // a text of the session: equal across ranks and runs
inline constexpr EventId kNoEvent{0xFFFFFFFFu};
inline constexpr NameId kNoName{0xFFFFFFFFu};

// The plain number inside an id, for indexing.
template <class Id>
constexpr std::size_t index_of(Id id) {
    return static_cast<std::size_t>(id);
}

}  // namespace core
