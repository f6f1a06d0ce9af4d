#include "ui/model/panels/matrix_model.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace ui {
namespace {

std::optional<std::int32_t> parse_destination(std::string_view text) {
    std::int32_t number = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

bool is_before(const std::optional<std::int32_t>& a, const std::optional<std::int32_t>& b) {
    return a && b ? *a < *b : a.has_value() && !b;
}

template <class T, class Less>
void sort_unique(std::vector<T>& values, Less less) {
    std::ranges::sort(values, less);
    const auto rest = std::ranges::unique(values);
    values.erase(rest.begin(), rest.end());
}

}  // namespace

MatrixModel MatrixModel::of(const core::Table& table, std::size_t measure) {
    MatrixModel model;
    model.measure = measure;
    const std::size_t source = table.find_column("source"), destination = table.find_column("destination");
    const std::size_t bytes = table.find_column("bytes"), time = table.find_column("time");
    const std::size_t value = table.find_column(kMatrixMeasures[measure].id);
    const std::size_t columns = table.columns().size();
    if (std::max({source, destination, bytes, time}) >= columns) return model;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        model.sources.push_back(core::RankKey::unpacked(table.integer(row, source)));
        model.destinations.push_back(parse_destination(table.text(row, destination)));
    }
    sort_unique(model.sources, std::less{});
    sort_unique(model.destinations, is_before);
    for (const core::RankKey rank : model.sources) model.source_labels.push_back(core::format_rank(rank));
    for (const auto& to : model.destinations) model.destination_labels.push_back(to ? std::to_string(*to) : "others");
    model.values.assign(model.sources.size() * model.destinations.size(), std::nan(""));
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const auto from = std::ranges::lower_bound(model.sources, core::RankKey::unpacked(table.integer(row, source)));
        const auto to =
            std::ranges::lower_bound(model.destinations, parse_destination(table.text(row, destination)), is_before);
        const auto cell = static_cast<std::size_t>(from - model.sources.begin()) * model.destinations.size() +
                          static_cast<std::size_t>(to - model.destinations.begin());
        const double ns = table.number(row, time);
        if (value < columns)
            model.values[cell] = table.number(row, value);
        else if (ns > 0)
            model.values[cell] = table.number(row, bytes) / ns * 1e9;
    }
    model.scale = find_heat_scale(model.values);
    model.scale.low = std::min(0.0, model.scale.low);  // amounts: equal cells look equal
    return model;
}

}  // namespace ui
