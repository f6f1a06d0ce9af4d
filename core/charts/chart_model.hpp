#pragma once
// A table as a chart, following its analysis's row: the column along the axis, the measures that
// are parts, bars or error bars, and the second key that makes series. No ImGui, no colours.

#include "core/analysis/engine/analysis.hpp"
#include "core/index/rank_count.hpp"

#include <optional>
#include <string>
#include <vector>

namespace core {

// The parts of a table that a chart draws; shared by two tables whose charts are shown side by
// side.
struct ChartChoice {
    std::vector<std::size_t> measures;   // columns
    std::vector<std::string> parts;      // values of the series key, if it makes parts
    bool has_others = false;             // the last part sums all other values
    std::string series;                  // error bars: the shown name; empty: each table's own choice
};
ChartChoice choose_chart(const Analysis&, std::span<const Table* const> tables);

// Value of a bar whose rows are from several ranks: a sum over ranks would pose as one rank's time.
enum class OverRanks : std::uint8_t { Mean, Slowest };

struct ChartModel {
    ChartKind kind = ChartKind::None;    // None: nothing to draw
    Unit unit = Unit::Ns;
    std::vector<std::string> parts;                  // part names: measures or values of the series key
    bool parts_are_sets = false;                     // names of sets of kernel classes
    bool parts_are_names = false;                    // names of the trace, not our ids
    struct Item {
        std::string label;
        std::vector<double> values;                  // one per part; error bars: mean, least, greatest
        std::size_t row = 0;                         // its first source row in the table
        bool known = false;                          // has any value
        // If parts are key values: the first row of this item per part; nullopt for missing parts.
        std::vector<std::optional<std::size_t>> rows_of_parts = {};
    };
    std::vector<Item> items;
    std::vector<std::string> series;                 // error bars: selectable names, most important first
    bool is_rank = false;                            // items are ranks
    std::size_t category = 0;                        // column of the item labels
    std::optional<std::size_t> split;                // column of the part names, if they are values of a key
    std::string measure;                             // name of the first shown column
    bool has_numbers = false;                        // the table has numbers, shown or not
    bool has_others = false;                         // the last part sums values without a part
    std::vector<std::optional<std::size_t>> part_rows;  // by part: its first row; none for others
    RankCount ranks;                                 // largest number of ranks in one bar; none: one rank each
    OverRanks over = OverRanks::Mean;
    std::string words_of_ranks() const;              // "mean of 8 ranks", "the slowest of 8 ranks, bar by bar", ""

    // `over`: a bar of several ranks is the mean of the ranks that have it, or the rank with the largest sum.
    // `chosen_series`: the name shown by error bars, or the first if absent. Without a choice: the
    // table's own.
    static ChartModel of(const Analysis&, const Table&, std::string_view chosen_series, const ChartChoice* = nullptr,
                         OverRanks over = OverRanks::Mean);
};

}  // namespace core
