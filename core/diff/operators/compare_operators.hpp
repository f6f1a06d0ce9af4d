#pragma once
// Two runs operator by operator: one step of one rank of each as sequences of operators, aligned. What was inserted,
// removed, replaced or changed, in order, and which kernels an operator launched before and after.

#include "core/diff/join/compare_runs.hpp"
#include "core/diff/operators/kernel_edit.hpp"
#include "core/diff/operators/operator_sequence.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace core {

enum class OperatorEdit : std::uint8_t {
    Same,
    Changed,   // matched, with other inputs or other kernels
    Replaced,  // between the same neighbours and as deep: one for the other
    Inserted,
    Removed,
};
inline constexpr std::array<OperatorEdit, 5> kOperatorEdits = {
    OperatorEdit::Same, OperatorEdit::Changed, OperatorEdit::Replaced, OperatorEdit::Inserted, OperatorEdit::Removed};
std::string_view name_of(OperatorEdit);  // "same", "changed", …

struct AlignedOperator {
    OperatorEdit edit = OperatorEdit::Same;
    BySide<std::optional<std::size_t>> at;  // positions in the sequences
    bool inputs_differ = false;             // shapes or types; false where a side has none recorded
    KernelEdit kernels = KernelEdit::Same;  // of pairs
};

struct OperatorComparison {
    BySide<OperatorSequence> sequences;
    std::vector<AlignedOperator> rows;  // every operator of both, in order
    std::array<std::size_t, kOperatorEdits.size()> counts{};  // by edit
    std::vector<std::string> notes;
    std::size_t count(OperatorEdit edit) const { return counts[static_cast<std::size_t>(edit)]; }
};

// Aligns by module class and name (modules only where both sides have them), as many as possible; of equally many,
// those with the same shapes and types and then those in the same module instance. The rank is the first pair that the
// filter takes; the step the first pair of steps that verdicts count (see collect_step_sample) and the filter takes,
// else the first at all; without steps it is the whole trace. Names pair by these rules, too. NotFound if a side has no
// operator there.
Result<OperatorComparison> compare_operators(const BySide<const Run*>&, const RunAlignment&, const Filter&,
                                             const NameRules&, const JobContext&);
// The same of two given sequences.
Result<OperatorComparison> align_operators(BySide<OperatorSequence>, const BySide<const Run*>&, const NameRules&,
                                           const JobContext&);

// "1,234 operators against 1,240: 1,200 the same, 20 changed, 3 replaced, 17 inserted, none removed"
std::string describe_operators(const OperatorComparison&);
// "inputs [[8,4]] -> [[16,4]]; fewer kernels: a; b -> c" of a row; empty where nothing differs.
std::string describe_edit(const OperatorComparison&, const BySide<const Run*>&, const AlignedOperator&);
// Names of the kernels that a row's side launched, joined by "; "; equal neighbours are counted: "gemm x3".
std::string list_kernels(const OperatorComparison&, const BySide<const Run*>&, const AlignedOperator&, Side);

}  // namespace core
