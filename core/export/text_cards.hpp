#pragma once
// Rows that are advice, for a terminal: a card each instead of a line of a wide table. Prose is wrapped between words
// and never cut.

#include "core/analysis/engine/table.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace core {

struct TerminalStyle {
    std::size_t columns = 80;  // width
    bool colour = false;       // and bold, by escape sequences
};
// The text between the escape sequences for bold or red, where the style has colour. What it holds cannot steer the
// terminal: see terminal_text.
std::string bold(std::string_view text, const TerminalStyle&);
std::string red(std::string_view text, const TerminalStyle&);

// Lines of at most so many cells, each after so many blanks and ended by a line end. A word that is longer has a line
// of its own. One line of text in, terminal_text of it out.
std::string wrap_words(std::string_view text, std::size_t columns, std::size_t indent = 0);

// Whether a table reads as cards: its rows have advice.
bool reads_as_cards(const Table&);
// A card per row: a title of its keys and short texts, its numbers, then its prose.
std::string to_text_cards(const Table&, const TerminalStyle&);

}  // namespace core
