#include "core/base/ascii.hpp"
#include "core/base/nearest.hpp"
#include "core/base/utf8.hpp"
#include "core/diff/gates/fail_if.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace core {
namespace {

struct NumberUnit {
    std::string_view text;
    Unit unit;
    int exponent;        // of ten
    double factor = 1;   // factor that isn't a power of ten
};
constexpr std::array<NumberUnit, 33> kNumberUnits = {{
    {"ns", Unit::Ns, 0},
    {"us", Unit::Ns, 3},
    {"\xC2\xB5s", Unit::Ns, 3},
    {"\xCE\xBCs", Unit::Ns, 3},
    {"ms", Unit::Ns, 6},
    {"s", Unit::Ns, 9},
    {"min", Unit::Ns, 9, 60},
    {"B", Unit::Bytes, 0},
    {"kB", Unit::Bytes, 3},
    {"MB", Unit::Bytes, 6},
    {"GB", Unit::Bytes, 9},
    {"TB", Unit::Bytes, 12},
    {"KiB", Unit::Bytes, 0, 1024.0},
    {"MiB", Unit::Bytes, 0, 1024.0 * 1024},
    {"GiB", Unit::Bytes, 0, 1024.0 * 1024 * 1024},
    {"TiB", Unit::Bytes, 0, 1024.0 * 1024 * 1024 * 1024},
    {"B/s", Unit::BytesPerSecond, 0},
    {"kB/s", Unit::BytesPerSecond, 3},
    {"MB/s", Unit::BytesPerSecond, 6},
    {"GB/s", Unit::BytesPerSecond, 9},
    {"TB/s", Unit::BytesPerSecond, 12},
    {"KiB/s", Unit::BytesPerSecond, 0, 1024.0},
    {"MiB/s", Unit::BytesPerSecond, 0, 1024.0 * 1024},
    {"GiB/s", Unit::BytesPerSecond, 0, 1024.0 * 1024 * 1024},
    {"TiB/s", Unit::BytesPerSecond, 0, 1024.0 * 1024 * 1024 * 1024},
    {"FLOP", Unit::Flop, 0},
    {"GFLOP", Unit::Flop, 9},
    {"TFLOP", Unit::Flop, 12},
    {"PFLOP", Unit::Flop, 15},
    {"FLOP/s", Unit::FlopPerSecond, 0},
    {"GFLOP/s", Unit::FlopPerSecond, 9},
    {"TFLOP/s", Unit::FlopPerSecond, 12},
    {"%", Unit::Ratio, -2},
}};

constexpr std::array<std::pair<std::string_view, Relation>, 6> kRelations = {{{">=", Relation::GreaterOrEqual},
                                                                              {"<=", Relation::LessOrEqual},
                                                                              {"==", Relation::Equal},
                                                                              {"!=", Relation::NotEqual},
                                                                              {">", Relation::Greater},
                                                                              {"<", Relation::Less}}};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_word(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-'; }

std::string_view expected_units(Unit unit) {
    switch (unit) {
        case Unit::Ns:
            return "ns, us, ms, s or min";
        case Unit::Bytes:
            return "B, KiB, MiB, GiB, kB, MB or GB";
        case Unit::BytesPerSecond:
            return "B/s, kB/s, MB/s or GB/s";
        case Unit::Flop:
            return "FLOP, GFLOP, TFLOP or PFLOP";
        case Unit::FlopPerSecond:
            return "FLOP/s, GFLOP/s or TFLOP/s";
        case Unit::Ratio:
            return "% or no unit";
        default:
            return "no unit";
    }
}

constexpr std::size_t kMostQuoted = 80;  // bytes of a word in a message

std::string in_quotes(std::string_view text) { return "'" + shorten_utf8(text, kMostQuoted) + "'"; }

class Parser {
public:
    Parser(std::string_view text, std::span<const Column> columns) : text_(text), columns_(columns) {}

    Result<FailIf> parse() {
        FailIf result;
        result.text = text_;
        result.any_of.emplace_back();
        for (;;) {
            Condition condition;
            if (!parse_condition(condition)) return error();
            result.any_of.back().push_back(condition);
            if (consume_word("and")) continue;
            if (!consume_word("or")) break;
            result.any_of.emplace_back();
        }
        if (consume_word("where")) {
            do {
                KeyCondition condition;
                if (!parse_key(condition)) return error();
                result.where.push_back(condition);
            } while (consume_word("and"));
        }
        skip_blanks();
        if (at_ < text_.size()) {
            fail(at_, "expected and, or" + std::string(result.where.empty() ? ", where" : "") + " or the end, found " +
                          found());
            return error();
        }
        return result;
    }

private:
    Error error() const { return {ErrorCode::BadInput, error_}; }
    bool fail(std::size_t at, const std::string& message) {
        error_ = "at " + std::to_string(at + 1) + ": " + message;
        return false;
    }

    void skip_blanks() {
        while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    }
    std::string_view rest() const { return text_.substr(at_); }
    std::string_view next_word() const {
        const auto end = std::ranges::find_if_not(rest(), is_word);
        return rest().substr(0, static_cast<std::size_t>(end - rest().begin()));
    }
    std::string found() const {
        if (at_ == text_.size()) return "the end";
        const std::string_view word = next_word();
        return in_quotes(word.empty() ? rest().substr(0, 1) : word);
    }
    bool consume_word(std::string_view word) {
        skip_blanks();
        if (next_word() != word) return false;
        at_ += word.size();
        return true;
    }

    bool parse_condition(Condition& condition) {
        const Column* measure = nullptr;
        if (!parse_measure(condition, measure) || !parse_part(condition) || !parse_relation(condition)) return false;
        if (condition.field == TestField::Verdict) return parse_verdict(condition);
        return parse_limit(condition, unit_of(condition, measure ? measure->unit : Unit::Ns));
    }

    static Unit unit_of(const Condition& condition, Unit of_measure) {
        if (!condition.field) return condition.part == Part::Ratio ? Unit::Ratio : of_measure;
        switch (*condition.field) {
            case TestField::Lo:
            case TestField::Hi:
            case TestField::Detectable:
                return of_measure;
            case TestField::Rlo:
            case TestField::Rhi:
                return Unit::Ratio;
            default:
                return Unit::Number;
        }
    }

    bool parse_verdict(Condition& condition) {
        constexpr std::array<std::string_view, 6> kWords = {"regressed", "improved", "same",
                                                            "undecided", "added",    "removed"};
        if (condition.relation != Relation::Equal && condition.relation != Relation::NotEqual)
            return fail(at_, "a verdict is compared by = or !=");
        skip_blanks();
        const std::string_view word = next_word();
        if (std::ranges::find(kWords, word) == kWords.end())
            return fail(at_, "expected regressed, improved, same, undecided, added or removed, found " + found());
        condition.word = word;
        at_ += word.size();
        return true;
    }

    bool parse_measure(Condition& condition, const Column*& measure) {
        skip_blanks();
        const std::string_view word = next_word();
        if (word.empty())
            return fail(at_, "expected a measure, found " + found() + "; there are " + names(Role::Measure));
        const auto it = std::ranges::find(columns_, word, &Column::name);
        const bool is_measure = it != columns_.end() && it->role == Role::Measure;
        if (word == kStepMeasure && !is_measure) {
            condition.measure = word;
            at_ += word.size();
            return true;
        }
        if (it == columns_.end()) return fail(at_, "no measure " + in_quotes(word) + hint(word, Role::Measure));
        if (it->role != Role::Measure || !is_quantity(it->unit)) {
            return fail(at_, in_quotes(word) + " is not a measure" +
                                 (it->role == Role::Key ? ": keys are compared after where" : ""));
        }
        measure = &*it;
        condition.measure = word;
        at_ += word.size();
        return true;
    }

    bool parse_part(Condition& condition) {
        if (!rest().starts_with('.')) return true;
        ++at_;
        const std::string_view word = next_word();
        for (std::size_t part = 0; part < kParts; ++part) {
            if (word != name_of(static_cast<Part>(part))) continue;
            condition.part = static_cast<Part>(part);
            at_ += word.size();
            return true;
        }
        for (std::size_t field = 0; field < kTestFields; ++field) {
            if (word != name_of(static_cast<TestField>(field))) continue;
            condition.field = static_cast<TestField>(field);
            at_ += word.size();
            return true;
        }
        return fail(at_,
                    "expected baseline, candidate, change, ratio or a field of its test (lo, hi, rlo, rhi, p, q, "
                    "holm, delta, detectable, n, verdict), found " +
                        found());
    }

    bool parse_relation(Condition& condition) {
        skip_blanks();
        for (const auto& [sign, relation] : kRelations) {
            if (!rest().starts_with(sign)) continue;
            condition.relation = relation;
            at_ += sign.size();
            return true;
        }
        if (condition.field == TestField::Verdict && rest().starts_with('=')) {
            condition.relation = Relation::Equal;
            ++at_;
            return true;
        }
        if (rest().starts_with('=')) return fail(at_, "expected == for equal, found '='");
        return fail(at_, "expected > >= < <= == or !=, found " + found());
    }

    std::size_t count_digits(std::size_t from) const {
        std::size_t end = from;
        while (end < text_.size() && is_digit(text_[end])) ++end;
        return end - from;
    }

    // The exponent of "1e3", 0 without one. A letter e without a number after it belongs to the
    // unit.
    std::optional<int> consume_exponent() {
        std::size_t end = at_;
        if (end >= text_.size() || (text_[end] != 'e' && text_[end] != 'E')) return 0;
        ++end;
        const bool negative = end < text_.size() && text_[end] == '-';
        if (end < text_.size() && (text_[end] == '-' || text_[end] == '+')) ++end;
        const std::size_t digits = count_digits(end);
        if (digits == 0) return 0;
        if (digits > 3) return std::nullopt;
        int exponent = 0;
        std::from_chars(text_.data() + end, text_.data() + end + digits, exponent);
        at_ = end + digits;
        return negative ? -exponent : exponent;
    }

    bool parse_limit(Condition& condition, Unit unit) {
        skip_blanks();
        const std::size_t begin = at_;
        if (rest().starts_with('-') || rest().starts_with('+')) ++at_;
        const std::size_t sign = at_ - begin;
        const std::size_t whole = count_digits(at_);
        at_ += whole;
        std::size_t decimals = 0;
        if (rest().starts_with('.')) {
            decimals = count_digits(at_ + 1);
            at_ += 1 + decimals;
        }
        if (whole + decimals == 0) {
            at_ = begin;
            return fail(begin, "expected a number, found " + found());
        }
        const std::string mantissa(
            text_.substr(begin + (text_[begin] == '+' ? sign : 0), at_ - begin - (text_[begin] == '+' ? sign : 0)));
        const std::optional<int> exponent = consume_exponent();
        if (!exponent) return fail(begin, "the number is out of range");
        const bool may_be_share = condition.field && unit != Unit::Ratio && unit != Unit::Number;
        const std::size_t after = rest().find_first_not_of(" \t");
        condition.of_mean = may_be_share && after != std::string_view::npos && rest()[after] == '%';
        const std::optional<NumberUnit> scale = consume_unit(condition.of_mean ? Unit::Ratio : unit);
        return scale && set_limit(condition, begin, mantissa, *exponent, *scale);
    }

    // Powers of ten go into the exponent: 1.1us is 1100 ns, not 1100.0000000000002.
    bool set_limit(Condition& condition, std::size_t begin, const std::string& mantissa, int exponent,
                   const NumberUnit& scale) {
        const std::string number = mantissa + "e" + std::to_string(exponent + scale.exponent);
        const auto [end, status] = std::from_chars(number.data(), number.data() + number.size(), condition.limit);
        if (status != std::errc{} || end != number.data() + number.size())
            return fail(begin, "the number is out of range");
        condition.limit *= scale.factor;
        return true;
    }

    std::optional<NumberUnit> consume_unit(Unit unit) {
        std::size_t blanks = at_;
        while (blanks < text_.size() && is_blank(text_[blanks])) ++blanks;
        std::size_t end = blanks;
        while (end < text_.size() && !is_blank(text_[end])) ++end;
        const std::string_view word = text_.substr(blanks, end - blanks);
        if (word.empty() || (blanks > at_ && (word == "and" || word == "or" || word == "where")))
            return NumberUnit{.text = "", .unit = unit, .exponent = 0};
        const auto it = std::ranges::find_if(
            kNumberUnits, [&](const NumberUnit& known) { return known.text == word && known.unit == unit; });
        if (it == kNumberUnits.end()) {
            fail(blanks, "expected " + std::string(expected_units(unit)) + ", found " + in_quotes(word));
            return std::nullopt;
        }
        at_ = end;
        return *it;
    }

    bool parse_key(KeyCondition& condition) {
        skip_blanks();
        const std::string_view word = next_word();
        if (word.empty()) return fail(at_, "expected a key, found " + found() + "; there are " + names(Role::Key));
        const auto it = std::ranges::find(columns_, word, &Column::name);
        if (word != "presence" && (it == columns_.end() || it->role != Role::Key))
            return fail(at_, "no key " + in_quotes(word) + hint(word, Role::Key));
        condition.key = word;
        at_ += word.size();
        skip_blanks();
        if (!rest().starts_with('=') || rest().starts_with("==")) return fail(at_, "expected =, found " + found());
        ++at_;
        return parse_value(condition);
    }

    bool parse_value(KeyCondition& condition) {
        skip_blanks();
        const std::size_t begin = at_;
        const char quote = at_ < text_.size() ? text_[at_] : '\0';
        if (quote == '\'' || quote == '"') {
            const std::size_t end = text_.find(quote, at_ + 1);
            if (end == std::string_view::npos) return fail(begin, "the quote is not closed");
            condition.value = text_.substr(begin + 1, end - begin - 1);
            at_ = end + 1;
        } else {
            while (at_ < text_.size() && !is_blank(text_[at_])) ++at_;
            condition.value = text_.substr(begin, at_ - begin);
            if (condition.value.empty()) return fail(begin, "expected a value, found the end");
        }
        const bool known = condition.value == "both" || condition.value == "added" || condition.value == "removed";
        if (condition.key == "presence" && !known)
            return fail(begin, "presence is both, added or removed, not " + in_quotes(condition.value));
        return true;
    }

    std::vector<std::string_view> names_of(Role role) const {
        std::vector<std::string_view> found;
        for (const Column& column : columns_) {
            if (column.role == role && (role == Role::Key || is_quantity(column.unit))) found.push_back(column.name);
        }
        if (role == Role::Key) found.emplace_back("presence");
        return found;
    }
    std::string names(Role role) const {
        std::string text;
        for (const std::string_view name : names_of(role)) text += (text.empty() ? "" : ", ") + std::string(name);
        return text;
    }
    std::string hint(std::string_view word, Role role) const {
        const std::string nearest = nearest_hint(word, names_of(role));
        return nearest.empty() ? "; there are " + names(role) : nearest;
    }

    std::string_view text_;
    std::span<const Column> columns_;
    std::size_t at_ = 0;
    std::string error_;
};

}  // namespace

Result<FailIf> parse_fail_if(std::string_view text, std::span<const Column> columns) {
    return Parser(text, columns).parse();
}

}  // namespace core
