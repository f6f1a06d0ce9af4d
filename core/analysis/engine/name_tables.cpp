#include "core/analysis/engine/name_tables.hpp"

#include "core/analysis/engine/rounding.hpp"

namespace core {
namespace {

std::vector<Column> columns_of_lengths(std::vector<Column> first) {
    const std::vector<Column> lengths = {
        {"count", Unit::Count, Role::Measure, Facet::None, "how many", true},
        {"total", Unit::Ns, Role::Measure, Facet::None, "the sum of their durations", true},
        {"mean", Unit::Ns, Role::Measure, Facet::None, "the mean duration"},
        {"min", Unit::Ns, Role::Measure, Facet::None, "the shortest"},
        {"max", Unit::Ns, Role::Measure, Facet::None, "the longest"},
        {"share", Unit::Ratio, Role::Measure, Facet::None, "of the total of all rows"}};
    first.insert(first.end(), lengths.begin(), lengths.end());
    return first;
}

std::vector<Cell> cells_of(const LengthTotals& totals, Duration all) {
    const auto count = static_cast<std::int64_t>(totals.count);
    return {count,
            totals.total.count(),
            count == 0 ? Cell{} : Cell{rounded_mean(totals.total.count(), count)},
            totals.least.count(),
            totals.most.count(),
            ratio_cell(totals.total, all)};
}

template <class Totals>
Duration sum_of(std::span<const Totals> rows) {
    Duration all{0};
    for (const Totals& row : rows) all += row.total;
    return all;
}

}  // namespace

std::vector<Column> columns_of_names() {
    std::vector<Column> columns =
        columns_of_lengths({{"name", Unit::Text, Role::Key, Facet::Kernel, "the full name"},
                            {"on", Unit::Text, Role::Key, Facet::None, "GPU events, or all others"}});
    columns.push_back({"ranks", Unit::Count, Role::Measure, Facet::None, "how many ranks have any"});
    return columns;
}

Table tabulate_names(const Run& run, std::span<const NameTotals> names) {
    Table table(columns_of_names());
    const Duration all = sum_of(names);
    for (const NameTotals& name : names) {
        std::vector<Cell> row{run.rank(name.example.slot).trace().name_text(name.example.event),
                              std::string_view(name.on_gpu ? "GPU" : "CPU")};
        for (const Cell& cell : cells_of(name, all)) row.push_back(cell);
        row.emplace_back(std::int64_t{name.ranks});
        table.add_row(row);
    }
    return table;
}

std::vector<Column> columns_of_ranks() {
    std::vector<Column> columns = columns_of_lengths({{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"}});
    columns.push_back({"names", Unit::Count, Role::Measure, Facet::None, "how many different names"});
    return columns;
}

Table tabulate_ranks(const Run& run, std::span<const RankTotals> ranks) {
    Table table(columns_of_ranks());
    const Duration all = sum_of(ranks);
    for (const RankTotals& rank : ranks) {
        std::vector<Cell> row{run.rank(rank.slot).key.packed()};
        for (const Cell& cell : cells_of(rank, all)) row.push_back(cell);
        row.emplace_back(std::int64_t{rank.names});
        table.add_row(row);
    }
    return table;
}

}  // namespace core
