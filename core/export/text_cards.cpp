#include "core/export/text_cards.hpp"

#include "core/base/terminal_text.hpp"
#include "core/export/text_table.hpp"

#include <algorithm>
#include <vector>

namespace core {
namespace {

constexpr std::size_t kProse = 40;  // cells from which a text has a line of its own
constexpr std::size_t kIndent = 3;
constexpr std::string_view kBetweenFacts = " \xC2\xB7 ";

std::string between(std::string_view code, std::string_view text, const TerminalStyle& style) {
    const std::string safe = terminal_text(text);
    return style.colour && !safe.empty() ? "\x1B[" + std::string(code) + "m" + safe + "\x1B[0m" : safe;
}

enum class Place : std::uint8_t { Title, Fact, Prose };

// By the longest cell, so that a column has one place in all cards.
Place place_of(const Table& table, std::size_t column) {
    const Column& about = table.columns()[column];
    if (about.role == Role::Key) return Place::Title;
    if (about.unit != Unit::Text) return Place::Fact;
    std::size_t longest = 0;
    for (std::size_t row = 0; row < table.rows(); ++row)
        if (!table.absent(row, column)) longest = std::max(longest, display_width(table.text(row, column)));
    return longest >= kProse ? Place::Prose : Place::Fact;
}

std::string plain_words(std::string_view name) {
    std::string words(name);
    std::ranges::replace(words, '_', ' ');
    return words;
}

// "rank 3", "late-rank", "saved 12.2 ms"
std::string fact_of(const Table& table, std::size_t row, std::size_t column) {
    const Column& about = table.columns()[column];
    const std::string value = format_cell(table, row, column);
    return about.unit == Unit::Text ? value : plain_words(about.name) + " " + value;
}

void join_to(std::string& text, const std::string& more) {
    if (!more.empty()) text += (text.empty() ? "" : std::string(kBetweenFacts)) + more;
}

}  // namespace

std::string bold(std::string_view text, const TerminalStyle& style) { return between("1", text, style); }
std::string red(std::string_view text, const TerminalStyle& style) { return between("31", text, style); }

std::string wrap_words(std::string_view text, std::size_t columns, std::size_t indent) {
    const std::string safe = terminal_text(text);
    const std::size_t room = std::max<std::size_t>(columns > indent ? columns - indent : 0, 1);
    std::string out, line;
    std::size_t width = 0;
    const auto end_line = [&] {
        if (!line.empty()) out += std::string(indent, ' ') + line + "\n";
        line.clear();
        width = 0;
    };
    std::string_view rest = safe;
    while (!rest.empty()) {
        const std::size_t begin = std::min(rest.find_first_not_of(' '), rest.size());
        rest.remove_prefix(begin);
        const std::string_view word = rest.substr(0, std::min(rest.find(' '), rest.size()));
        if (word.empty()) break;
        const std::size_t wide = display_width(word);
        if (width > 0 && width + 1 + wide > room) end_line();
        line += (width > 0 ? " " : "") + std::string(word);
        width += (width > 0 ? 1 : 0) + wide;
        rest.remove_prefix(word.size());
    }
    end_line();
    return out;
}

bool reads_as_cards(const Table& table) { return table.find_column("advice") < table.columns().size(); }

std::string to_text_cards(const Table& table, const TerminalStyle& style) {
    std::vector<Place> places;
    for (std::size_t column = 0; column < table.columns().size(); ++column) places.push_back(place_of(table, column));
    std::string out;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        std::string title, facts, prose;
        for (std::size_t column = 0; column < places.size(); ++column) {
            if (table.absent(row, column)) continue;
            const Column& about = table.columns()[column];
            if (places[column] == Place::Prose) {
                const std::string text(table.text(row, column));
                if (text.empty()) continue;
                const std::string label = about.name == "evidence" ? ""
                                          : about.name == "advice" ? "\xE2\x86\x92 "
                                                                   : plain_words(about.name) + ": ";
                prose += wrap_words(label + text, style.columns, kIndent);
            } else if (about.unit != Unit::Event) {
                const bool is_title = places[column] == Place::Title || (facts.empty() && about.unit == Unit::Text);
                join_to(is_title ? title : facts, fact_of(table, row, column));
            }
        }
        const std::string number = std::to_string(row + 1);
        out += (row > 0 ? "\n" : "") + number +
               std::string(kIndent > number.size() ? kIndent - number.size() : 1, ' ') + bold(title, style) + "\n" +
               wrap_words(facts, style.columns, kIndent) + prose;
    }
    return out;
}

}  // namespace core
