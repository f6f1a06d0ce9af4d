#include "core/diff/join/compare_tables.hpp"

#include "core/analysis/engine/rounding.hpp"
#include "core/diff/join/join_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace core {
namespace {

constexpr std::array<std::string_view, kParts> kPartNames = {"baseline", "candidate", "change", "ratio"};

std::vector<std::size_t> measure_columns(const Table& table) {
    std::vector<std::size_t> measures;
    for (std::size_t c = 0; c < table.columns().size(); ++c) {
        if (table.columns()[c].role == Role::Measure) measures.push_back(c);
    }
    return measures;
}

// An averaged count is no longer an integer.
Unit unit_of(const Column& measure, const Averages& averages) {
    return averages.used && measure.adds_up && measure.unit == Unit::Count ? Unit::Number : measure.unit;
}

Column part_column(const Column& measure, Part part, Unit unit) {
    constexpr std::array<std::string_view, kParts> kMeanings = {"in the baseline", "in the candidate",
                                                                "candidate - baseline", "candidate / baseline"};
    const auto at = static_cast<std::size_t>(part);
    return {measure.name + "." + std::string(kPartNames[at]),
            part == Part::Ratio ? Unit::Ratio : unit,
            Role::Measure,
            Facet::None,
            measure.meaning + ": " + std::string(kMeanings[at]),
            measure.adds_up && part != Part::Ratio,
            {},
            better_of(measure)};
}

std::vector<Column> compared_columns(const Table& table, const Averages& averages) {
    std::vector<Column> columns;
    for (const std::size_t c : key_columns(table)) columns.push_back(table.columns()[c]);
    columns.push_back({"presence", Unit::Text, Role::Info, Facet::None, "both, added (candidate only), removed"});
    for (const std::size_t c : measure_columns(table)) {
        const Column& measure = table.columns()[c];
        const Unit unit = unit_of(measure, averages);
        for (std::size_t part = 0; part < kParts; ++part)
            columns.push_back(part_column(measure, static_cast<Part>(part), unit));
    }
    return columns;
}

bool looks_like_lead(const Column& measure) {
    return measure.unit == Unit::Ns && (measure.name == "total" || measure.name == "time");
}

std::size_t choose_lead(const Table& table, const std::vector<std::size_t>& measures, std::string_view name) {
    const auto find = [&](auto fits) {
        const auto it = std::ranges::find_if(measures, [&](std::size_t c) { return fits(table.columns()[c]); });
        return static_cast<std::size_t>(it - measures.begin());
    };
    std::size_t lead = find([&](const Column& measure) { return measure.name == name; });
    if (lead == measures.size()) lead = find(looks_like_lead);
    if (lead == measures.size()) lead = find([](const Column& measure) { return measure.unit == Unit::Ns; });
    if (lead == measures.size()) lead = find([](const Column& measure) { return is_quantity(measure.unit); });
    return lead;
}

// value × times / by, half up.
std::int64_t averaged(Wide value, const Divisor& divisor) {
    const Wide twice = 2 * value * divisor.times + divisor.by;
    const Wide by = 2 * Wide{divisor.by};
    const Wide quotient = twice / by;
    return clamped(quotient - (twice % by < 0 ? 1 : 0));
}

class Comparer {
public:
    Comparer(const BySide<const Table*>& tables, const Averages& averages, const NamePairing& names,
             std::string_view lead)
        : tables_(tables),
          averages_(averages),
          names_(names),
          keys_(key_columns(*tables.baseline)),
          measures_(measure_columns(*tables.baseline)),
          rank_(tables.baseline->columns().size()) {
        for (const std::size_t c : keys_) {
            if (tables.baseline->columns()[c].facet == Facet::Rank) rank_ = c;
        }
        result_.table = Table(compared_columns(*tables.baseline, averages));
        result_.keys = keys_.size();
        result_.measures = measures_.size();
        result_.lead = choose_lead(*tables.baseline, measures_, lead);
    }

    void add(BySide<std::vector<std::size_t>> rows) {
        std::vector<std::string> names;  // texts referenced by cells
        names.reserve(keys_.size());
        std::vector<Cell> cells;
        for (const std::size_t c : keys_) cells.push_back(key_cell(rows, c, names));
        cells.emplace_back(rows.baseline.empty()    ? std::string_view("added")
                           : rows.candidate.empty() ? std::string_view("removed")
                                                    : std::string_view("both"));
        for (const std::size_t c : measures_) add_measure(cells, c, rows);
        result_.table.add_row(cells);
        dropped_ += rows.baseline.size() > 1 || rows.candidate.size() > 1 ? 1 : 0;
        result_.sources.push_back(std::move(rows));
    }

    Comparison finish() && {
        sort();
        if (dropped_ > 0) {
            result_.notes.push_back(std::to_string(dropped_) + (dropped_ == 1 ? " row combines" : " rows combine") +
                                    " several names: counts and sums are added, other measures are absent");
        }
        return std::move(result_);
    }

private:
    const Column& about(std::size_t column) const { return tables_.baseline->columns()[column]; }

    Cell key_cell(const BySide<std::vector<std::size_t>>& rows, std::size_t column,
                  std::vector<std::string>& names) const {
        const Side shown = rows.baseline.empty() ? Side::Candidate : Side::Baseline;
        const std::size_t row = rows[shown].front();
        if (!is_name(about(column)) || tables_[shown]->absent(row, column)) return tables_[shown]->cell(row, column);
        if (names_.matching() == NameMatching::Operator)
            return std::string_view(names.emplace_back(both_names(rows, column)));
        return std::string_view(names.emplace_back(names_.shown(shown, tables_[shown]->text(row, column))));
    }

    // "gemm", "gemm = nvjet +2": the first name of each side and the number of others.
    std::string both_names(const BySide<std::vector<std::size_t>>& rows, std::size_t column) const {
        BySide<std::string> of_side;
        for (const Side side : kSides) of_side[side] = side_names(side, rows[side], column);
        if (of_side.baseline.empty() || of_side.candidate.empty() || of_side.baseline == of_side.candidate)
            return of_side.baseline.empty() ? of_side.candidate : of_side.baseline;
        return of_side.baseline + " = " + of_side.candidate;
    }
    std::string side_names(Side side, const std::vector<std::size_t>& rows, std::size_t column) const {
        std::vector<std::string_view> distinct;
        for (const std::size_t row : rows) distinct.push_back(tables_[side]->text(row, column));
        if (distinct.empty()) return {};
        std::string text(distinct.front());
        std::ranges::sort(distinct);
        const auto repeated = std::ranges::unique(distinct);
        const auto others = std::ssize(distinct) - std::ssize(repeated) - 1;
        return others == 0 ? text : text + " +" + std::to_string(others);
    }

    // nullptr: nothing to average.
    const Divisor* find_divisor(Side side, std::size_t row) const {
        if (rank_ == tables_.baseline->columns().size()) return &averages_.of_run[side];
        const auto it = averages_.of_rank[side].find(tables_[side]->integer(row, rank_));
        return it == averages_.of_rank[side].end() ? nullptr : &it->second;
    }

    Cell averaged_cell(Side side, std::size_t row, const Cell& sum, Unit unit) const {
        const Divisor* const divisor = find_divisor(side, row);
        if (!divisor || std::holds_alternative<std::monostate>(sum)) return {};
        if (const auto* const integer = std::get_if<std::int64_t>(&sum); integer && is_integer(unit))
            return averaged(*integer, *divisor);
        const auto* const number = std::get_if<double>(&sum);
        const double value = number ? *number : static_cast<double>(std::get<std::int64_t>(sum));
        return value * static_cast<double>(divisor->times) / static_cast<double>(divisor->by);
    }

    // Sum of several rows: absent unless all have a value and the measure adds up.
    Cell sum_cell(Side side, const std::vector<std::size_t>& rows, std::size_t column) const {
        const Table& table = *tables_[side];
        if (rows.empty()) return {};
        if (rows.size() == 1) return table.cell(rows.front(), column);
        const auto is_absent = [&](std::size_t row) { return table.absent(row, column); };
        if (!about(column).adds_up || std::ranges::any_of(rows, is_absent)) return {};
        if (!is_integer(about(column).unit)) {
            const auto add = [&](double sum, std::size_t row) { return sum + table.number(row, column); };
            return std::accumulate(rows.begin(), rows.end(), 0.0, add);
        }
        const auto add = [&](Wide sum, std::size_t row) { return sum + table.integer(row, column); };
        return clamped(std::accumulate(rows.begin(), rows.end(), Wide{0}, add));
    }

    Cell value(Side side, const std::vector<std::size_t>& rows, std::size_t column) const {
        const Cell sum = sum_cell(side, rows, column);
        if (!averages_.used || !about(column).adds_up || rows.empty()) return sum;
        return averaged_cell(side, rows.front(), sum, unit_of(about(column), averages_));
    }

    void add_measure(std::vector<Cell>& cells, std::size_t column, const BySide<std::vector<std::size_t>>& rows) const {
        const Cell baseline = value(Side::Baseline, rows.baseline, column);
        const Cell candidate = value(Side::Candidate, rows.candidate, column);
        cells.insert(cells.end(), {baseline, candidate, Cell{}, Cell{}});
        if (!is_quantity(about(column).unit)) return;
        const auto set = [&](auto from, auto to) {
            if constexpr (std::is_same_v<decltype(from), std::int64_t>)
                cells[cells.size() - 2] = clamped(Wide{to} - from);
            else
                cells[cells.size() - 2] = to - from;
            if (from != 0) cells.back() = static_cast<double>(to) / static_cast<double>(from);
        };
        if (std::holds_alternative<std::int64_t>(baseline) && std::holds_alternative<std::int64_t>(candidate))
            set(std::get<std::int64_t>(baseline), std::get<std::int64_t>(candidate));
        if (std::holds_alternative<double>(baseline) && std::holds_alternative<double>(candidate))
            set(std::get<double>(baseline), std::get<double>(candidate));
    }

    double weight(std::size_t row) const {
        if (result_.measures == 0 || result_.lead == result_.measures) return 0;
        for (const Part part : {Part::Change, Part::Baseline, Part::Candidate}) {
            if (part != Part::Change && result_.table.text(row, result_.keys) == "both") break;
            const double size = std::abs(result_.table.number(row, result_.column(result_.lead, part)));
            if (!std::isnan(size)) return size;
        }
        return -1;
    }

    bool key_less(std::size_t a, std::size_t b) const {
        for (std::size_t c = 0; c < result_.keys; ++c) {
            const Cell left = result_.table.cell(a, c);
            const Cell right = result_.table.cell(b, c);
            if (left != right) return left < right;
        }
        return false;
    }

    void sort() {
        std::vector<double> weights(result_.table.rows());
        for (std::size_t row = 0; row < weights.size(); ++row) weights[row] = weight(row);
        std::vector<std::size_t> order(weights.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
            return weights[a] != weights[b] ? weights[a] > weights[b] : key_less(a, b);
        });
        std::vector<BySide<std::vector<std::size_t>>> sources(order.size());
        for (std::size_t i = 0; i < order.size(); ++i) sources[i] = std::move(result_.sources[order[i]]);
        result_.sources = std::move(sources);
        result_.table.sort_rows(order);
    }

    BySide<const Table*> tables_;
    const Averages& averages_;
    const NamePairing& names_;
    std::vector<std::size_t> keys_;
    std::vector<std::size_t> measures_;
    std::size_t rank_;
    std::size_t dropped_ = 0;
    Comparison result_;
};

std::string disjoint_note(const Column& key, NameMatching names) {
    std::string note = "no " + key.name + " is in both runs: every row is added or removed";
    if (is_name(key) && names == NameMatching::Exact) {
        note += "; normalised names pair those that differ in numbers only";
        if (key.facet == Facet::Kernel) note += ", names by operator those that one operator launched";
    }
    return note;
}

}  // namespace

std::string_view name_of(Part part) { return kPartNames[static_cast<std::size_t>(part)]; }

std::string_view Comparison::measure_name(std::size_t measure) const {
    const std::string_view name = table.columns()[column(measure, Part::Baseline)].name;
    return name.substr(0, name.size() - kPartNames[0].size() - 1);
}

bool is_quantity(Unit unit) {
    switch (unit) {
        case Unit::Count:
        case Unit::Number:
        case Unit::Ns:
        case Unit::Bytes:
        case Unit::BytesPerSecond:
        case Unit::Ratio:
        case Unit::Flop:
        case Unit::FlopPerSecond:
        case Unit::FlopPerByte:
            return true;
        default:
            return false;
    }
}

Comparison compare_tables(const BySide<const Table*>& tables, const RunAlignment& alignment, const Averages& averages,
                          const CompareOptions& options) {
    const NamePairing names(options.names, options.pairs);
    Comparer comparer(tables, averages, names, options.lead);
    JoinedRows joined = join_rows(tables, alignment, names);
    for (BySide<std::vector<std::size_t>>& rows : joined.rows) comparer.add(std::move(rows));
    Comparison comparison = std::move(comparer).finish();
    for (const std::size_t key : joined.disjoint_keys)
        comparison.notes.push_back(disjoint_note(tables.baseline->columns()[key], options.names));
    return comparison;
}

}  // namespace core
