#pragma once
// What the user wants to see: a conjunction of terms, one value for the timeline, tables, charts,
// comparison and export. Empty = everything. Terms keep the order they were given in; two filters
// that mean the same may differ, the same text never does (operator==, canonical text as cache key).
//
// Terms on rank, step, stream and time choose the window shares are taken of; terms on name, class,
// duration and group choose events only (DEFINITIONS 2).

#include "core/index/run.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace core {

struct NumberRange {  // closed: first..last
    std::int64_t first = 0;
    std::int64_t last = 0;
    bool operator==(const NumberRange&) const = default;
};

bool contains_number(std::span<const NumberRange>, std::int64_t number);

struct RankTerm {
    std::vector<NumberRange> numbers;
    bool operator==(const RankTerm&) const = default;
};
struct StepTerm {
    bool complete = false;                 // every step whose launches precede the last step's begin
    std::vector<NumberRange> numbers;      // else these
    bool operator==(const StepTerm&) const = default;
};
struct StreamTerm {
    std::vector<NumberRange> numbers;
    bool operator==(const StreamTerm&) const = default;
};
struct ClassTerm {
    ClassSet classes = 0;
    bool operator==(const ClassTerm&) const = default;
};
struct NameTerm {
    std::string text;                      // substring without regard to ASCII case, or a regex as written
    bool is_regex = false;
    bool operator==(const NameTerm&) const = default;
};
struct TimeTerm {  // from the run's origin; half-open; either side may be open; never negated
    std::optional<Duration> begin;
    std::optional<Duration> end;
    bool operator==(const TimeTerm&) const = default;
};
struct DurationTerm {  // least ≤ duration ≤ most
    std::optional<Duration> least;
    std::optional<Duration> most;
    bool operator==(const DurationTerm&) const = default;
};
// The name of the process group, or a part of its description; without regard to ASCII case.
struct GroupTerm {
    std::string text;
    bool operator==(const GroupTerm&) const = default;
};

struct FilterTerm {
    bool negated = false;
    std::variant<RankTerm, StepTerm, StreamTerm, ClassTerm, NameTerm, TimeTerm, DurationTerm, GroupTerm> what;
    bool operator==(const FilterTerm&) const = default;
};

struct Filter {
    std::vector<FilterTerm> terms;
    bool empty() const { return terms.empty(); }
    bool operator==(const Filter&) const = default;

    bool accepts_rank(RankKey key) const;  // by number: rank:3 takes 3 and 3·b
    // The intersection of the time terms, in run time; an open side ends with the run; nullopt if there are none.
    std::optional<RunRange> time_range(const Run&) const;
    // This filter without rank and time terms: what a Selection is made for.
    Filter without_time_and_rank() const;
};

}  // namespace core
