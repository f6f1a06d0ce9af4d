#include "core/export/comparison.hpp"

#include "core/diff/statistics/statistics_text.hpp"
#include "core/export/json.hpp"
#include "core/export/statistics_json.hpp"
#include "core/export/text_table.hpp"
#include "core/query/filter_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace core {
namespace {

constexpr std::size_t kUsualColumns = 120;
constexpr std::size_t kNameColumns = 28;  // long names shrink to this width before change columns are dropped
constexpr std::size_t kColumnGap = 2;

// --- JSON

SmallJson json_alignment(const RunAlignment& alignment) {
    SmallJson ranks = SmallJson::array();
    for (const BySide<RankKey>& pair : alignment.ranks)
        ranks.push_back(SmallJson::array({json_rank(pair.baseline), json_rank(pair.candidate)}));
    SmallJson steps = SmallJson::array();
    for (const BySide<StepBegin>& pair : alignment.steps)
        steps.push_back(SmallJson::array({pair.baseline.number, pair.candidate.number}));
    SmallJson anchor = SmallJson::object();
    for (const Side side : kSides)
        anchor[std::string(name_of(side))] = (alignment.anchor[side] - alignment.origin[side]).count();
    return {{"ranks_by_number", alignment.ranks_by_number},
            {"ranks", std::move(ranks)},
            {"steps_by_number", alignment.steps_by_number},
            {"steps", std::move(steps)},
            {"anchor", std::move(anchor)}};
}

SmallJson json_excluded(const BySide<Answer>& answers) {
    SmallJson all = SmallJson::array();
    for (const Side side : kSides) {
        for (const Excluded& excluded : answers[side].excluded)
            all.push_back({{"side", name_of(side)}, {"what", excluded.what}, {"count", excluded.count}});
    }
    return all;
}

SmallJson json_diagnostics_of(const BySide<const Run*>& runs) {
    SmallJson all = SmallJson::array();
    for (const Side side : kSides) {
        const Diagnostics diagnostics = runs[side]->all_diagnostics();
        for (const Diagnostic& entry : diagnostics.entries())
            all.push_back(
                {{"side", name_of(side)}, {"kind", entry.kind->id}, {"count", entry.count}, {"first", entry.first}});
    }
    return all;
}

// --- text

std::string cell_text(const Comparison& comparison, std::size_t row, std::size_t column) {
    std::string text = format_cell(comparison.table, row, column);
    const bool is_measure = column > comparison.keys;
    const bool is_change =
        is_measure && (column - comparison.keys - 1) % kParts == static_cast<std::size_t>(Part::Change);
    return is_change && comparison.table.number(row, column) > 0 ? "+" + text : text;
}

struct TextOfColumn {
    TextColumn title;
    std::vector<std::string> cells;
    std::size_t width = 0;
};

TextOfColumn text_of(const Comparison& comparison, std::size_t column) {
    const Column& about = comparison.table.columns()[column];
    TextOfColumn text{.title = {about.name, about.unit != Unit::Text}, .cells = {}, .width = display_width(about.name)};
    for (std::size_t row = 0; row < comparison.table.rows(); ++row) {
        text.cells.push_back(cell_text(comparison, row, column));
        text.width = std::max(text.width, display_width(text.cells.back()));
    }
    return text;
}

std::size_t least_width(const TextOfColumn& text) {
    return kColumnGap + (text.title.right_aligned ? text.width : std::min(text.width, kNameColumns));
}

// Columns of each row's verdict, the certainty of its change, and the probability of a false alarm.
void add_tests(std::vector<TextOfColumn>& columns, const Comparison& comparison, const RowStatistics& statistics) {
    TextOfColumn verdict{.title = {"verdict", false}, .cells = {}, .width = 0},
        q{.title = {"q", true}, .cells = {}, .width = 0},
        interval{.title = {"change 95 %", true}, .cells = {}, .width = 0};
    for (std::size_t row = 0; row < statistics.rows.size(); ++row) {
        const std::optional<Tested>& tested = statistics.rows[row];
        const std::string_view presence = comparison.table.text(row, comparison.keys);
        const std::optional<RowVerdict> known = verdict_of_row(presence, tested);
        verdict.cells.emplace_back(known ? words_of(*known) : "-");
        q.cells.push_back(tested && tested->q ? format_p(*tested->q) : "-");
        interval.cells.push_back(tested && tested->samples.welch ? describe_interval(tested->samples.welch->interval)
                                                                 : "-");
    }
    const auto at = columns.begin() + static_cast<std::ptrdiff_t>(comparison.keys);
    columns.insert(at, std::move(verdict));
    columns.push_back(std::move(interval));
    columns.push_back(std::move(q));
}

bool says_both_everywhere(const TextOfColumn& presence) {
    return std::ranges::all_of(presence.cells, [](const std::string& cell) { return cell == "both"; });
}

std::vector<TextOfColumn> choose_columns(const Comparison& comparison, std::size_t most_columns) {
    std::vector<TextOfColumn> chosen;
    for (std::size_t key = 0; key < comparison.keys; ++key) chosen.push_back(text_of(comparison, key));
    TextOfColumn presence = text_of(comparison, comparison.keys);
    if (!says_both_everywhere(presence)) chosen.push_back(std::move(presence));
    if (comparison.lead < comparison.measures) {
        for (std::size_t part = 0; part < kParts; ++part)
            chosen.push_back(text_of(comparison, comparison.column(comparison.lead, static_cast<Part>(part))));
    }
    std::size_t width = 0;
    for (const TextOfColumn& text : chosen) width += least_width(text);
    for (std::size_t measure = 0; measure < comparison.measures; ++measure) {
        if (measure == comparison.lead) continue;
        TextOfColumn change = text_of(comparison, comparison.column(measure, Part::Change));
        width += least_width(change);
        if (width > most_columns + kColumnGap) break;  // the first column has no gap
        chosen.push_back(std::move(change));
    }
    return chosen;
}

}  // namespace

std::string to_json(const DiffQuery& query, const BySide<const Run*>& runs, const RunAlignment& alignment,
                    const RunComparison& result, const RunStatistics* statistics, const Contributions* contributions,
                    const JsonOrigin& origin) {
    SmallJson first = json_header(origin);
    first["analysis"] = query.analysis->id;
    first["baseline"] = runs.baseline->name();
    first["candidate"] = runs.candidate->name();
    first["filter"] = format_filter(query.filter);
    first["params"] = json_params(*query.analysis, query.params);
    first["names"] = name_of(query.names);
    if (!query.table.empty()) first["table"] = query.table;
    first["pairs"] = SmallJson::array();
    for (const NamePair& pair : query.pairs)
        first["pairs"].push_back(SmallJson::array({pair.baseline, pair.candidate}));
    first["alignment"] = json_alignment(alignment);
    first["notes"] = result.comparison.notes;
    SmallJson last{{"excluded", json_excluded(result.answers)}, {"diagnostics", json_diagnostics_of(runs)}};
    if (statistics) last["statistics"] = json_statistics(*statistics, contributions);
    return "{" + json_members(first) + ",\n " + json_table(result.comparison.table) + ",\n " + json_members(last) +
           json_footer(origin) + "}\n";
}

std::string to_text(const Comparison& comparison, std::size_t most_columns, const RowStatistics* statistics) {
    std::vector<TextOfColumn> chosen = choose_columns(comparison, most_columns == 0 ? kUsualColumns : most_columns);
    if (statistics && !statistics->rows.empty()) add_tests(chosen, comparison, *statistics);
    std::vector<TextColumn> titles;
    for (const TextOfColumn& column : chosen) titles.push_back(column.title);
    std::vector<std::vector<std::string>> rows(comparison.table.rows());
    for (std::size_t row = 0; row < rows.size(); ++row) {
        for (const TextOfColumn& column : chosen) rows[row].push_back(column.cells[row]);
    }
    std::string text = layout_text_table(titles, rows, most_columns);
    for (const std::string& note : comparison.notes) text += "note: " + note + "\n";
    return text;
}

}  // namespace core
