#include "core/export/csv.hpp"

#include "core/base/terminal_text.hpp"
#include "core/export/number_text.hpp"
#include "core/index/run.hpp"

#include <algorithm>
#include <charconv>

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
        case Unit::FlopPerSecond:
            return "_flop_per_s";
        case Unit::FlopPerByte:
            return "_flop_per_byte";
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

// Replaces tabs and line ends inside a field by blanks.
void add_plain_field(std::string& out, std::string_view text) {
    const std::size_t begin = out.size();
    out += text;
    std::replace_if(
        out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(),
        [](char c) { return c == '\t' || c == '\n' || c == '\r' || c == '\0'; }, ' ');
}

// True if a spreadsheet takes the text for a number.
bool is_number(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() &&
           text.find_first_of("0123456789") != std::string_view::npos;
}

// "-inf" of a query is as harmless as a number.
void add_guarded_field(std::string& out, std::string_view text) {
    const bool is_formula = !text.empty() && std::string_view("=+-@\t\r").find(text[0]) != std::string_view::npos;
    const std::string plain = terminal_text(text);
    add_field(out, is_formula && !is_number(text) && text != "-inf" ? "'" + plain : plain);
}

using AddField = void (*)(std::string&, std::string_view);

void add_cell(std::string& out, const Table& table, std::size_t row, std::size_t column, AddField add) {
    if (table.absent(row, column)) return;
    const Unit unit = table.columns()[column].unit;
    if (unit == Unit::Text)
        add(out, table.text(row, column));
    else if (unit == Unit::Rank)
        out += format_rank(RankKey::unpacked(table.integer(row, column)));
    else if (is_integer(unit))
        out += std::to_string(table.integer(row, column));
    else
        out += shortest_text(table.number(row, column));
}

std::string title_with_unit(const Column& column) { return column.name + std::string(suffix(column.unit)); }

}  // namespace

std::string to_csv(const Table& table, CsvCells cells) {
    const AddField add_text = cells == CsvCells::Raw ? add_field : add_guarded_field;
    std::string out;
    const std::size_t columns = table.columns().size();
    for (std::size_t c = 0; c < columns; ++c) {
        if (c > 0) out += ',';
        add_text(out, title_with_unit(table.columns()[c]));
    }
    out += '\n';
    for (std::size_t row = 0; row < table.rows(); ++row) {
        for (std::size_t c = 0; c < columns; ++c) {
            if (c > 0) out += ',';
            add_cell(out, table, row, c, add_text);
        }
        out += '\n';
    }
    return out;
}

TsvText to_tsv(const Table& table, std::span<const std::size_t> rows, std::span<const std::size_t> columns,
               std::size_t most) {
    TsvText tsv;
    const auto add_line = [&](const auto& add) {
        for (std::size_t i = 0; i < columns.size(); ++i) {
            if (i > 0) tsv.text += '\t';
            add(columns[i]);
        }
        tsv.text += '\n';
    };
    add_line([&](std::size_t column) { add_plain_field(tsv.text, title_with_unit(table.columns()[column])); });
    for (const std::size_t row : rows) {
        const std::size_t before = tsv.text.size();
        add_line([&](std::size_t column) { add_cell(tsv.text, table, row, column, add_plain_field); });
        if (tsv.text.size() > most) {
            tsv.text.resize(before);
            break;
        }
        ++tsv.rows;
    }
    return tsv;
}

}  // namespace core
