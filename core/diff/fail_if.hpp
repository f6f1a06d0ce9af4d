#pragma once
// Conditions on a comparison that a script can fail on:
//     MEASURE[.baseline|.candidate|.change|.ratio] OP NUMBER[unit] [and|or …] [where KEY=VALUE [and KEY=VALUE …]]
// A measure without a part is the candidate's; OP is one of > >= < <= == !=; `and` binds tighter than `or`.
// A plain number is in the column's own unit (ns, bytes, bytes/s, a count, 1 = 100 %). An absent cell
// satisfies nothing, not even !=. `where` takes key columns and `presence`; values with blanks are quoted.

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
struct FailIf {
    std::string text;                            // as it was written
    std::vector<std::vector<Condition>> any_of;  // any of these, each of which is all of its conditions
    std::vector<KeyCondition> where;             // all of these
};

// Checked against the columns of the analysis. Errors say where: "at 7: no measure 'totl'; did you mean total?"
Result<FailIf> parse_fail_if(std::string_view text, std::span<const Column> columns);

// Rows of the comparison that satisfy it. An error when there are rows and none has the keys that `where` names.
Result<std::vector<std::size_t>> find_failing_rows(const FailIf&, const Comparison&);

// "rank 3, kernel gemm: total.ratio 1.25, total.change 1,200 ns": the keys, and what the conditions look at.
std::string describe_failing_row(const FailIf&, const Comparison&, std::size_t row);

}  // namespace core
