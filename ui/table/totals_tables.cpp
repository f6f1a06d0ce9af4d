#include "ui/table/totals_tables.hpp"

namespace ui {
namespace {

constexpr core::Analysis of_totals(std::string_view id, std::string_view title, std::string_view summary,
                                   std::vector<core::Column> (*columns)()) {
    return {.id = id,
            .title = title,
            .summary = summary,
            .definition = summary,
            .params = {},
            .chart = {},
            .comparable = true,
            .rank = nullptr,
            .merge = nullptr,
            .columns = columns,
            .lead = "total",
            .of_cpu = true};
}

core::AnswerPtr answer_of(core::Table table) {
    auto answer = std::make_shared<core::Answer>();
    answer->tables.push_back({"main", std::move(table)});
    return answer;
}

}  // namespace

const core::Analysis kFoundNames = of_totals("found-names", "Found", "Search results by name", core::columns_of_names);
const core::Analysis kFoundRanks = of_totals("found-ranks", "Found", "Search results by rank", core::columns_of_ranks);
const core::Analysis kAreaNames =
    of_totals("area-names", "Area", "Events in the area by name, cut to the area", core::columns_of_names);
const core::Analysis kAreaRanks =
    of_totals("area-ranks", "Area", "Events in the area by rank, cut to the area", core::columns_of_ranks);

TotalsTables tabulate_totals(const core::Run& run, std::span<const core::NameTotals> names,
                             std::span<const core::RankTotals> ranks) {
    return {answer_of(tabulate_names(run, names)), answer_of(tabulate_ranks(run, ranks))};
}

ComparisonOptions totals_options(std::string_view search) {
    ComparisonOptions options;
    options.lead = "total";
    options.search = search;
    return options;
}

void update_totals(ComparisonTable& table, Frame& frame, const core::Analysis& analysis,
                   const core::BySide<std::shared_ptr<const TotalsTables>>& totals, bool by_rank,
                   const ComparisonOptions& options) {
    core::BySide<core::Request> requests;
    for (const core::Side side : core::kSides) {
        if (!totals[side]) continue;
        requests[side].answer = by_rank ? totals[side]->ranks : totals[side]->names;
        requests[side].fresh = true;
    }
    table.update(frame, analysis, requests, options);
}

}  // namespace ui
