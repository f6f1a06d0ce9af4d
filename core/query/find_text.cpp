#include "core/query/find_text.hpp"

namespace core {
namespace {

constexpr std::string_view kArgumentPrefix = "arg:";

std::string_view without_space(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

NameTerm parse_pattern(std::string_view text) {
    const bool is_regex = text.size() > 2 && text.starts_with('/') && text.ends_with('/');
    if (is_regex) text = text.substr(1, text.size() - 2);
    return {std::string(text), is_regex};
}

// Position of the next "arg:" at the start of a word; npos if none.
std::size_t find_argument(std::string_view text) {
    for (std::size_t at = text.find(kArgumentPrefix); at != std::string_view::npos;
         at = text.find(kArgumentPrefix, at + 1))
        if (at == 0 || text[at - 1] == ' ' || text[at - 1] == '\t') return at;
    return std::string_view::npos;
}

// Reads up to `end` or a space, or a quoted text.
std::string consume_word(std::string_view& text, char end) {
    const bool quoted = text.starts_with('"') && text.find('"', 1) != std::string_view::npos;
    const std::size_t length = quoted ? text.find('"', 1) - 1 : std::min(text.find_first_of(" \t"), text.size());
    const std::size_t cut = quoted ? length : std::min(text.substr(0, length).find(end), length);
    std::string word(text.substr(quoted ? 1 : 0, cut));
    text.remove_prefix(quoted ? length + 2 : cut);
    return word;
}

// A regular expression may contain spaces: it ends at a slash followed by a space.
NameTerm consume_pattern(std::string_view& text) {
    if (text.starts_with('/')) {
        for (std::size_t end = text.find('/', 1); end != std::string_view::npos; end = text.find('/', end + 1)) {
            if (end < 2 || (end + 1 < text.size() && text[end + 1] != ' ')) continue;
            NameTerm pattern{std::string(text.substr(1, end - 1)), true};
            text.remove_prefix(end + 1);
            return pattern;
        }
    }
    return {consume_word(text, '\0'), false};
}

ArgumentTerm consume_argument(std::string_view& text) {
    if (text.starts_with('/')) return {{}, consume_pattern(text)};
    std::string word = consume_word(text, '=');
    if (!text.starts_with('=')) return {{}, {std::move(word), false}};
    text.remove_prefix(1);
    return {std::move(word), consume_pattern(text)};
}

}  // namespace

FindText parse_find_text(std::string_view text, bool name_or_argument) {
    FindText find;
    find.name_or_argument = name_or_argument;
    if (text.size() > kMostSearchBytes) {
        find.name.text = text;
        return find;
    }
    const std::size_t first = find_argument(text);
    if (first == std::string_view::npos) {
        find.name = parse_pattern(text);
        return find;
    }
    find.name = parse_pattern(without_space(text.substr(0, first)));
    text.remove_prefix(first);
    while (text.starts_with(kArgumentPrefix)) {
        text.remove_prefix(kArgumentPrefix.size());
        ArgumentTerm term = consume_argument(text);
        if (!term.key.empty() || !term.value.text.empty()) find.arguments.push_back(std::move(term));
        text = without_space(text);
    }
    if (find.name.text.empty() && !text.empty()) find.name = parse_pattern(text);
    return find;
}

}  // namespace core
