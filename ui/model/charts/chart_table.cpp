#include "ui/model/charts/chart_table.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

// "Exposed communication" → "exposed_communication". Names with capitals elsewhere are kept.
std::string column_name_of(std::string_view title) {
    std::string name(title);
    std::ranges::replace(name, ' ', '_');
    const bool word = name.size() > 1 && name[1] >= 'a' && name[1] <= 'z';
    if (word && name[0] >= 'A' && name[0] <= 'Z') name[0] = static_cast<char>(name[0] - 'A' + 'a');
    return name;
}

bool is_whole(double value) { return !std::isfinite(value) || (std::floor(value) == value && std::abs(value) < 9e15); }

// Means may have fractions of a nanosecond, which integer columns cannot hold; then the name has the unit.
core::Column column_of(std::string name, core::Unit unit, const std::vector<double>& numbers) {
    if (!core::is_integer(unit) && unit != core::Unit::Number) return {std::move(name), unit};
    if (std::ranges::all_of(numbers, is_whole))
        return {std::move(name), unit == core::Unit::Number ? core::Unit::Count : unit};
    if (unit == core::Unit::Ns) name += "_ns";
    if (unit == core::Unit::Bytes) name += "_bytes";
    return {std::move(name), core::Unit::Number};
}

}  // namespace

void ChartTable::add_texts(std::string_view title, std::vector<std::string> texts) {
    parts_.push_back({{column_name_of(title), core::Unit::Text, core::Role::Key}, std::move(texts), {}});
}

void ChartTable::add_numbers(std::string_view title, core::Unit unit, std::vector<double> numbers) {
    core::Column column = column_of(column_name_of(title), unit, numbers);
    parts_.push_back({std::move(column), {}, std::move(numbers)});
}

void ChartTable::add_pair(std::string_view title, core::Unit unit, const core::BySide<std::vector<double>>& numbers) {
    std::vector<double> change;
    for (std::size_t i = 0; i < numbers.baseline.size(); ++i)
        change.push_back(numbers.candidate[i] - numbers.baseline[i]);
    const std::string before = title.empty() ? std::string() : std::string(title) + " ";
    for (const core::Side side : core::kSides) add_numbers(before + std::string(name_of(side)), unit, numbers[side]);
    add_numbers(before + "change", unit, std::move(change));
}

core::Table ChartTable::table() const {
    std::vector<core::Column> columns;
    for (const Part& part : parts_) columns.push_back(part.column);
    core::Table table(std::move(columns));
    const std::size_t rows = parts_.empty() ? 0 : std::max(parts_[0].texts.size(), parts_[0].numbers.size());
    std::vector<core::Cell> cells(parts_.size());
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t p = 0; p < parts_.size(); ++p) {
            const Part& part = parts_[p];
            if (part.column.unit == core::Unit::Text)
                cells[p] = std::string_view(part.texts[row]);
            else if (!std::isfinite(part.numbers[row]))
                cells[p] = std::monostate{};
            else if (core::is_integer(part.column.unit))
                cells[p] = static_cast<std::int64_t>(part.numbers[row]);
            else
                cells[p] = part.numbers[row];
        }
        table.add_row(cells);
    }
    return table;
}

}  // namespace ui
