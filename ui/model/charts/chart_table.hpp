#pragma once
// The numbers of a chart as a table, column by column, named as analyses name theirs: "exposed_communication". No ImGui.

#include "core/analysis/engine/table.hpp"
#include "core/diff/side.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ui {

class ChartTable {
public:
    void add_texts(std::string_view title, std::vector<std::string> texts);
    // Not finite: absent. Whole numbers stay whole.
    void add_numbers(std::string_view title, core::Unit, std::vector<double> numbers);
    // Both runs' and the change, under the title, if there is one, with "baseline", "candidate", "change" behind it.
    void add_pair(std::string_view title, core::Unit, const core::BySide<std::vector<double>>& numbers);
    core::Table table() const;  // of columns that are equally long

private:
    struct Part {
        core::Column column;
        std::vector<std::string> texts;
        std::vector<double> numbers;
    };
    std::vector<Part> parts_;
};

}  // namespace ui
