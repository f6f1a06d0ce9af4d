#pragma once
// Conditions on a comparison that make a script fail.

#include "core/base/result.hpp"
#include "core/diff/compare_tables.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace core {

enum class Relation : std::uint8_t { Greater, GreaterOrEqual, Less, LessOrEqual, Equal, NotEqual };

struct Condition {
    std::string measure;
    Part part = Part::Candidate;
    Relation relation = Relation::Greater;
    double limit = 0;    // in the column's own unit
};
struct KeyCondition {
    std::string key;     // or "presence"
    std::string value;
};
// MEASURE[.baseline|.candidate|.change|.ratio] OP NUMBER[unit] [and|or …] [where KEY=VALUE [and KEY=VALUE …]]
// A measure without a part means the candidate's; OP is one of > >= < <= == !=; `and` binds tighter than `or`. A plain
// number is in the column's own unit (ns, bytes, bytes/s, a count, 1 = 100 %). An absent cell satisfies no condition,
// not even !=. `where` accepts key columns and `presence`; quote values with blanks.
struct FailIf {
    std::string text;                            // as written
    std::vector<std::vector<Condition>> any_of;  // disjunction of conjunctions
    std::vector<KeyCondition> where;             // conjunction
};

// Checks against the columns of the analysis. Errors name the position: "at 7: no measure 'totl';
// did you mean total?"
Result<FailIf> parse_fail_if(std::string_view text, std::span<const Column> columns);

// Rows of the comparison that satisfy it. Fails if there are rows but none matches `where`.
Result<std::vector<std::size_t>> find_failing_rows(const FailIf&, const Comparison&);

// "rank 3, kernel gemm: total.ratio 1.25, total.change 1,200 ns": the keys and the values that the
// conditions read.
std::string describe_failing_row(const FailIf&, const Comparison&, std::size_t row);

}  // namespace core
