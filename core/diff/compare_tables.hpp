#pragma once
// Two tables of one analysis joined on their key columns, whatever the analysis.
//
// Columns of the result: the keys, `presence` (both, added, removed), then of every measure m: m.baseline,
// m.candidate, m.change (candidate - baseline, exact for integers), m.ratio (candidate / baseline). What
// only one side has is absent on the other and in change and ratio: never zero. Info columns are left out.
// Rows with equal keys join one after the other. Rows come by the size of the lead measure's change (of its
// value where only one side has it), then by key. O(n log n).

#include "core/analysis/engine/table.hpp"
#include "core/diff/averages.hpp"
#include "core/diff/name_pairing.hpp"

#include <string>
#include <vector>

namespace core {

enum class Part : std::uint8_t { Baseline, Candidate, Change, Ratio };
inline constexpr std::size_t kParts = 4;
std::string_view name_of(Part);

struct Comparison {
    Table table;
    std::vector<BySide<std::vector<std::size_t>>> sources;  // by row: the rows of the two tables behind it
    std::vector<std::string> notes;
    std::size_t keys = 0;      // columns; `presence` is the next
    std::size_t measures = 0;
    std::size_t lead = 0;      // the measure that rows are sorted by

    std::size_t column(std::size_t measure, Part part) const {
        return keys + 1 + measure * kParts + static_cast<std::size_t>(part);
    }
    std::string_view measure_name(std::size_t measure) const;
};

// Whether differences and ratios of such values mean anything.
bool is_quantity(Unit);

struct CompareOptions {
    std::string_view lead{};   // empty, or none of the measures: the first that looks like a time
    NameMatching names = NameMatching::Exact;
    std::span<const NamePair> pairs{};  // by hand, before the rule
};
Comparison compare_tables(const BySide<const Table*>& tables, const RunAlignment&, const Averages&,
                          const CompareOptions&);

}  // namespace core
