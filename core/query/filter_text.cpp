#include "core/query/filter_text.hpp"

#include "core/query/name_pattern.hpp"
#include "core/query/number_ranges.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace core {
namespace {

constexpr std::array<std::string_view, 13> kFieldNames = {"rank", "step", "stream", "class",   "name",
                                                          "time", "dur",  "group",  "capture", "collective",
                                                          "wait", "last", "matched"};
constexpr Confidence kConfidences[] = {Confidence::Certain, Confidence::Probable, Confidence::Doubtful,
                                       Confidence::Alone};
constexpr KernelClass kClasses[] = {KernelClass::Compute, KernelClass::Communication, KernelClass::Memory};

constexpr std::string_view kRaisedDot = "\xc2\xb7";

struct TimeUnit {
    std::string_view suffix;
    std::uint64_t ns;
};
constexpr TimeUnit kTimeUnits[] = {
    {"ns", 1},         {"us", 1'000},        {"\xc2\xb5s", 1'000},    {"\xce\xbcs", 1'000},
    {"ms", 1'000'000}, {"s", 1'000'000'000}, {"min", 60'000'000'000},
};

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

Error bad(std::string message) { return Error{ErrorCode::BadInput, std::move(message)}; }

// --- misspelled fields

// True if the words differ by one missing, extra, changed or swapped letter.
bool nearly_equal(std::string_view a, std::string_view b) {
    if (a.size() > b.size()) std::swap(a, b);
    if (b.size() - a.size() > 1) return false;
    std::size_t i = 0;
    while (i < a.size() && a[i] == b[i]) ++i;
    if (a.size() < b.size()) return a.substr(i) == b.substr(i + 1);
    if (i + 1 >= a.size() || a.substr(i + 1) == b.substr(i + 1)) return true;
    return a[i] == b[i + 1] && a[i + 1] == b[i] && a.substr(i + 2) == b.substr(i + 2);
}

std::string_view field_meant_by(std::string_view word) {
    constexpr std::pair<std::string_view, std::string_view> kOtherWords[] = {
        {"duration", "dur"}, {"classes", "class"}, {"kernel", "name"},
        {"regex", "name"},   {"pg", "group"},      {"session", "capture"},
    };
    for (const auto& [other, field] : kOtherWords) {
        if (word == other) return field;
    }
    if (word.size() < 2) return {};
    const auto* it =
        std::ranges::find_if(kFieldNames, [&](std::string_view field) { return nearly_equal(word, field); });
    return it == kFieldNames.end() ? std::string_view{} : *it;
}

// The leading word before a single ':', if it consists of letters.
std::string_view word_before_colon(std::string_view text) {
    std::size_t i = 0;
    while (i < text.size() && ((text[i] >= 'a' && text[i] <= 'z') || (text[i] >= 'A' && text[i] <= 'Z'))) ++i;
    const bool single = i < text.size() && text[i] == ':' && (i + 1 == text.size() || text[i + 1] != ':');
    return single ? text.substr(0, i) : std::string_view{};
}

// --- values

Result<std::int64_t> consume_integer(std::string_view& text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc::result_out_of_range) return bad("the number is too large");
    if (error != std::errc()) return bad("expected numbers such as 0-3,8");
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

Result<std::vector<NumberRange>> parse_numbers(std::string_view text) {
    std::vector<NumberRange> ranges;
    for (;;) {
        const Result<std::int64_t> first = consume_integer(text);
        if (!first) return first.error();
        NumberRange range{*first, *first};
        if (text.starts_with('-')) {
            text.remove_prefix(1);
            const Result<std::int64_t> last = consume_integer(text);
            if (!last) return last.error();
            range.last = *last;
        }
        if (range.last < range.first) return bad("the range is reversed");
        ranges.push_back(range);
        if (text.empty()) return ranges;
        if (!text.starts_with(',')) return bad("expected numbers such as 0-3,8");
        text.remove_prefix(1);
    }
}

// "0-3,8"; "0·b": a rank and the letters of one of its captures. A plain dot is accepted for the raised one.
Result<RankTerm> parse_ranks(std::string_view text) {
    RankTerm term;
    for (;;) {
        const std::size_t comma = std::min(text.find(','), text.size());
        const std::string_view word = text.substr(0, comma);
        const std::size_t digits = std::min(word.find_first_not_of("0123456789"), word.size());
        const std::string_view behind = word.substr(digits);
        const std::size_t dot = behind.starts_with(kRaisedDot) ? kRaisedDot.size() : behind.starts_with('.') ? 1 : 0;
        if (dot == 0) {
            Result<std::vector<NumberRange>> numbers = parse_numbers(word);
            if (!numbers) return std::move(numbers).error();
            term.numbers.insert(term.numbers.end(), numbers->begin(), numbers->end());
        } else {
            std::int32_t number = 0;
            const auto [end, error] = std::from_chars(word.data(), word.data() + digits, number);
            const std::optional<std::int32_t> capture = parse_capture(behind.substr(dot));
            if (error != std::errc() || end != word.data() + digits || !capture)
                return bad("expected a capture of a rank, such as " + format_rank({0, 1}));
            term.captures.push_back({number, *capture});
        }
        if (comma == text.size()) return term;
        text.remove_prefix(comma + 1);
    }
}

Result<CaptureTerm> parse_captures(std::string_view text) {
    CaptureTerm term;
    for (;;) {
        const std::size_t comma = std::min(text.find(','), text.size());
        const std::optional<std::int32_t> capture = parse_capture(text.substr(0, comma));
        if (!capture) return bad("expected captures such as b or a,b");
        term.captures.push_back(*capture);
        if (comma == text.size()) break;
        text.remove_prefix(comma + 1);
    }
    std::ranges::sort(term.captures);
    const auto [first, last] = std::ranges::unique(term.captures);
    term.captures.erase(first, last);
    return term;
}

Result<ClassTerm> parse_classes(std::string_view text) {
    ClassTerm term;
    for (;;) {
        const std::size_t end = std::min(text.find(','), text.size());
        const std::string_view word = text.substr(0, end);
        const auto* it = std::ranges::find_if(kClasses, [&](KernelClass c) { return name_of(c) == word; });
        if (it == std::end(kClasses)) return bad("the classes are compute, communication and memory");
        term.classes |= set_of(*it);
        if (end == text.size()) return term;
        text.remove_prefix(end + 1);
    }
}

Result<MatchedTerm> parse_confidences(std::string_view text) {
    MatchedTerm term;
    for (;;) {
        const std::size_t end = std::min(text.find(','), text.size());
        const std::string_view word = text.substr(0, end);
        const auto* it = std::ranges::find_if(kConfidences, [&](Confidence c) { return name_of(c) == word; });
        if (it == std::end(kConfidences)) return bad("a match is certain, probable, doubtful or alone");
        term.confidences |= static_cast<std::uint8_t>(1u << static_cast<unsigned>(*it));
        if (end == text.size()) return term;
        text.remove_prefix(end + 1);
    }
}

Error no_operation(std::string_view word) {
    std::string known;
    for (std::size_t i = 1; i < kOperations; ++i)
        known.append(known.empty() ? "" : ", ").append(name_of(static_cast<Operation>(i)));
    return bad("\"" + std::string(word.substr(0, 40)) + "\" is not an operation; known operations: " + known);
}

// "all_reduce", "allreduce,all_gather", "all_reduce#12-14", "#12".
Result<CollectiveTerm> parse_collectives(std::string_view text) {
    CollectiveTerm term;
    const std::size_t hash = std::min(text.find('#'), text.size());
    std::string_view words = text.substr(0, hash);
    while (!words.empty()) {
        const std::size_t end = std::min(words.find(','), words.size());
        const std::string_view word = words.substr(0, end);
        const Operation operation = parse_operation(word);
        if (operation == Operation::Unknown && word != name_of(Operation::Unknown)) return no_operation(word);
        term.operations.push_back(operation);
        words.remove_prefix(std::min(end + 1, words.size()));
    }
    std::ranges::sort(term.operations);
    const auto [first, last] = std::ranges::unique(term.operations);
    term.operations.erase(first, last);
    if (hash == text.size()) return term;
    Result<std::vector<NumberRange>> sequences = parse_numbers(text.substr(hash + 1));
    if (!sequences) return bad("expected the place in its group behind #, such as all_reduce#12-14");
    term.sequences = std::move(*sequences);
    return term;
}

struct Bounds {
    std::optional<Duration> begin;
    std::optional<Duration> end;
};

// "A..B", "A..", "..B".
Result<Bounds> parse_bounds(std::string_view text) {
    const std::size_t dots = text.find("..");
    if (dots == std::string_view::npos) return bad("expected a range such as 1ms..2ms, 1ms.. or ..2ms");
    Bounds bounds;
    const auto parse_side = [](std::string_view side, std::optional<Duration>& to) -> std::optional<Error> {
        if (side.empty()) return std::nullopt;
        Result<Duration> value = parse_duration(side);
        if (!value) return std::move(value).error();
        to = *value;
        return std::nullopt;
    };
    if (auto error = parse_side(text.substr(0, dots), bounds.begin)) return *error;
    if (auto error = parse_side(text.substr(dots + 2), bounds.end)) return *error;
    if (!bounds.begin && !bounds.end) return bad("a range needs at least one side");
    if (bounds.begin && bounds.end && *bounds.end < *bounds.begin) return bad("the range is reversed");
    return bounds;
}

Result<DurationTerm> parse_duration_term(std::string_view text) {
    DurationTerm term;
    const bool above = text.starts_with('>');
    if (above || text.starts_with('<')) {
        const bool inclusive = text.substr(1).starts_with('=');
        const Result<Duration> value = parse_duration(text.substr(inclusive ? 2 : 1));
        if (!value) return value.error();
        if (above && !inclusive && *value == Duration::max()) return bad("nothing is longer");
        if (above)
            term.least = *value + Duration{inclusive ? 0 : 1};
        else if (!inclusive && value->count() <= 0)
            return bad("no duration is below zero");
        else
            term.most = *value - Duration{inclusive ? 0 : 1};
    } else if (text.find("..") != std::string_view::npos) {
        const Result<Bounds> bounds = parse_bounds(text);
        if (!bounds) return bounds.error();
        term = {bounds->begin, bounds->end};
    } else {
        const Result<Duration> value = parse_duration(text);
        if (!value) return bad("expected >10us, <=2ms, 1us..2ms or one duration: " + value.error().message);
        term = {*value, *value};
    }
    if (term.least.value_or(Duration{0}).count() < 0 || term.most.value_or(Duration{0}).count() < 0) {
        return bad("no duration is below zero");
    }
    return term;
}

// --- words

class FilterParser {
public:
    explicit FilterParser(std::string_view text) : text_(text) {}

    Result<Filter> parse() {
        Filter filter;
        for (skip_spaces(); at_ < text_.size(); skip_spaces()) {
            const std::size_t begin = at_;
            FilterTerm term;
            term.negated = text_[at_] == '-';
            at_ += term.negated ? 1 : 0;
            Result<What> what = parse_word(term.negated);
            if (!what) return std::move(what).error().within("filter: \"" + shown_word(begin) + "\"");
            term.what = std::move(*what);
            if (term.what == What(kEveryStep)) continue;
            if (filter.terms.size() == kMostFilterWords)
                return bad("filter: more than " + std::to_string(kMostFilterWords) +
                           " words; join names into one regular expression, numbers into one list");
            filter.terms.push_back(std::move(term));
        }
        return filter;
    }

private:
    using What = decltype(FilterTerm::what);
    inline static const StepTerm kEveryStep{};  // step:all; no restriction

    void skip_spaces() {
        while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    }
    std::string shown_word(std::size_t begin) const {
        std::size_t end = std::max(begin, std::min(at_, text_.size()));
        while (end < text_.size() && !is_space(text_[end])) ++end;
        constexpr std::size_t kMostShown = 80;
        return std::string(text_.substr(begin, std::min(end - begin, kMostShown)));
    }

    Result<What> parse_word(bool negated) {
        const std::string_view rest = text_.substr(at_);
        if (rest.empty() || is_space(rest.front())) return bad("- negates the word it stands before");
        if (negated && rest.front() == '-') return bad("one - is enough; quote a name that starts with it");
        const std::string_view field = word_before_colon(rest);
        if (std::ranges::find(kFieldNames, field) != kFieldNames.end()) {
            at_ += field.size() + 1;
            return parse_field(field, negated);
        }
        const std::string_view meant = field_meant_by(field);
        if (!meant.empty()) return bad("no such word; try " + std::string(meant) + ":");
        return as_what(parse_name());
    }

    template <class Term>
    static Result<What> as_what(Result<Term> term) {
        if (!term) return std::move(term).error();
        return What(std::move(*term));
    }

    Result<What> parse_field(std::string_view field, bool negated) {
        if (field == "name") return as_what(parse_name());
        if (field == "group") return as_what(parse_group());
        const std::string_view value = consume_plain();
        if (value.empty()) return bad("a value is missing after the colon");
        if (field == "class") return as_what(parse_classes(value));
        if (field == "dur") return as_what(parse_duration_term(value));
        if (field == "time") return as_what(parse_time(value, negated));
        if (field == "step") return as_what(parse_step(value, negated));
        if (field == "rank") return as_what(parse_ranks(value));
        if (field == "capture") return as_what(parse_captures(value));
        if (field == "collective") return as_what(parse_collectives(value));
        if (field == "wait") return as_what(parse_wait(value));
        if (field == "last") return as_what(parse_last(value));
        if (field == "matched") return as_what(parse_confidences(value));
        Result<std::vector<NumberRange>> numbers = parse_numbers(value);
        if (!numbers) return std::move(numbers).error();
        return What(StreamTerm{std::move(*numbers)});
    }
    static Result<WaitTerm> parse_wait(std::string_view value) {
        const Result<DurationTerm> length = parse_duration_term(value);
        if (!length) return length.error();
        return WaitTerm{*length};
    }
    static Result<LastTerm> parse_last(std::string_view value) {
        Result<RankTerm> ranks = parse_ranks(value);
        if (!ranks) return std::move(ranks).error();
        return LastTerm{std::move(*ranks)};
    }
    static Result<TimeTerm> parse_time(std::string_view value, bool negated) {
        if (negated) return bad("a time range cannot be negated; give the range to keep");
        const Result<Bounds> bounds = parse_bounds(value);
        if (!bounds) return bounds.error();
        return TimeTerm{bounds->begin, bounds->end};
    }
    static Result<StepTerm> parse_step(std::string_view value, bool negated) {
        if (value == "all" && negated) return bad("no event would match");
        if (value == "all") return kEveryStep;
        if (value == "complete") return StepTerm{true, {}};
        Result<std::vector<NumberRange>> numbers = parse_numbers(value);
        if (!numbers) return bad(numbers.error().message + ", or complete, or all");
        return StepTerm{false, std::move(*numbers)};
    }

    std::string_view consume_plain() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && !is_space(text_[at_])) ++at_;
        return text_.substr(begin, at_ - begin);
    }
    Result<std::string> consume_text() {
        if (at_ < text_.size() && text_[at_] == '"') return consume_until('"');
        const std::string_view plain = consume_plain();
        if (plain.empty()) return bad("a text is missing after the colon");
        return std::string(plain);
    }
    // Reads up to the next delimiter. A backslash escapes a delimiter and, in quotes, a backslash.
    Result<std::string> consume_until(char delimiter) {
        std::string inside;
        for (++at_; at_ < text_.size() && text_[at_] != delimiter; ++at_) {
            if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
                const char next = text_[++at_];
                const bool protects = next == delimiter || (next == '\\' && delimiter == '"');
                if (!protects) inside += '\\';
                inside += next;
            } else {
                inside += text_[at_];
            }
        }
        if (at_ >= text_.size())
            return bad(std::string("the closing ") + delimiter + " is missing" + quoting_hint(delimiter));
        ++at_;
        if (at_ < text_.size() && !is_space(text_[at_])) {
            return bad(std::string("expected a space after the closing ") + delimiter + quoting_hint(delimiter));
        }
        return inside;
    }
    static std::string quoting_hint(char delimiter) {
        return delimiter == '/' ? "; quote a name that starts with /" : "";
    }
    Result<NameTerm> parse_name() {
        const bool is_regex = at_ < text_.size() && text_[at_] == '/';
        Result<std::string> text = is_regex ? consume_until('/') : consume_text();
        if (!text) return std::move(text).error();
        if (is_regex) {
            const Result<NamePattern> pattern = NamePattern::compile(*text);
            if (!pattern) return bad("the regular expression cannot be used: " + pattern.error().message);
        }
        return NameTerm{std::move(*text), is_regex};
    }
    Result<GroupTerm> parse_group() {
        Result<std::string> text = consume_text();
        if (!text) return std::move(text).error();
        return GroupTerm{std::move(*text)};
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

// --- printing

std::string duration_text(Duration d) {
    const auto bits = static_cast<std::uint64_t>(d.count());
    const std::uint64_t size = d.count() < 0 ? 0 - bits : bits;
    const TimeUnit& unit = size < 1'000           ? kTimeUnits[0]
                           : size < 1'000'000     ? kTimeUnits[1]
                           : size < 1'000'000'000 ? kTimeUnits[4]
                                                  : kTimeUnits[5];
    std::string text = (d.count() < 0 ? "-" : "") + std::to_string(size / unit.ns);
    if (const std::uint64_t rest = size % unit.ns; rest != 0) {
        const std::string padded = std::to_string(unit.ns + rest);  // the leading 1 keeps zeros
        text += "." + padded.substr(1, padded.find_last_not_of('0'));
    }
    return text.append(unit.suffix);
}

std::string text_of_regex(std::string_view pattern) {
    std::string text = "/";
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] == '\\' && i + 1 < pattern.size())
            text += pattern[i++];
        else if (pattern[i] == '/')
            text += '\\';
        text += pattern[i];
    }
    return text + '/';
}

struct TermText {
    std::string operator()(const RankTerm& t) const { return "rank:" + text_of_ranks(t); }
    std::string operator()(const LastTerm& t) const { return "last:" + text_of_ranks(t.ranks); }
    std::string operator()(const MatchedTerm& t) const {
        std::string text;
        for (const Confidence c : kConfidences)
            if (t.accepts(c)) text.append(text.empty() ? "matched:" : ",").append(name_of(c));
        return text;
    }
    std::string operator()(const CollectiveTerm& t) const {
        std::string text = "collective:";
        for (const Operation operation : t.operations)
            text.append(text.ends_with(':') ? "" : ",").append(name_of(operation));
        return t.sequences.empty() ? text : text + "#" + format_ranges(t.sequences);
    }
    static std::string text_of_ranks(const RankTerm& t) {
        std::string text = format_ranges(t.numbers);
        for (const RankKey key : t.captures) {
            text += (text.empty() ? "" : ",") + std::to_string(key.number);
            text.append(kRaisedDot).append(format_capture(key.capture));
        }
        return text;
    }
    std::string operator()(const CaptureTerm& t) const {
        std::string text;
        for (const std::int32_t capture : t.captures)
            text.append(text.empty() ? "capture:" : ",").append(format_capture(capture));
        return text;
    }
    std::string operator()(const StepTerm& t) const {
        return t.complete ? "step:complete" : "step:" + format_ranges(t.numbers);
    }
    std::string operator()(const StreamTerm& t) const { return "stream:" + format_ranges(t.numbers); }
    std::string operator()(const ClassTerm& t) const {
        std::string text;
        for (const KernelClass c : kClasses) {
            if ((t.classes & set_of(c)) != 0) text.append(text.empty() ? "class:" : ",").append(name_of(c));
        }
        return text;
    }
    std::string operator()(const NameTerm& t) const {
        return "name:" + (t.is_regex ? text_of_regex(t.text) : quoted_filter_word(t.text));
    }
    std::string operator()(const TimeTerm& t) const {
        const auto side = [](const std::optional<Duration>& d) {
            return !d ? std::string() : (d->count() < 0 ? "" : "+") + duration_text(*d);
        };
        return "time:" + side(t.begin) + ".." + side(t.end);
    }
    std::string operator()(const DurationTerm& t) const { return "dur:" + text_of_length(t); }
    std::string operator()(const WaitTerm& t) const { return "wait:" + text_of_length(t.length); }
    static std::string text_of_length(const DurationTerm& t) {
        if (t.least && t.most && *t.least == *t.most) return duration_text(*t.least);
        if (t.least && t.most) return duration_text(*t.least) + ".." + duration_text(*t.most);
        return t.least ? above(*t.least) : below(t.most.value_or(Duration::max()));
    }
    std::string operator()(const GroupTerm& t) const { return "group:" + quoted_filter_word(t.text); }

private:
    // Chooses > or >= (< or <=) by the rounder number: a lower bound of 10,001 ns was typed as
    // >10us.
    static std::string above(Duration least) {
        std::string inclusive = ">=" + duration_text(least);
        if (least.count() <= 0) return inclusive;
        std::string exclusive = ">" + duration_text(least - Duration{1});
        return exclusive.size() < inclusive.size() ? exclusive : inclusive;
    }
    static std::string below(Duration most) {
        std::string inclusive = "<=" + duration_text(most);
        if (most == Duration::max()) return inclusive;
        std::string exclusive = "<" + duration_text(most + Duration{1});
        return exclusive.size() < inclusive.size() ? exclusive : inclusive;
    }
};

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
    const Error expected =
        bad("\"" + std::string(text.substr(0, 40)) + "\" is not a duration; write it as 1.5ms, 10us or 2s");
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
    const std::string_view number = text.substr(0, digits);
    const std::string_view suffix = text.substr(digits);
    const auto* unit = std::ranges::find(kTimeUnits, suffix.empty() ? "ns" : suffix, &TimeUnit::suffix);
    if (unit == std::end(kTimeUnits) || number.empty() || number == "." || std::ranges::count(number, '.') > 1)
        return expected;

    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    __extension__ using Wide = unsigned __int128;
    const std::size_t point = std::min(number.find('.'), number.size());
    Wide ns = 0;
    for (const char c : number.substr(0, point)) {
        ns = ns * 10 + static_cast<unsigned>(c - '0') * static_cast<Wide>(unit->ns);
        if (ns > Wide{kMost} + 1) return bad("the duration is too long");
    }
    std::uint64_t place = unit->ns;  // of the previous digit; 0 below a nanosecond
    for (const char c : number.substr(std::min(point + 1, number.size()))) {
        const auto digit = static_cast<std::uint64_t>(c - '0');
        if (digit * place % 10 != 0 || (digit != 0 && place == 0)) return bad("times are whole nanoseconds");
        ns += digit * place / 10;
        place = place % 10 == 0 ? place / 10 : 0;
    }
    if (ns > kMost + Wide{negative ? 1u : 0u}) return bad("the duration is too long");
    const auto bits = static_cast<std::uint64_t>(ns);
    return Duration{static_cast<std::int64_t>(negative ? 0 - bits : bits)};
}

Result<Filter> parse_filter(std::string_view text) {
    if (text.size() > kMostFilterBytes)
        return bad("filter: " + std::to_string(text.size()) + " bytes; at most " + std::to_string(kMostFilterBytes) +
                   " are read");
    return FilterParser(text).parse();
}

std::string format_filter(const Filter& filter) {
    std::string text;
    for (const FilterTerm& term : filter.terms) {
        if (!text.empty()) text += ' ';
        if (term.negated) text += '-';
        text += std::visit(TermText{}, term.what);
    }
    return text;
}

std::string quoted_filter_word(std::string_view text) {
    const bool plain = !text.empty() && text.front() != '"' && text.front() != '/' && text.front() != ':' &&
                       std::ranges::none_of(text, is_space);
    if (plain) return std::string(text);
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') quoted += '\\';
        quoted += c;
    }
    return quoted + '"';
}

}  // namespace core
