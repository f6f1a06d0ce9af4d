#pragma once
// Joins two tables of any analysis on their key columns. O(n log n).

#include "core/analysis/engine/table.hpp"
#include "core/diff/align/name_pairing.hpp"
#include "core/diff/join/averages.hpp"

#include <string>
#include <vector>

namespace core {

enum class Part : std::uint8_t { Baseline, Candidate, Change, Ratio };
inline constexpr std::size_t kParts = 4;
std::string_view name_of(Part);

// Columns of the table: the keys, `presence` (both, added, removed), then for every measure m: m.baseline, m.candidate,
// m.change (candidate - baseline, exact for integers), m.ratio (candidate / baseline). Values that one side lacks are
// absent there, in change and in ratio: never zero. Info columns are dropped. Rows with equal keys join in order. Rows
// are sorted by the size of the lead measure's change (of its value if only one side has it), then by key.
struct Comparison {
    Table table;
    std::vector<BySide<std::vector<std::size_t>>> sources;  // by row: its source rows in the two tables
    std::vector<std::string> notes;
    std::size_t keys = 0;  // number of key columns; `presence` follows
    std::size_t measures = 0;
    std::size_t lead = 0;  // measure that sorts the rows

    std::size_t column(std::size_t measure, Part part) const {
        return keys + 1 + measure * kParts + static_cast<std::size_t>(part);
    }
    std::string_view measure_name(std::size_t measure) const;
};

// True if differences and ratios of the unit are meaningful.
bool is_quantity(Unit);

struct CompareOptions {
    std::string_view lead{};  // empty, or not a measure: the first that looks like a time
    NameMatching names = NameMatching::Exact;
    std::span<const NamePair> pairs{};  // manual pairs, applied before the rule
};
Comparison compare_tables(const BySide<const Table*>& tables, const RunAlignment&, const Averages&,
                          const CompareOptions&);

}  // namespace core
