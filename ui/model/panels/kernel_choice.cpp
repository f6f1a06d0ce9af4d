#include "ui/model/panels/kernel_choice.hpp"

#include "core/base/ascii.hpp"

#include <algorithm>
#include <unordered_map>

namespace ui {

std::vector<std::string> find_kernels(std::span<const core::Table* const> kernels, std::string_view text,
                                      std::size_t most) {
    std::unordered_map<std::string_view, double> totals;
    for (const core::Table* table : kernels) {
        const std::size_t name = table->find_column("kernel");
        const std::size_t total = table->find_column("total");
        if (std::max(name, total) >= table->columns().size()) continue;
        for (std::size_t row = 0; row < table->rows(); ++row)
            if (!table->absent(row, name) && !table->absent(row, total))
                totals[table->text(row, name)] += table->number(row, total);
    }
    std::vector<std::pair<double, std::string_view>> found;
    for (const auto& [name, total] : totals)
        if (core::contains_any_case(name, text)) found.emplace_back(total, name);
    std::ranges::sort(found, [](const auto& a, const auto& b) {
        return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    if (found.size() > most) found.resize(most);
    std::vector<std::string> names;
    for (const auto& [total, name] : found) names.emplace_back(name);
    return names;
}

const std::vector<std::string>& KernelChoice::ask(core::JobPool& pool, const core::BySide<core::AnswerPtr>& kernels,
                                                  const std::string& text) {
    static const std::vector<std::string> kNone;
    const Key key{kernels, text};
    shown_ = found_.ask(pool, key, [key] {
        std::vector<const core::Table*> tables;
        for (const core::Side side : core::kSides)
            if (key.kernels[side]) tables.push_back(&key.kernels[side]->main());
        return find_kernels(tables, key.text, kMost);
    });
    return shown_ ? *shown_ : kNone;
}

}  // namespace ui
