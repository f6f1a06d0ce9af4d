#include "core/sql/totals_query.hpp"

#include "core/sql/sql_table.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <vector>

namespace core {
namespace {

enum class TokenKind : std::uint8_t { Word, Text, Number, Sign };

struct SqlToken {
    TokenKind kind = TokenKind::Sign;
    std::string_view text;
    std::string lower;  // of a word
};
using SqlTokens = std::vector<SqlToken>;

bool begins_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

std::string lowered(std::string_view text) {
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

// Absent where the query has quoted names, comments, parameters or anything else that a plain query does without.
std::optional<SqlTokens> split_plain(std::string_view query) {
    SqlTokens tokens;
    for (std::size_t at = 0; at < query.size();) {
        const char c = query[at];
        std::size_t end = at + 1;
        SqlToken token;
        if (is_blank(c)) {
            ++at;
            continue;
        }
        if (begins_word(c)) {
            while (end < query.size() && (begins_word(query[end]) || is_digit(query[end]))) ++end;
            token = {TokenKind::Word, query.substr(at, end - at), lowered(query.substr(at, end - at))};
        } else if (is_digit(c)) {
            while (end < query.size() && (is_digit(query[end]) || query[end] == '.' || query[end] == 'e')) ++end;
            if (end < query.size() && begins_word(query[end])) return std::nullopt;
            token = {TokenKind::Number, query.substr(at, end - at), {}};
        } else if (c == '\'') {
            for (;; ++end) {
                if (end >= query.size()) return std::nullopt;
                if (query[end] != '\'') continue;
                if (end + 1 >= query.size() || query[end + 1] != '\'') break;
                ++end;
            }
            ++end;
            token = {TokenKind::Text, query.substr(at, end - at), {}};
        } else if (std::string_view("(),*=<>!+/%|;-").find(c) != std::string_view::npos) {
            const std::string_view two = query.substr(at, 2);
            if (two == "--" || two == "/*") return std::nullopt;
            token = {TokenKind::Sign, query.substr(at, 1), {}};
        } else {
            return std::nullopt;
        }
        tokens.push_back(std::move(token));
        at = end;
    }
    return tokens;
}

constexpr auto kWords = std::to_array<std::string_view>(
    {"select", "as",   "from", "where", "group", "by",  "order", "having", "limit",   "offset",
     "asc",    "desc", "and",  "or",    "not",   "in",  "like",  "glob",   "between", "is",
     "null",   "case", "when", "then",  "else",  "end", "nulls", "first",  "last",    "escape"});
constexpr auto kScalars =
    std::to_array<std::string_view>({"round", "abs", "lower", "upper", "substr", "length", "instr", "replace",
                                     "coalesce", "ifnull", "nullif", "iif", "printf", "trim"});
// The same column means the same in the totals and in the events.
constexpr auto kKeys = std::to_array<std::string_view>(
    {"rank", "capture", "name", "category", "class", "device", "stream", "pid", "tid", "track"});

struct Source {
    std::string_view table, totals;
};
constexpr auto kSources =
    std::to_array<Source>({{"events", "event_totals"}, {"kernels", "kernel_totals"}, {"operators", "operator_totals"}});

template <class List>
bool has_word(const List& list, std::string_view word) {
    return std::ranges::find(list, word) != std::end(list);
}

// An aggregate of durations in the events, and the same of their totals: n events, t their sum, l the shortest, m the
// longest.
struct Aggregate {
    std::string_view name, argument, instead;
};
constexpr auto kAggregates = std::to_array<Aggregate>({
    {"count", "*", "coalesce(sum(\"#n\"),0)"},
    {"count", "dur", "coalesce(sum(\"#n\"),0)"},
    {"sum", "dur", "sum(\"#t\")"},
    {"total", "dur", "total(\"#t\")"},
    {"avg", "dur", "(cast(sum(\"#t\") as real)/sum(\"#n\"))"},
    {"min", "dur", "min(\"#l\")"},
    {"max", "dur", "max(\"#m\")"},
});

class TotalsRewriter {
public:
    explicit TotalsRewriter(SqlTokens tokens) : tokens_(std::move(tokens)) {}

    std::optional<std::string> rewrite() {
        while (!tokens_.empty() && tokens_.back().text == ";") tokens_.pop_back();
        if (word(0) != "select" || count("select") != 1 || count("from") != 1 || !find_source() || !collect_aliases())
            return std::nullopt;
        std::string text;
        for (std::size_t i = 0; i < tokens_.size();) {
            const std::optional<std::size_t> taken = add(i, text);
            if (!taken) return std::nullopt;
            i += *taken;
        }
        if (!aggregates_ && count("group") == 0) return std::nullopt;
        return text;
    }

private:
    std::string_view word(std::size_t i) const { return i < tokens_.size() ? tokens_[i].lower : std::string_view(); }
    std::string_view sign(std::size_t i) const { return i < tokens_.size() ? tokens_[i].text : std::string_view(); }
    std::ptrdiff_t count(std::string_view what) const { return std::ranges::count(tokens_, what, &SqlToken::lower); }

    bool find_source() {
        from_ = static_cast<std::size_t>(std::ranges::find(tokens_, "from", &SqlToken::lower) - tokens_.begin());
        const auto source = std::ranges::find(kSources, word(from_ + 1), &Source::table);
        if (source == kSources.end()) return false;
        source_ = &*source;
        constexpr auto kAfter = std::to_array<std::string_view>({"where", "group", "order", "limit", "having"});
        if (from_ + 2 < tokens_.size() && !has_word(kAfter, word(from_ + 2))) return false;
        const auto table = std::ranges::find(sql_tables(), source_->table, &SqlTable::name);
        for (const SqlColumn& column : table->columns) columns_.insert(column.name);
        return true;
    }

    bool is_key(std::string_view name) const { return has_word(kKeys, name) && columns_.contains(std::string(name)); }

    // Names that the query gives to results: `… as x` and `sum(dur) x`. They must not hide a column.
    bool collect_aliases() {
        for (std::size_t i = 1; i < from_; ++i) {
            if (tokens_[i].kind != TokenKind::Word || has_word(kWords, word(i)) || sign(i + 1) == "(") continue;
            const SqlToken& before = tokens_[i - 1];
            const bool ends_value = before.text == ")" || before.kind == TokenKind::Text ||
                                    before.kind == TokenKind::Number || before.lower == "as" || before.lower == "end" ||
                                    is_key(before.lower);
            const bool is_last = i + 1 == from_ || sign(i + 1) == ",";
            if (!ends_value || !is_last || i == 1) continue;
            if (columns_.contains(tokens_[i].lower)) return false;
            aliases_.insert(tokens_[i].lower);
        }
        return true;
    }

    // The tokens that were taken; absent: not of the plain shape.
    std::optional<std::size_t> add(std::size_t i, std::string& text) {
        const SqlToken& token = tokens_[i];
        text += ' ';
        if (token.kind != TokenKind::Word) {
            text += token.text;
            return join_signs(i, text);
        }
        if (i == from_ + 1) {
            text +=
                "(select rank, capture, name, category, class, device, stream, pid, tid, track, event_count as \"#n\","
                " total_dur as \"#t\", min_dur as \"#l\", max_dur as \"#m\" from " +
                std::string(source_->totals) + ")";
            return 1;
        }
        if (sign(i + 1) == "(" && sign(i + 3) == ")") {
            for (const Aggregate& aggregate : kAggregates) {
                const bool is_argument =
                    aggregate.argument == "*" ? sign(i + 2) == "*" : word(i + 2) == aggregate.argument;
                if (word(i) != aggregate.name || !is_argument) continue;
                aggregates_ = true;
                text += aggregate.instead;
                return 4;
            }
            const bool is_extreme = word(i) == "min" || word(i) == "max";
            if (is_extreme && is_key(word(i + 2))) {
                aggregates_ = true;
                text += token.lower + "(" + tokens_[i + 2].lower + ")";
                return 4;
            }
        }
        const bool counts_distinct = word(i) == "count" && sign(i + 1) == "(" && word(i + 2) == "distinct";
        if (counts_distinct && is_key(word(i + 3)) && sign(i + 4) == ")") {
            aggregates_ = true;
            text += "count(distinct " + tokens_[i + 3].lower + ")";
            return 5;
        }
        const bool is_scalar = has_word(kScalars, word(i)) && sign(i + 1) == "(";
        // Only IN of kWords comes before a parenthesis; all others read the same as a function would not.
        if (!is_scalar && !has_word(kWords, word(i)) && !is_key(word(i)) && !aliases_.contains(token.lower))
            return std::nullopt;
        text += token.text;
        return 1;
    }

    // Signs of two characters stay together.
    std::size_t join_signs(std::size_t i, std::string& text) const {
        if (i + 1 >= tokens_.size() || tokens_[i].kind != TokenKind::Sign || tokens_[i + 1].kind != TokenKind::Sign)
            return 1;
        const std::string_view first = tokens_[i].text, second = tokens_[i + 1].text;
        if (first.data() + 1 != second.data()) return 1;
        constexpr auto kPairs = std::to_array<std::string_view>({"<=", ">=", "<>", "!=", "==", "||", "<<", ">>"});
        if (!has_word(kPairs, std::string_view(first.data(), 2))) return 1;
        text += second;
        return 2;
    }

    SqlTokens tokens_;
    std::size_t from_ = 0;
    const Source* source_ = nullptr;
    std::set<std::string, std::less<>> columns_;
    std::set<std::string, std::less<>> aliases_;
    bool aggregates_ = false;
};

}  // namespace

std::optional<std::string> query_of_totals(std::string_view query) {
    std::optional<SqlTokens> tokens = split_plain(query);
    if (!tokens) return std::nullopt;
    return TotalsRewriter(*std::move(tokens)).rewrite();
}

}  // namespace core
