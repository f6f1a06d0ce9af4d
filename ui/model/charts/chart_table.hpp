#pragma once
// The numbers of a chart as a table, with columns named like those of analyses:
// "exposed_communication". No ImGui.

#include "core/analysis/engine/table.hpp"
#include "core/diff/align/side.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ui {

class ChartTable {
public:
    void add_texts(std::string_view title, std::vector<std::string> texts);
    // Non-finite values are absent. Integers stay integers.
    void add_numbers(std::string_view title, core::Unit, std::vector<double> numbers);
    // Adds baseline, candidate and change; their column names begin with the title, if any.
    void add_pair(std::string_view title, core::Unit, const core::BySide<std::vector<double>>& numbers);
    core::Table table() const;  // all columns must have the same length

private:
    struct Part {
        core::Column column;
        std::vector<std::string> texts;
        std::vector<double> numbers;
    };
    std::vector<Part> parts_;
};

}  // namespace ui
