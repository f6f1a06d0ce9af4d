#pragma once
// The filter: a conjunction of terms, one value for the timeline, tables, charts, comparison and
// export. Empty = everything. Terms on rank, step, stream and time choose the window that shares
// are taken of; terms on name, class, duration and group choose events only (DEFINITIONS 2).

#include "core/collectives/collective.hpp"
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

// Sorted and merged ranges, for many lookups of O(log ranges).
class NumberSet {
public:
    explicit NumberSet(std::span<const NumberRange> ranges);
    bool contains(std::int64_t number) const;
    std::size_t ranges() const { return sorted_.size(); }

private:
    std::vector<NumberRange> sorted_;  // disjoint, rising
};

struct RankTerm {
    std::vector<NumberRange> numbers;  // all captures of these ranks
    std::vector<RankKey> captures{};   // only these captures
    bool accepts(RankKey) const;
    bool operator==(const RankTerm&) const = default;
};
struct StepTerm {
    bool complete = false;                 // every step launched before the last step begins
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
    std::string text;                      // substring (ASCII case-insensitive), or a regular expression as written
    bool is_regex = false;
    bool operator==(const NameTerm&) const = default;
};
struct TimeTerm {  // from the run's origin; half-open; either side may be unbounded; never negated
    std::optional<Duration> begin;
    std::optional<Duration> end;
    bool operator==(const TimeTerm&) const = default;
};
struct DurationTerm {  // least ≤ duration ≤ most
    std::optional<Duration> least;
    std::optional<Duration> most;
    bool operator==(const DurationTerm&) const = default;
};
// Several files that claim one rank are its captures: a, b, …
struct CaptureTerm {
    std::vector<std::int32_t> captures;  // rising, unique
    bool operator==(const CaptureTerm&) const = default;
};
// Name of the process group, part of its description, or its label as in tables; ASCII case-insensitive.
struct GroupTerm {
    std::string text;
    bool operator==(const GroupTerm&) const = default;
};

// The four below choose member events of matched collectives, on every rank that takes part; other events pass them
// negated only. Which events pass depends on the whole run and on the clocks that it is on.
struct CollectiveTerm {
    std::vector<Operation> operations;     // empty: any
    std::vector<NumberRange> sequences{};  // within group and operation; empty: any
    bool operator==(const CollectiveTerm&) const = default;
};
struct WaitTerm {  // what the member waited for a later rank; members that are not split pass negated only
    DurationTerm length;
    bool operator==(const WaitTerm&) const = default;
};
struct LastTerm {  // collectives that count for waits and that one of these ranks was the last to reach
    RankTerm ranks;
    bool operator==(const LastTerm&) const = default;
};
struct MatchedTerm {
    std::uint8_t confidences = 0;  // bits, by Confidence
    bool accepts(Confidence c) const { return (confidences >> static_cast<unsigned>(c) & 1u) != 0; }
    bool operator==(const MatchedTerm&) const = default;
};

RankTerm rank_term(RankKey key);  // 3: every capture of rank 3; 3·b: that one

struct FilterTerm {
    bool negated = false;
    std::variant<RankTerm, StepTerm, StreamTerm, ClassTerm, NameTerm, TimeTerm, DurationTerm, GroupTerm, CaptureTerm,
                 CollectiveTerm, WaitTerm, LastTerm, MatchedTerm>
        what;
    bool operator==(const FilterTerm&) const = default;
};

bool chooses_work(const FilterTerm&);  // a step or stream term
// A term on names, durations, process groups or collectives: some events of a class may pass it and others not.
bool chooses_some_events(const FilterTerm&);

// Terms keep their order. Filters with the same meaning may differ; equal texts are equal filters (operator==), and the
// canonical text is a cache key.
struct Filter {
    std::vector<FilterTerm> terms;
    bool empty() const { return terms.empty(); }
    bool operator==(const Filter&) const = default;

    bool accepts_rank(RankKey key) const;  // rank:3 accepts 3 and 3·b; rank:3·b and capture:b only 3·b
    // Intersection of the time terms in run time; an unbounded side ends with the run; nullopt
    // without time terms.
    std::optional<RunRange> time_range(const Run&) const;
    // Whether some term asks for matches or waits: the events of a rank that pass then depend on the whole run.
    bool needs_matches() const;
    // Whether a step or stream term chooses the work that shares of time are of.
    bool chooses_work() const;
    bool chooses_some_events() const;
    // This filter without rank, capture and time terms: the key of a Selection.
    Filter without_time_and_rank() const;
};

}  // namespace core
