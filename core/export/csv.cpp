#include "core/export/csv.hpp"

#include "core/export/number_text.hpp"
#include "core/index/run.hpp"

namespace core {
namespace {

std::string_view suffix(Unit unit) {
    switch (unit) {
        case Unit::Ns:
            return "_ns";
        case Unit::Bytes:
            return "_bytes";
        case Unit::BytesPerSecond:
            return "_bytes_per_s";
        default:
            return "";
    }
}

void add_field(std::string& out, std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
        out += text;
        return;
    }
    out += '"';
    for (const char c : text) {
        if (c == '"') out += '"';
        out += c;
    }
    out += '"';
}

void add_cell(std::string& out, const Table& table, std::size_t row, std::size_t column) {
    if (table.absent(row, column)) return;
    const Unit unit = table.columns()[column].unit;
    if (unit == Unit::Text)
        add_field(out, table.text(row, column));
    else if (unit == Unit::Rank)
        out += format_rank(RankKey::unpacked(table.integer(row, column)));
    else if (is_integer(unit))
        out += std::to_string(table.integer(row, column));
    else
        out += shortest_text(table.number(row, column));
}

}  // namespace

std::string to_csv(const Table& table) {
    std::string out;
    const std::size_t columns = table.columns().size();
    for (std::size_t c = 0; c < columns; ++c) {
        if (c > 0) out += ',';
        add_field(out, table.columns()[c].name + std::string(suffix(table.columns()[c].unit)));
    }
    out += '\n';
    for (std::size_t row = 0; row < table.rows(); ++row) {
        for (std::size_t c = 0; c < columns; ++c) {
            if (c > 0) out += ',';
            add_cell(out, table, row, c);
        }
        out += '\n';
    }
    return out;
}

}  // namespace core
