#pragma once
// Two runs operator by operator as a comparison of tables, for the command line and exports.

#include "core/diff/operators/compare_operators.hpp"

namespace core {

// Describes the tables like an analysis; not in the registry, as it needs both runs. The main table has a row per
// operator; "kernels" one per operator name and the kernels it launched before and after.
const Analysis& op_by_op();
inline constexpr std::string_view kKernelsTable = "kernels";
// All operators, or those that are not the same.
Comparison to_comparison(const OperatorComparison&, const BySide<const Run*>&, bool all);
Comparison to_kernel_comparison(const OperatorComparison&, const BySide<const Run*>&, bool all);

// Does everything at once, for the CLI; query.analysis is op_by_op().
Result<RunComparison> compare_op_by_op(const DiffQuery& query, const BySide<const Run*>&, const RunAlignment&,
                                       const JobContext&);

}  // namespace core
