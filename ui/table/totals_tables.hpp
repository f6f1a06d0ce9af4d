#pragma once
// Totals by name and by rank of a search or an area, and their comparison between two runs.

#include "ui/table/comparison_table.hpp"

#include "core/analysis/engine/name_tables.hpp"

namespace ui {

// Stored as answers, so that they can be joined like those of analyses.
struct TotalsTables {
    core::AnswerPtr names;
    core::AnswerPtr ranks;
};
TotalsTables tabulate_totals(const core::Run&, std::span<const core::NameTotals>, std::span<const core::RankTotals>);

// Describes the columns; not in the registry.
extern const core::Analysis kFoundNames;
extern const core::Analysis kFoundRanks;
extern const core::Analysis kAreaNames;
extern const core::Analysis kAreaRanks;

ComparisonOptions totals_options(std::string_view search);
// Call once per frame before drawing the table. A side without a result yet is null.
void update_totals(ComparisonTable&, Frame&, const core::Analysis&,
                   const core::BySide<std::shared_ptr<const TotalsTables>>&, bool by_rank, const ComparisonOptions&);

}  // namespace ui
