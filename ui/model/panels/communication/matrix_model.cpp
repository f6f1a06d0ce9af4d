#include "ui/model/panels/communication/matrix_model.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>

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

// Measure of a row; NaN for a bandwidth without time.
double value_of(const core::Table& table, std::size_t row, std::size_t measure) {
    const std::size_t value = table.find_column(kMatrixMeasures[measure].id);
    if (value < table.columns().size()) return table.number(row, value);
    const double ns = table.number(row, table.find_column("time"));
    return ns > 0 ? table.number(row, table.find_column("bytes")) / ns * 1e9 : std::nan("");
}

void set_scale(MatrixModel& model) {
    model.scale = core::find_heat_scale(model.values);
    model.scale.low = std::min(0.0, model.scale.low);  // amounts: equal cells look equal
}

}  // namespace

namespace {

// The sources with most bytes, rising, as many as a grid with these columns has room for.
std::vector<core::RankKey> choose_sources(const core::Table& table, std::vector<core::RankKey> sources,
                                          std::size_t columns) {
    constexpr std::size_t kMostCells = std::size_t{1} << 22;
    const std::size_t most = std::max<std::size_t>(1, kMostCells / std::max<std::size_t>(1, columns));
    if (sources.size() <= most) return sources;
    const std::size_t source = table.find_column("source"), bytes = table.find_column("bytes");
    std::map<core::RankKey, double> sent;
    for (std::size_t row = 0; row < table.rows(); ++row)
        if (!table.absent(row, bytes))
            sent[core::RankKey::unpacked(table.integer(row, source))] += table.number(row, bytes);
    std::ranges::stable_sort(sources, std::greater{}, [&](core::RankKey rank) { return sent[rank]; });
    sources.resize(most);
    std::ranges::sort(sources);
    return sources;
}

}  // namespace

MatrixModel MatrixModel::of(const core::Table& table, std::size_t measure) {
    MatrixModel model;
    model.measure = measure;
    const std::size_t source = table.find_column("source"), destination = table.find_column("destination");
    const std::size_t bytes = table.find_column("bytes"), time = table.find_column("time");
    const std::size_t columns = table.columns().size();
    if (std::max({source, destination, bytes, time}) >= columns) return model;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        model.sources.push_back(core::RankKey::unpacked(table.integer(row, source)));
        model.destinations.push_back(parse_destination(table.text(row, destination)));
    }
    sort_unique(model.sources, std::less{});
    sort_unique(model.destinations, is_before);
    const std::size_t all = model.sources.size();
    model.sources = choose_sources(table, std::move(model.sources), model.destinations.size());
    model.left_out = all - model.sources.size();
    for (const core::RankKey rank : model.sources) model.source_labels.push_back(core::format_rank(rank));
    for (const auto& to : model.destinations) model.destination_labels.push_back(to ? std::to_string(*to) : "others");
    model.values.assign(model.sources.size() * model.destinations.size(), std::nan(""));
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const core::RankKey own = core::RankKey::unpacked(table.integer(row, source));
        const auto from = std::ranges::lower_bound(model.sources, own);
        if (from == model.sources.end() || *from != own) continue;
        const auto to =
            std::ranges::lower_bound(model.destinations, parse_destination(table.text(row, destination)), is_before);
        const auto cell = static_cast<std::size_t>(from - model.sources.begin()) * model.destinations.size() +
                          static_cast<std::size_t>(to - model.destinations.begin());
        model.values[cell] = value_of(table, row, measure);
    }
    set_scale(model);
    return model;
}

MatrixModel MatrixModel::of_groups(const core::Table& table, std::size_t measure) {
    MatrixModel model;
    model.measure = measure;
    const std::size_t group = table.find_column("group"), rank = table.find_column("rank");
    if (std::max(group, rank) >= table.columns().size()) return model;
    std::vector<core::RankKey> members;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        model.groups.emplace_back(table.text(row, group));
        members.push_back(core::RankKey::unpacked(table.integer(row, rank)));
    }
    sort_unique(model.groups, std::less{});
    sort_unique(members, std::less{});
    model.source_labels = model.groups;
    for (const core::RankKey member : members) {
        model.destinations.emplace_back(member.number);
        model.destination_labels.push_back(core::format_rank(member));
    }
    model.values.assign(model.groups.size() * members.size(), std::nan(""));
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const auto from = std::ranges::lower_bound(model.groups, table.text(row, group));
        const auto to = std::ranges::lower_bound(members, core::RankKey::unpacked(table.integer(row, rank)));
        const auto cell = static_cast<std::size_t>(from - model.groups.begin()) * members.size() +
                          static_cast<std::size_t>(to - members.begin());
        model.values[cell] = value_of(table, row, measure);
    }
    set_scale(model);
    return model;
}

}  // namespace ui
