#include "core/analysis/engine/explain_column.hpp"

#include "core/analysis/engine/table.hpp"

#include <algorithm>
#include <array>

namespace core {
namespace {

constexpr std::size_t kMostSaid = 600;    // characters of a definition, unless one sentence is longer
constexpr std::size_t kBeginning = 300;

bool is_word_character(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool says_word(std::string_view sentence, std::string_view word) {
    for (std::size_t at = sentence.find(word); at != std::string_view::npos; at = sentence.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        const bool begins = at == 0 || !is_word_character(sentence[at - 1]);
        if (begins && (end == sentence.size() || !is_word_character(sentence[end]))) return true;
    }
    return false;
}

// A sentence ends at a line end, or at a full stop and a blank.
std::vector<std::string_view> split_sentences(std::string_view text) {
    std::vector<std::string_view> sentences;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool stops = text[i] == '.' && (i + 1 == text.size() || text[i + 1] == ' ' || text[i + 1] == '\n');
        if (!stops && text[i] != '\n') continue;
        const std::size_t end = stops ? i + 1 : i;
        if (end > begin) sentences.push_back(text.substr(begin, end - begin));
        begin = end;
        while (begin < text.size() && (text[begin] == ' ' || text[begin] == '\n')) ++begin;
        i = std::max(i, begin == 0 ? 0 : begin - 1);
    }
    if (begin < text.size()) sentences.push_back(text.substr(begin));
    return sentences;
}

// True if the sentence depends on the previous one.
bool leans_back(std::string_view sentence) {
    constexpr std::array<std::string_view, 7> kBegins = {"So ", "They ", "It ", "Its ", "This ", "These ", "Those "};
    return std::ranges::any_of(kBegins, [&](std::string_view begin) { return sentence.starts_with(begin); });
}

std::vector<std::string_view> find_sentences_about(const std::vector<std::string_view>& all, std::string_view word) {
    std::vector<bool> chosen(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!says_word(all[i], word)) continue;
        chosen[i] = true;
        for (std::size_t at = i; at > 0 && leans_back(all[at]); --at) chosen[at - 1] = true;
    }
    std::vector<std::string_view> about;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (chosen[i]) about.push_back(all[i]);
    return about;
}

std::string join_sentences(const std::vector<std::string_view>& sentences, std::size_t most) {
    std::string text;
    for (const std::string_view sentence : sentences) {
        if (!text.empty() && text.size() + 1 + sentence.size() > most) break;
        text.append(text.empty() ? "" : " ").append(sentence);
    }
    return text;
}

std::string text_of_key(const Table& table, std::size_t row, std::size_t c) {
    const Column& column = table.columns()[c];
    const std::string value = format_cell(table, row, c);
    if (column.unit == Unit::Text) return std::string(table.text(row, c));
    return column.name + " " + value;
}

}  // namespace

Explanation explain_column(const Analysis& analysis, const Column& column) {
    Explanation said;
    said.name = column.name.substr(0, column.name.find('.'));
    said.unit = name_of(column.unit);
    said.meaning = column.meaning;
    said.summary = analysis.summary;
    const std::string definition = analysis.definition.join_lines();
    const std::vector<std::string_view> sentences = split_sentences(definition);
    // Keys such as rank, stream or name need no explanation beyond what the rows are.
    const bool is_plain_key = column.role == Role::Key && column.facet != Facet::None;
    if (!is_plain_key) said.definition = join_sentences(find_sentences_about(sentences, said.name), kMostSaid);
    if (said.definition.empty()) said.definition = join_sentences(sentences, kBeginning);
    if (!said.meaning.empty()) return said;
    for (const Column& own : analysis.columns())
        if (own.name == said.name) said.meaning = own.meaning;
    return said;
}

std::string name_of_row(const Table& table, std::size_t row) {
    const bool has_kernel =
        std::ranges::any_of(table.columns(), [](const Column& column) { return column.facet == Facet::Kernel; });
    std::string text;
    for (std::size_t c = 0; c < table.columns().size(); ++c) {
        const Column& column = table.columns()[c];
        if (column.facet == Facet::Class && has_kernel) continue;
        if (column.role != Role::Key || column.unit == Unit::Event || table.absent(row, c)) continue;
        text.append(text.empty() ? "" : " \xC2\xB7 ").append(text_of_key(table, row, c));
    }
    return text;
}

}  // namespace core
