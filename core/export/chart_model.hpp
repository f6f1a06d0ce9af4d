#pragma once
// A table as a chart, as its analysis's row says: which column runs along the axis, which measures are
// parts, bars or error bars, which second key makes series. No ImGui, no colours.

#include "core/analysis/engine/analysis.hpp"

#include <optional>
#include <string>
#include <vector>

namespace core {

// What a chart draws of a table. Of two tables the same, so that their charts can stand beside each other.
struct ChartChoice {
    std::vector<std::size_t> measures;   // columns
    std::vector<std::string> parts;      // values of the series key, where it makes parts
    bool has_others = false;             // then the last part adds up all other values
    std::string series;                  // of error bars: whose; empty: as each table would choose
};
ChartChoice choose_chart(const Analysis&, std::span<const Table* const> tables);

struct ChartModel {
    ChartKind kind = ChartKind::None;    // None: nothing to draw
    Unit unit = Unit::Ns;
    std::vector<std::string> parts;                  // names of the parts; measures or values of the series key
    bool parts_are_sets = false;                     // names of sets of kernel classes
    struct Item {
        std::string label;
        std::vector<double> values;                  // one per part; of error bars: mean, least, greatest
        std::size_t row = 0;                         // the first of the table that it is made of
        bool known = false;                          // any of its values is there
        // Where parts are values of a key: the first row of this item and the part; none for a part it lacks.
        std::vector<std::optional<std::size_t>> rows_of_parts = {};
    };
    std::vector<Item> items;
    std::vector<std::string> series;                 // of error bars: the names to choose from, most important first
    bool is_rank = false;                            // items are ranks
    std::size_t category = 0;                        // the column of the items' labels
    std::optional<std::size_t> split;                // the column of the parts' names, if they are values of one
    std::string measure;                             // name of the first column that is shown
    bool has_numbers = false;                        // the table has some, whatever the chart shows of them
    bool has_others = false;                         // the last part is all values that have none of their own
    std::vector<std::optional<std::size_t>> part_rows;  // then of each part the first row that has it; of others none

    // `chosen_series` counts for error bars: of which name; the first if it is not there. Without a choice: the table's own.
    static ChartModel of(const Analysis&, const Table&, std::string_view chosen_series, const ChartChoice* = nullptr);
};

}  // namespace core
