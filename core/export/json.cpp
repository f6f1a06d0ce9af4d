#include "core/export/json.hpp"

#include "core/export/number_text.hpp"
#include "core/query/filter_text.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace core {
namespace {

// Calls item(i) for each, with commas between.
template <class Item>
void add_list(std::string& out, std::size_t count, std::string_view between, const Item& item) {
    for (std::size_t i = 0; i < count; ++i) {
        if (i > 0) out += between;
        item(i);
    }
}

std::string rank_text(RankKey key) {
    return key.capture == 0 ? std::to_string(key.number) : json_text(format_rank(key));
}

std::string number_or_null(double value) { return std::isfinite(value) ? shortest_text(value) : "null"; }

std::string cell_text(const Table& table, std::size_t row, std::size_t column) {
    if (table.absent(row, column)) return "null";
    const Unit unit = table.columns()[column].unit;
    if (unit == Unit::Text) return json_text(table.text(row, column));
    if (unit == Unit::Rank) return rank_text(RankKey::unpacked(table.integer(row, column)));
    return is_integer(unit) ? std::to_string(table.integer(row, column)) : number_or_null(table.number(row, column));
}

void add_table(std::string& out, const Table& table) {
    const std::vector<Column>& columns = table.columns();
    out += "\"columns\": [";
    add_list(out, columns.size(), ", ", [&](std::size_t c) {
        out += "{\"name\": " + json_text(columns[c].name) + ", \"unit\": " + json_text(name_of(columns[c].unit)) +
               ", \"role\": " + json_text(name_of(columns[c].role)) + "}";
    });
    out += "],\n \"rows\": [";
    add_list(out, table.rows(), ",", [&](std::size_t row) {
        out += "\n  [";
        add_list(out, columns.size(), ", ", [&](std::size_t c) { out += cell_text(table, row, c); });
        out += ']';
    });
    out += ']';
}

void add_params(std::string& out, const Analysis& analysis, const Params& params) {
    out += "\"params\": {";
    add_list(out, params.size(), ", ", [&](std::size_t i) {
        const Param& param = analysis.params[i];
        out += json_text(param.name) + ": ";
        if (param.choices.empty())
            out += std::to_string(params[i]);
        else
            out += json_text(param.choices[static_cast<std::size_t>(params[i])]);
    });
    out += '}';
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
        out += "{\"name\": " + json_text(series.name) + ", \"rank\": " + rank_text(run.rank(series.slot).key) +
               ", \"unit\": " + json_text(name_of(series.unit)) + ", \"time\": [";
        add_list(out, series.time.size(), ", ",
                 [&](std::size_t k) { out += std::to_string((series.time[k] - run.origin()).count()); });
        out += "], \"value\": [";
        add_list(out, series.value.size(), ", ", [&](std::size_t k) { out += number_or_null(series.value[k]); });
        out += "]}";
    });
    out += ']';
}

void add_marks(std::string& out, const Answer& answer, const Run& run) {
    if (answer.marks.empty()) return;
    out += ",\n \"marks\": [";
    add_list(out, answer.marks.size(), ",\n  ", [&](std::size_t i) {
        const Mark& mark = answer.marks[i];
        out += "{\"rank\": " + rank_text(run.rank(mark.event.slot).key) +
               ", \"event\": " + std::to_string(index_of(mark.event.event)) + ", \"label\": " + json_text(mark.label) +
               "}";
    });
    out += ']';
}

void add_excluded(std::string& out, const Answer& answer) {
    out += ",\n \"excluded\": [";
    add_list(out, answer.excluded.size(), ", ", [&](std::size_t i) {
        const Excluded& excluded = answer.excluded[i];
        out += "{\"what\": " + json_text(excluded.what) + ", \"count\": " + std::to_string(excluded.count) + "}";
    });
    out += ']';
}

}  // namespace

std::string json_text(std::string_view text) {
    const nlohmann::json value = text;
    return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_table(const Table& table) {
    std::string out;
    add_table(out, table);
    return out;
}

std::string json_params(const Analysis& analysis, const Params& params) {
    std::string out;
    add_params(out, analysis, params);
    return out;
}

std::string json_diagnostics(const Diagnostics& diagnostics, bool with_meanings) {
    std::string out = "\"diagnostics\": [";
    add_list(out, diagnostics.entries().size(), ",", [&](std::size_t i) {
        const Diagnostic& entry = diagnostics.entries()[i];
        out += "\n  {\"kind\": " + json_text(entry.kind->id) + ", \"count\": " + std::to_string(entry.count) +
               ", \"first\": " + json_text(entry.first);
        if (with_meanings) {
            out += ", \"severity\": " + json_text(name_of(entry.kind->severity)) +
                   ", \"meaning\": " + json_text(entry.kind->meaning);
        }
        out += '}';
    });
    return out + ']';
}

std::string to_json(const Analysis& analysis, const Run& run, const Filter& filter, const Params& params,
                    const Answer& answer) {
    std::string out =
        "{\"schema\": " + std::to_string(kJsonSchema) + ", \"version\": " + json_text(LOCKSTEP_VERSION) + ",\n";
    out += " \"analysis\": " + json_text(analysis.id) + ", \"run\": " + json_text(run.name()) +
           ", \"filter\": " + json_text(format_filter(filter)) + ", ";
    add_params(out, analysis, params);
    out += ",\n ";
    add_table(out, answer.main());
    add_more_tables(out, answer);
    add_series(out, answer, run);
    add_marks(out, answer, run);
    add_excluded(out, answer);
    return out + ",\n " + json_diagnostics(run.all_diagnostics()) + "}\n";
}

}  // namespace core
