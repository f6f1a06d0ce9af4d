#include "core/ingest/megatron/step_lines.hpp"

#include "core/base/ascii.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>

namespace core {
namespace {

constexpr std::int64_t kMostStep = 1'000'000'000'000;
constexpr double kMostStepNs = 1e15;  // 11 days
constexpr std::int64_t kMostPauseMs = 86'400'000;
constexpr double kMostFlops = 1e18;
constexpr std::size_t kMostStepLineBytes = 4096;

bool is_word(char c) { return is_digit(c) || c == '_' || (lower_ascii(c) >= 'a' && lower_ascii(c) <= 'z'); }
bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool has_any(std::string_view text, std::initializer_list<std::string_view> parts) {
    return std::ranges::any_of(parts, [&](std::string_view part) { return has(text, part); });
}

// In lower case, without the escape sequences that colour a terminal.
std::string plain_line(std::string_view line) {
    std::string text;
    text.reserve(line.size());
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] != '\x1b') {
            text += line[i] == '\t' || line[i] == '\r' ? ' ' : lower_ascii(line[i]);
            continue;
        }
        if (i + 1 < line.size() && line[i + 1] == '[') {
            ++i;
            while (i + 1 < line.size() && (line[i + 1] == ';' || is_digit(line[i + 1]))) ++i;
            if (i + 1 < line.size()) ++i;
        }
    }
    return text;
}

std::optional<int> digits_at(std::string_view text, std::size_t at, std::size_t count) {
    int value = 0;
    if (at + count > text.size()) return std::nullopt;
    for (std::size_t i = at; i < at + count; ++i) {
        if (!is_digit(text[i])) return std::nullopt;
        value = value * 10 + (text[i] - '0');
    }
    return value;
}

// "2026-03-01 10:00:01,250" at the place; `end` is behind it.
std::optional<std::int64_t> time_of_day_at(std::string_view text, std::size_t at, std::size_t& end) {
    const auto year = digits_at(text, at, 4), month = digits_at(text, at + 5, 2), day = digits_at(text, at + 8, 2);
    const auto hour = digits_at(text, at + 11, 2), minute = digits_at(text, at + 14, 2),
               second = digits_at(text, at + 17, 2);
    if (!year || !month || !day || !hour || !minute || !second) return std::nullopt;
    if (text[at + 13] != ':' || text[at + 16] != ':' || (text[at + 10] != ' ' && text[at + 10] != 't'))
        return std::nullopt;
    using namespace std::chrono;
    const year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                              std::chrono::day(static_cast<unsigned>(*day))};
    if (!date.ok()) return std::nullopt;
    end = at + 19;
    std::int64_t ms = 0;
    if (end + 1 < text.size() && (text[end] == ',' || text[end] == '.') && is_digit(text[end + 1])) {
        std::int64_t factor = 100;
        for (++end; end < text.size() && is_digit(text[end]); ++end, factor /= 10) ms += factor * (text[end] - '0');
    }
    const std::int64_t days = sys_days(date).time_since_epoch().count();
    return (((days * 24 + *hour) * 60 + *minute) * 60 + *second) * 1000 + ms;
}

// The first one near the begin of the line, which is removed with all before it.
std::optional<std::int64_t> take_time_of_day(std::string_view& line) {
    constexpr std::size_t kWithin = 80;
    for (std::size_t at = 0; at + 19 <= line.size() && at < kWithin; ++at) {
        if (line[at] != '2' || (at > 0 && is_word(line[at - 1]))) continue;
        std::size_t end = 0;
        const std::optional<std::int64_t> time = time_of_day_at(line, at, end);
        if (!time) continue;
        line.remove_prefix(end);
        return time;
    }
    return std::nullopt;
}

// "iteration 100/", "step: 12", "global_step=19.0"
std::optional<std::int64_t> step_number(std::string_view line) {
    constexpr std::string_view kWords[] = {"global_step", "global step", "iteration", "step", "steps", "iter"};
    for (const std::string_view word : kWords) {
        for (std::size_t at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1)) {
            std::size_t digit = at + word.size();
            if (at > 0 && is_word(line[at - 1])) continue;
            while (digit < line.size() && has(" :=#", line.substr(digit, 1))) ++digit;
            if (digit == at + word.size() || digit == line.size()) continue;
            std::int64_t number = 0;
            const auto [end, error] = std::from_chars(line.data() + digit, line.data() + line.size(), number);
            if (error != std::errc{} || number < 0 || number > kMostStep) continue;
            const std::string_view rest = line.substr(static_cast<std::size_t>(end - line.data()));
            const bool is_whole = rest.empty() || !(is_word(rest[0]) || rest[0] == '.' || rest[0] == '%') ||
                                  (rest.starts_with(".0") && !(rest.size() > 2 && is_digit(rest[2]))) || rest == ".";
            if (is_whole) return number;
        }
    }
    return std::nullopt;
}

struct Quantity {
    std::string_view key;   // what stands before the number
    std::string_view unit;  // letters behind it
    double value = 0;
    bool is_alone = false;  // nothing but the number and its unit between two bars
};

// Visits each number of the line with its key.
template <class Visit>
void visit_quantities(std::string_view line, const Visit& visit) {
    std::size_t from = 0;
    for (std::size_t at = 0; at < line.size();) {
        if (has("|,;[]", line.substr(at, 1))) from = at + 1;
        const bool begins = is_digit(line[at]) && (at == 0 || has(" :=|(", line.substr(at - 1, 1)));
        if (!begins) {
            ++at;
            continue;
        }
        std::array<char, 40> digits{};
        std::size_t size = 0, end = at;
        for (; end < line.size() && size < digits.size(); ++end) {
            const char c = line[end];
            const bool is_group =
                c == ',' && digits_at(line, end + 1, 3) && digits_at(line, end + 1, 4) == std::nullopt;
            const bool is_exponent =
                c == 'e' && end + 1 < line.size() && (is_digit(line[end + 1]) || has("+-", line.substr(end + 1, 1)));
            const bool is_sign = has("+-", {&c, 1}) && end > at && line[end - 1] == 'e';
            if (is_group) continue;
            if (!is_digit(c) && c != '.' && !is_exponent && !is_sign) break;
            digits[size++] = c;
        }
        Quantity found;
        const auto [stop, error] = std::from_chars(digits.data(), digits.data() + size, found.value);
        std::size_t unit = end;
        if (unit < line.size() && line[unit] == ' ') ++unit;
        std::size_t behind = unit;
        while (behind < line.size() && (is_word(line[behind]) || line[behind] == '/') && !is_digit(line[behind]))
            ++behind;
        found.unit = line.substr(unit, behind - unit);
        std::string_view key = line.substr(from, at - from);
        while (!key.empty() && has(" :=", key.substr(key.size() - 1))) key.remove_suffix(1);
        while (!key.empty() && key.front() == ' ') key.remove_prefix(1);
        found.key = key;
        const std::string_view rest = line.substr(behind).substr(0, line.substr(behind).find('|'));
        found.is_alone =
            key.empty() && from > 0 && line[from - 1] == '|' && rest.find_first_not_of(' ') == std::string_view::npos;
        if (error == std::errc{} && std::isfinite(found.value)) visit(found);
        from = at = std::max(end, at + 1);
    }
}

// Nanoseconds of the unit that the key or the value states; 0: none.
double factor_of(const Quantity& quantity) {
    const std::string_view key = quantity.key, unit = quantity.unit;
    if (key.ends_with("(ms)") || key.ends_with(" in ms") || key.ends_with("_ms")) return 1e6;
    if (key.ends_with("(s)") || key.ends_with("(sec)") || key.ends_with("(seconds)") || key.ends_with(" in s") ||
        key.ends_with("_s") || key.ends_with("_sec") || key.ends_with("seconds"))
        return 1e9;
    if (unit == "ms" || unit == "ms/it" || unit == "ms/step" || unit == "ms/iter") return 1e6;
    return unit == "s" || unit == "sec" || unit == "seconds" || unit == "s/it" || unit == "s/step" || unit == "s/iter"
               ? 1e9
               : 0;
}

// Whether this is the time of one whole step, and not of a part of it or of many.
bool is_step_time(const Quantity& quantity) {
    const std::string_view key = quantity.key, unit = quantity.unit;
    if (quantity.is_alone) return unit == "ms" || unit.find('/') != std::string_view::npos;
    if (has_any(key, {"forward", "fwd", "backward", "bwd", "data", "load", "optim", "eval", "valid", "remain", "eta",
                      "total", "epoch", "comm", "save", "ckpt", "checkpoint", "since"}))
        return false;
    if (has_any(key, {"step", "iter", "batch"}) && has_any(key, {"tim", "elapsed", "duration", "latency", "seconds"}))
        return true;
    return key == "dt" || key == "time" || key == "elapsed" || key == "seconds" || key == "sec/step" ||
           key == "s/step" || key == "s/it" || unit == "s/it" || unit == "s/step" || unit == "s/iter" ||
           unit == "ms/step" || unit == "ms/it";
}

}  // namespace

std::optional<StepLine> read_step_line(std::string_view whole) {
    const std::string plain = plain_line(whole.substr(0, kMostStepLineBytes));
    std::string_view line = plain;
    StepLine read;
    read.written_ms = take_time_of_day(line);
    const std::optional<std::int64_t> number = step_number(line);
    if (!number) return std::nullopt;
    read.logged.last = *number;
    read.is_metrics = has_any(line, {"loss", "tps", "tokens", "mfu", "grad_norm", "samples", "skipped=", "lr"});
    visit_quantities(line, [&](const Quantity& quantity) {
        const double ns = quantity.value * factor_of(quantity);
        if (!read.has_duration && ns >= 1 && ns < kMostStepNs && is_step_time(quantity)) {
            read.logged.duration_ns = std::llround(ns);
            read.has_duration = true;
        } else if (has(quantity.key, "tflop") && quantity.value > 0 && quantity.value * 1e12 < kMostFlops) {
            read.logged.flops_per_s = std::llround(quantity.value * 1e12);
        } else if (quantity.key.ends_with("global_batch_size") || quantity.key.ends_with("global batch size")) {
            if (quantity.value <= static_cast<double>(kMostStep)) read.logged.batch = std::llround(quantity.value);
        }
    });
    return read;
}

std::optional<LoggedIterations> StepLines::add(std::string_view line) {
    // Bars of progress write one line over another.
    if (const std::size_t last = line.find_last_not_of('\r'); last != std::string_view::npos)
        if (const std::size_t back = line.substr(0, last + 1).rfind('\r'); back != std::string_view::npos)
            line.remove_prefix(back + 1);
    std::optional<StepLine> read = read_step_line(line);
    if (!read || !(read->has_duration || (read->written_ms && read->is_metrics))) return std::nullopt;
    const std::optional<std::int64_t> last = last_, last_ms = last_written_ms_;
    const std::int64_t step = read->logged.last;
    if (last && step == *last) return std::nullopt;
    last_ = step;
    last_written_ms_ = read->written_ms;
    if (read->has_duration) return read->logged;
    if (!last || !last_ms || step < *last) return std::nullopt;
    const std::int64_t pause = *read->written_ms - *last_ms;
    if (pause <= 0 || pause > kMostPauseMs) return std::nullopt;
    read->logged.duration_ns = pause * 1'000'000 / (step - *last);
    if (read->logged.duration_ns == 0) return std::nullopt;  // numbers that aren't steps
    return read->logged;
}

bool begins_step_log(std::string_view head) {
    StepLines lines;
    int rows = 0;
    while (!head.empty() && rows < 2) {
        const std::size_t end = head.find('\n');
        if (end == std::string_view::npos) break;  // cut
        if (lines.add(head.substr(0, end))) ++rows;
        head.remove_prefix(end + 1);
    }
    return rows >= 2;
}

}  // namespace core
