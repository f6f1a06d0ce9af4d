#include "core/sql/sql_completion.hpp"

#include "core/base/ascii.hpp"
#include "core/sql/sql_table.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

namespace core {
namespace {

constexpr auto kSqlWords = std::to_array<std::string_view>(
    {"select", "from", "where", "group by", "order by", "limit", "join", "left join", "on",     "and",   "or",
     "not",    "in",   "like",  "between",  "is null",  "as",    "desc", "distinct",  "having", "case",  "when",
     "then",   "else", "end",   "with",     "count(*)", "sum(",  "avg(", "min(",      "max(",   "round("});

bool equal_ignoring_case(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, {}, lower_ascii, lower_ascii);
}

bool is_word_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

struct Token {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool is_word = false;
};

// Words and signs; texts and comments are one token each.
std::vector<Token> split(std::string_view text) {
    std::vector<Token> tokens;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t begin = at;
        const char c = text[at];
        if (is_word_byte(c)) {
            while (at < text.size() && is_word_byte(text[at])) ++at;
            tokens.push_back({begin, at, true});
            continue;
        }
        if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
            ++at;
            continue;
        }
        std::size_t end = at + 1;
        if (c == '\'' || c == '"') {
            const std::size_t close = text.find(c, at + 1);
            end = close == std::string_view::npos ? std::string_view::npos : close + 1;
        } else if (text.substr(at).starts_with("--")) {
            const std::size_t close = text.find('\n', at);
            end = close == std::string_view::npos ? std::string_view::npos : close + 1;
        } else if (text.substr(at).starts_with("/*")) {
            const std::size_t close = text.find("*/", at + 2);
            end = close == std::string_view::npos ? std::string_view::npos : close + 2;
        }
        // An unclosed part reaches beyond the text, so that a cursor at its end is within.
        at = std::min(end, text.size() + 1);
        tokens.push_back({begin, at, false});
    }
    return tokens;
}

const std::vector<SqlTable>& all_tables() {
    static const std::vector<SqlTable> kTables = [] {
        std::vector<SqlTable> all = sql_tables();
        for (SqlTable& table : analysis_tables()) all.push_back(std::move(table));
        return all;
    }();
    return kTables;
}

const SqlTable* find_table(std::string_view name) {
    const auto found = std::ranges::find_if(
        all_tables(), [&](const SqlTable& table) { return equal_ignoring_case(table.name, name); });
    return found == all_tables().end() ? nullptr : &*found;
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words, [&](std::string_view known) { return equal_ignoring_case(word, known); });
}

// Tables that the query names after FROM and JOIN, and the names it gives them.
struct Named {
    std::vector<const SqlTable*> tables;
    std::vector<std::pair<std::string_view, const SqlTable*>> aliases;
};

Named find_named(std::string_view text, const std::vector<Token>& tokens) {
    Named named;
    const auto word = [&](std::size_t i) {
        return i < tokens.size() && tokens[i].is_word ? text.substr(tokens[i].begin, tokens[i].end - tokens[i].begin)
                                                      : std::string_view();
    };
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const SqlTable* const table = find_table(word(i));
        if (!table) continue;
        if (std::ranges::find(named.tables, table) == named.tables.end()) named.tables.push_back(table);
        named.aliases.emplace_back(word(i), table);
        std::size_t next = i + 1;
        if (is_one_of(word(next), {"as"})) ++next;
        const std::string_view alias = word(next);
        if (alias.empty() || is_one_of(alias, {"where", "join", "left", "inner", "cross", "on", "using", "group",
                                               "order", "limit", "union", "from", "natural"}))
            continue;
        named.aliases.emplace_back(alias, table);
    }
    return named;
}

class Finder {
public:
    Finder(std::string_view typed, std::size_t most) : typed_(typed), most_(most) {}

    void add(std::string_view word, std::string about) {
        if (found_.size() >= most_ || word.size() <= typed_.size()) return;
        if (!equal_ignoring_case(word.substr(0, typed_.size()), typed_)) return;
        if (std::ranges::find(found_, word, &SqlCompletion::word) != found_.end()) return;
        found_.push_back({std::string(word), std::move(about)});
    }
    void add_columns(const SqlTable& table) {
        for (const SqlColumn& column : table.columns) {
            const bool is_argument = column.push == SqlPush::Argument;
            if (!is_argument) add(column.name, std::string(name_of(column.unit)) + ": " + column.meaning);
        }
    }
    void add_tables() {
        for (const SqlTable& table : sql_tables()) add(table.name, "table: " + table.summary);
        for (const SqlTable& table : all_tables())
            if (&table >= all_tables().data() + sql_tables().size()) add(table.name, "analysis: " + table.summary);
    }
    std::vector<SqlCompletion> take() && { return std::move(found_); }

private:
    std::string_view typed_;
    std::size_t most_;
    std::vector<SqlCompletion> found_;
};

}  // namespace

SqlCompletions complete_sql(std::string_view text, std::size_t cursor, std::size_t most) {
    cursor = std::min(cursor, text.size());
    SqlCompletions completions{.begin = cursor, .end = cursor, .found = {}};
    while (completions.begin > 0 && is_word_byte(text[completions.begin - 1])) --completions.begin;
    while (completions.end < text.size() && is_word_byte(text[completions.end])) ++completions.end;
    const std::vector<Token> tokens = split(text);
    std::optional<std::size_t> before;  // the token in front of the word
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (!tokens[i].is_word && tokens[i].begin < cursor && tokens[i].end > cursor) return completions;
        if (tokens[i].end <= completions.begin) before = i;
    }
    const auto text_of = [&](std::size_t i) { return text.substr(tokens[i].begin, tokens[i].end - tokens[i].begin); };
    const std::string_view typed = text.substr(completions.begin, cursor - completions.begin);
    Finder finder(typed, most);
    const Named named = find_named(text, tokens);
    if (before && text_of(*before) == ".") {
        const std::string_view owner = *before > 0 ? text_of(*before - 1) : std::string_view();
        for (const auto& [alias, table] : named.aliases)
            if (equal_ignoring_case(alias, owner)) finder.add_columns(*table);
    } else if (before && is_one_of(text_of(*before), {"from", "join"})) {
        finder.add_tables();
    } else if (!typed.empty()) {
        for (const SqlTable* table : named.tables) finder.add_columns(*table);
        for (const std::string_view word : kSqlWords) finder.add(word, "");
        finder.add_tables();
    }
    completions.found = std::move(finder).take();
    return completions;
}

}  // namespace core
