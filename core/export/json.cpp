#include "core/export/json.hpp"

#include "core/export/number_text.hpp"
#include "core/query/filter_text.hpp"

#include <nlohmann/json.hpp>

namespace core {
namespace {

// Calls item(i) for each, writing commas between.
template <class Item>
void add_list(std::string& out, std::size_t count, std::string_view between, const Item& item) {
    for (std::size_t i = 0; i < count; ++i) {
        if (i > 0) out += between;
        item(i);
    }
}

std::string cell_text(const Table& table, std::size_t row, std::size_t column, const NumberCells& numbers) {
    if (table.absent(row, column)) return "null";
    const Unit unit = table.columns()[column].unit;
    if (is_number_cell(numbers, row, column)) return std::string(table.text(row, column));
    if (unit == Unit::Text) return json_text(table.text(row, column));
    if (unit == Unit::Rank) return json_rank(RankKey::unpacked(table.integer(row, column))).dump();
    return is_integer(unit) ? std::to_string(table.integer(row, column)) : shortest_text(table.number(row, column));
}

void add_table(std::string& out, const Table& table, const NumberCells& numbers = {}) {
    const std::vector<Column>& columns = table.columns();
    out += json_members({{"columns", json_columns(columns)}}) + ",\n \"rows\": [";
    add_list(out, table.rows(), ",", [&](std::size_t row) {
        out += "\n  [";
        add_list(out, columns.size(), ", ", [&](std::size_t c) { out += cell_text(table, row, c, numbers); });
        out += ']';
    });
    out += "],\n \"total_rows\": " + std::to_string(table.rows()) + ",\n \"truncated\": false";
}

void add_more_tables(std::string& out, const Answer& answer) {
    if (answer.tables.size() < 2) return;
    out += ",\n \"tables\": {";
    add_list(out, answer.tables.size() - 1, ",\n ", [&](std::size_t i) {
        out += json_text(answer.tables[i + 1].name) + ": {";
        add_table(out, answer.tables[i + 1].table);
        out += '}';
    });
    out += '}';
}

void add_series(std::string& out, const Answer& answer, const Run& run) {
    if (answer.series.empty()) return;
    out += ",\n \"series\": [";
    add_list(out, answer.series.size(), ",\n  ", [&](std::size_t i) {
        const Series& series = answer.series[i];
        out += "{\"name\": " + json_text(series.name) + ", \"rank\": " + json_rank(run.rank(series.slot).key).dump() +
               ", \"unit\": " + json_text(name_of(series.unit)) + ", \"time\": [";
        add_list(out, series.time.size(), ", ",
                 [&](std::size_t k) { out += std::to_string((series.time[k] - run.origin()).count()); });
        out += "], \"value\": [";
        add_list(out, series.value.size(), ", ", [&](std::size_t k) { out += shortest_text(series.value[k]); });
        out += "]}";
    });
    out += ']';
}

SmallJson json_marks(const Answer& answer, const Run& run) {
    SmallJson marks = SmallJson::array();
    for (const Mark& mark : answer.marks)
        marks.push_back({{"rank", json_rank(run.rank(mark.event.slot).key)},
                         {"event", index_of(mark.event.event)},
                         {"label", mark.label}});
    return marks;
}

SmallJson json_excluded(const Answer& answer) {
    SmallJson all = SmallJson::array();
    for (const Excluded& excluded : answer.excluded)
        all.push_back({{"what", excluded.what}, {"count", excluded.count}});
    return all;
}

std::string dump(const SmallJson& value) { return value.dump(-1, ' ', false, SmallJson::error_handler_t::replace); }

}  // namespace

std::string json_text(std::string_view text) { return dump(text); }

SmallJson json_rank(RankKey key) { return key.capture == 0 ? SmallJson(key.number) : SmallJson(format_rank(key)); }

std::string json_members(const SmallJson& object) {
    std::string out;
    for (const auto& [key, value] : object.items()) {
        if (!out.empty()) out += ",\n ";
        out += dump(key) + ": ";
        if (!value.is_array() || value.empty() || !value.front().is_object()) {
            out += dump(value);
            continue;
        }
        out += '[';
        add_list(out, value.size(), ",", [&](std::size_t i) { out += "\n  " + dump(value[i]); });
        out += ']';
    }
    return out;
}

bool is_number_cell(const NumberCells& numbers, std::size_t row, std::size_t column) {
    return column < numbers.size() && row < numbers[column].size() && numbers[column][row];
}

std::string json_table(const Table& table, const NumberCells& numbers) {
    std::string out;
    add_table(out, table, numbers);
    return out;
}

SmallJson json_header(const JsonOrigin& origin, std::string_view schema) {
    SmallJson header = {{"schema", schema}, {"lockstep", LOCKSTEP_VERSION}};
    if (!origin.command.empty()) header["command"] = origin.command;
    return header;
}

std::string json_footer(const JsonOrigin& origin) { return origin.sources.empty() ? "" : ",\n " + origin.sources; }

SmallJson json_columns(const std::vector<Column>& columns) {
    SmallJson all = SmallJson::array();
    for (const Column& column : columns)
        all.push_back({{"id", column.name},
                       {"unit", name_of(column.unit)},
                       {"role", name_of(column.role)},
                       {"meaning", column.meaning}});
    return all;
}

SmallJson json_params(const Analysis& analysis, const Params& params) {
    SmallJson object = SmallJson::object();
    for (std::size_t i = 0; i < params.size(); ++i) {
        const Param& param = analysis.params[i];
        if (param.choices.empty())
            object[std::string(param.name)] = params[i];
        else
            object[std::string(param.name)] = param.choices[static_cast<std::size_t>(params[i])];
    }
    return object;
}

SmallJson json_notes(const Analysis& analysis, const Run& run, const Filter& filter, const Answer& answer,
                     const Table& table) {
    SmallJson notes = SmallJson::array();
    for (const Excluded& excluded : answer.excluded)
        notes.push_back("left out: " + std::to_string(excluded.count) + " " + excluded.what);
    if (has_no_numbers(table)) notes.push_back("no rows: " + explain_no_rows(analysis, run, filter).sentence);
    return notes;
}

SmallJson json_diagnostics(const Diagnostics& diagnostics, bool with_meanings) {
    SmallJson all = SmallJson::array();
    for (const Diagnostic& entry : diagnostics.entries()) {
        SmallJson& one =
            all.emplace_back(SmallJson{{"kind", entry.kind->id}, {"count", entry.count}, {"first", entry.first}});
        if (!with_meanings) continue;
        one["severity"] = name_of(entry.kind->severity);
        one["meaning"] = entry.kind->meaning;
    }
    return all;
}

std::string to_json(const Analysis& analysis, const Run& run, const Filter& filter, const Params& params,
                    const Answer& answer, const JsonOrigin& origin) {
    SmallJson first = json_header(origin);
    first["analysis"] = analysis.id;
    first["run"] = run.name();
    first["filter"] = format_filter(filter);
    first["params"] = json_params(analysis, params);
    std::string out = "{" + json_members(first) + ",\n ";
    add_table(out, answer.main());
    add_more_tables(out, answer);
    add_series(out, answer, run);
    SmallJson last = SmallJson::object();
    if (!answer.marks.empty()) last["marks"] = json_marks(answer, run);
    last["notes"] = json_notes(analysis, run, filter, answer, answer.main());
    last["excluded"] = json_excluded(answer);
    last["diagnostics"] = json_diagnostics(run.all_diagnostics());
    return out + ",\n " + json_members(last) + json_footer(origin) + "}\n";
}

}  // namespace core
