#include "core/export/comparison.hpp"

#include "core/export/json.hpp"
#include "core/export/text_table.hpp"
#include "core/query/filter_text.hpp"

#include <algorithm>

namespace core {
namespace {

constexpr std::size_t kUsualColumns = 120;
constexpr std::size_t kNameColumns = 28;  // what a long name is cut to, at least, before a change is left out
constexpr std::size_t kColumnGap = 2;

// --- JSON

template <class Items, class Item>
std::string json_list(const Items& items, std::string_view between, const Item& item) {
    std::string out = "[";
    bool first = true;
    for (const auto& one : items) {
        if (!first) out += between;
        first = false;
        out += item(one);
    }
    return out + "]";
}

std::string json_rank(RankKey key) {
    return key.capture == 0 ? std::to_string(key.number) : json_text(format_rank(key));
}

std::string json_alignment(const RunAlignment& alignment) {
    const auto anchor = [&](Side side) {
        return json_text(name_of(side)) + ": " +
               std::to_string((alignment.anchor[side] - alignment.origin[side]).count());
    };
    const auto flag = [](bool value) { return std::string(value ? "true" : "false"); };
    return "\"alignment\": {\"ranks_by_number\": " + flag(alignment.ranks_by_number) + ", \"ranks\": " +
           json_list(alignment.ranks, ", ",
                     [](const BySide<RankKey>& pair) {
                         return "[" + json_rank(pair.baseline) + ", " + json_rank(pair.candidate) + "]";
                     }) +
           ", \"steps_by_number\": " + flag(alignment.steps_by_number) + ", \"steps\": " +
           json_list(alignment.steps, ", ",
                     [](const BySide<StepBegin>& pair) {
                         return "[" + std::to_string(pair.baseline.number) + ", " +
                                std::to_string(pair.candidate.number) + "]";
                     }) +
           ", \"anchor\": {" + anchor(Side::Baseline) + ", " + anchor(Side::Candidate) + "}}";
}

std::string json_excluded(const BySide<Answer>& answers) {
    std::vector<std::string> items;
    for (const Side side : kSides) {
        for (const Excluded& excluded : answers[side].excluded) {
            items.push_back("{\"side\": " + json_text(name_of(side)) + ", \"what\": " + json_text(excluded.what) +
                            ", \"count\": " + std::to_string(excluded.count) + "}");
        }
    }
    return "\"excluded\": " + json_list(items, ", ", [](const std::string& item) { return item; });
}

std::string json_diagnostics_of(const BySide<const Run*>& runs) {
    std::vector<std::string> items;
    for (const Side side : kSides) {
        const Diagnostics diagnostics = runs[side]->all_diagnostics();
        for (const Diagnostic& entry : diagnostics.entries()) {
            items.push_back("\n  {\"side\": " + json_text(name_of(side)) + ", \"kind\": " + json_text(entry.kind->id) +
                            ", \"count\": " + std::to_string(entry.count) + ", \"first\": " + json_text(entry.first) +
                            "}");
        }
    }
    return "\"diagnostics\": " + json_list(items, ",", [](const std::string& item) { return item; });
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
    TextOfColumn text{{about.name, about.unit != Unit::Text}, {}, display_width(about.name)};
    for (std::size_t row = 0; row < comparison.table.rows(); ++row) {
        text.cells.push_back(cell_text(comparison, row, column));
        text.width = std::max(text.width, display_width(text.cells.back()));
    }
    return text;
}

std::size_t least_width(const TextOfColumn& text) {
    return kColumnGap + (text.title.right_aligned ? text.width : std::min(text.width, kNameColumns));
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
        if (width > most_columns + kColumnGap) break;  // no gap before the first
        chosen.push_back(std::move(change));
    }
    return chosen;
}

}  // namespace

std::string to_json(const DiffQuery& query, const BySide<const Run*>& runs, const RunAlignment& alignment,
                    const RunComparison& result) {
    std::string out =
        "{\"schema\": " + std::to_string(kJsonSchema) + ", \"version\": " + json_text(LOCKSTEP_VERSION) + ",\n";
    out += " \"analysis\": " + json_text(query.analysis->id) + ", \"baseline\": " + json_text(runs.baseline->name()) +
           ", \"candidate\": " + json_text(runs.candidate->name()) +
           ", \"filter\": " + json_text(format_filter(query.filter)) + ", " +
           json_params(*query.analysis, query.params) + ", \"names\": " + json_text(name_of(query.names)) +
           (query.table.empty() ? "" : ", \"table\": " + json_text(query.table)) + ", \"pairs\": " +
           json_list(query.pairs, ", ",
                     [](const NamePair& pair) {
                         return "[" + json_text(pair.baseline) + ", " + json_text(pair.candidate) + "]";
                     }) +
           ",\n ";
    out += json_alignment(alignment) + ",\n \"notes\": " +
           json_list(result.comparison.notes, ", ", [](const std::string& note) { return json_text(note); });
    out += ",\n " + json_table(result.comparison.table);
    return out + ",\n " + json_excluded(result.answers) + ",\n " + json_diagnostics_of(runs) + "}\n";
}

std::string to_text(const Comparison& comparison, std::size_t most_columns) {
    const std::vector<TextOfColumn> chosen =
        choose_columns(comparison, most_columns == 0 ? kUsualColumns : most_columns);
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
