#include "core/telemetry/log_time.hpp"

#include "core/base/ascii.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>

namespace core {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kDay = 86'400 * kSecond;
constexpr std::int64_t kLatest = 8'000'000'000'000'000'000;  // ns: the year 2223; offsets can be added without overflow

constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

class TimeText {
public:
    explicit TimeText(std::string_view text) : text_(text) {}

    std::size_t at() const { return at_; }
    bool take(char c) {
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    void skip(char c) {
        while (take(c)) {}
    }
    // Exactly `digits` digits, or -1.
    int number(std::size_t digits) {
        if (at_ + digits > text_.size()) return -1;
        int value = 0;
        for (std::size_t i = 0; i < digits; ++i) {
            const char c = text_[at_ + i];
            if (!is_digit(c)) return -1;
            value = value * 10 + (c - '0');
        }
        at_ += digits;
        return value;
    }
    // "Tue " before a month, as dmesg -T and ctime write it.
    void skip_weekday() {
        constexpr std::array<std::string_view, 7> kDays = {"Mon ", "Tue ", "Wed ", "Thu ", "Fri ", "Sat ", "Sun "};
        for (const std::string_view day : kDays)
            if (text_.substr(at_).starts_with(day)) return advance(day.size());
    }
    int short_number() { return at_ + 1 < text_.size() && is_digit(text_[at_ + 1]) ? number(2) : number(1); }
    int month_by_name() {
        for (std::size_t i = 0; i < kMonths.size(); ++i)
            if (text_.substr(at_).starts_with(kMonths[i])) {
                at_ += kMonths[i].size();
                return static_cast<int>(i) + 1;
            }
        return -1;
    }
    // ".117" or ",117": nanoseconds.
    std::int64_t fraction() {
        if (at_ + 1 >= text_.size() || (text_[at_] != '.' && text_[at_] != ',') || !is_digit(text_[at_ + 1])) return 0;
        std::int64_t ns = 0;
        std::int64_t unit = kSecond / 10;
        for (++at_; at_ < text_.size() && is_digit(text_[at_]); ++at_, unit /= 10) ns += (text_[at_] - '0') * unit;
        return ns;
    }
    std::string_view rest() const { return text_.substr(at_); }
    void advance(std::size_t bytes) { at_ += bytes; }

private:
    std::string_view text_;
    std::size_t at_ = 0;
};

std::optional<std::int64_t> day_of(int year, int month, int day) {
    if (year < 1970 || year > 2200 || month < 1 || month > 12 || day < 1) return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{static_cast<unsigned>(month)},
                                           std::chrono::day{static_cast<unsigned>(day)}};
    if (!date.ok()) return std::nullopt;
    return std::chrono::sys_days{date}.time_since_epoch().count();
}

std::optional<std::int64_t> read_clock(TimeText& text) {
    const int hour = text.number(2);
    if (hour < 0 || hour > 24 || !text.take(':')) return std::nullopt;
    const int minute = text.number(2);
    if (minute < 0 || minute > 59 || !text.take(':')) return std::nullopt;
    const int second = text.number(2);
    if (second < 0 || second > 60) return std::nullopt;
    return (hour * 3600LL + minute * 60LL + second) * kSecond + text.fraction();
}

struct Date {
    std::int64_t day = 0;
    bool has_year = true;
    int month = 0, of_month = 0;  // without a year
};

// The year behind the time of day, as ctime writes it.
void take_late_year(TimeText& text, Date& date) {
    TimeText late = text;
    if (date.has_year || !late.take(' ')) return;
    const std::optional<std::int64_t> day = day_of(late.number(4), date.month, date.of_month);
    if (!day) return;
    text = late;
    date.day = *day;
    date.has_year = true;
}

std::optional<Date> read_date(TimeText& text) {
    if (const int month = text.month_by_name(); month > 0) {
        text.skip(' ');
        const int day = text.short_number();
        // 1972 had a 29th of February; its year is replaced.
        const std::optional<std::int64_t> of_year = day_of(month == 2 && day == 29 ? 1972 : 1970, month, day);
        if (!of_year) return std::nullopt;
        return Date{.day = *of_year, .has_year = false, .month = month, .of_month = day};
    }
    const int year = text.number(4);
    if (year < 0) return std::nullopt;
    const bool split = text.take('/') || text.take('-');
    const int month = text.number(2);
    if (month < 0 || (split && !text.take('/') && !text.take('-'))) return std::nullopt;
    const std::optional<std::int64_t> day = day_of(year, month, text.number(2));
    if (!day) return std::nullopt;
    return Date{.day = *day};
}

struct Zone {
    std::int64_t seconds = 0;
    std::size_t length = 0;
};

std::optional<Zone> read_zone(std::string_view text) {
    TimeText zone(text);
    if (zone.take('Z')) return Zone{.seconds = 0, .length = 1};
    const bool minus = zone.take('-');
    if (!minus && !zone.take('+')) return std::nullopt;
    const int hours = zone.number(2);
    if (hours < 0 || hours > 14) return std::nullopt;
    TimeText with_colon = zone;
    with_colon.take(':');
    const int minutes = with_colon.number(2);
    const bool has_minutes = minutes >= 0 && minutes < 60;
    const std::int64_t seconds = hours * 3600LL + (has_minutes ? minutes * 60LL : 0);
    return Zone{.seconds = minus ? -seconds : seconds, .length = has_minutes ? with_colon.at() : zone.at()};
}

}  // namespace

std::optional<FoundTime> find_time(std::string_view line) {
    TimeText text(line);
    while (text.take(' ') || text.take('[') || text.take('"') || text.take('\t')) {}
    text.skip_weekday();
    std::optional<Date> date = read_date(text);
    if (!date) return std::nullopt;
    if (!text.take('T')) {
        text.skip(' ');
        text.skip('\t');
    }
    const std::optional<std::int64_t> clock = read_clock(text);
    if (!clock) return std::nullopt;
    take_late_year(text, *date);
    LogTime time{.ns = date->day * kDay + *clock, .has_zone = false, .has_year = date->has_year};
    if (const std::optional<Zone> zone = read_zone(text.rest())) {
        time.has_zone = true;
        time.ns -= zone->seconds * kSecond;
        text.advance(zone->length);
    }
    while (text.take(']') || text.take('"')) {}
    return FoundTime{.time = time, .end = text.at()};
}

std::optional<LogTime> parse_epoch(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '"')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '"' || text.back() == '\r')) text.remove_suffix(1);
    const char* const end = text.data() + text.size();
    std::int64_t whole = 0;
    if (const auto [stop, error] = std::from_chars(text.data(), end, whole); error == std::errc() && stop == end) {
        std::int64_t factor = 1;
        if (whole < 100'000'000) return std::nullopt;  // seconds before 1973: since boot, or of a run
        if (whole < 100'000'000'000)
            factor = kSecond;
        else if (whole < 100'000'000'000'000)
            factor = 1'000'000;
        else if (whole < 100'000'000'000'000'000)
            factor = 1'000;
        if (whole > kLatest / factor) return std::nullopt;
        return LogTime{.ns = whole * factor, .has_zone = true};
    }
    double value = 0;
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end || !(value >= 1e8) || value > 9e18) return std::nullopt;
    const double factor = value < 1e11 ? 1e9 : value < 1e14 ? 1e6 : value < 1e17 ? 1e3 : 1;
    if (value * factor > static_cast<double>(kLatest)) return std::nullopt;
    // Whole seconds apart, so that nanoseconds of today's dates survive in a double.
    const double units = std::floor(value);
    const auto ns =
        static_cast<std::int64_t>(units) * static_cast<std::int64_t>(factor) + std::llround((value - units) * factor);
    return LogTime{.ns = ns, .has_zone = true};
}

std::optional<std::int64_t> parse_utc_offset(std::string_view text) {
    const std::optional<Zone> zone = read_zone(text);
    if (!zone || zone->length != text.size()) return std::nullopt;
    return zone->seconds;
}

std::int64_t with_year_near(std::int64_t of_1970, std::int64_t near) {
    using std::chrono::days, std::chrono::sys_days, std::chrono::year, std::chrono::year_month_day;
    const auto day = std::chrono::floor<days>(std::chrono::nanoseconds(of_1970));
    const year_month_day date{sys_days{day}};
    const std::int64_t of_day = of_1970 - day.count() * kDay;
    const auto near_day = std::chrono::floor<days>(std::chrono::nanoseconds(near));
    const year near_year = year_month_day{sys_days{near_day}}.year();
    std::int64_t best = of_1970;
    for (int more = -1; more <= 1; ++more) {
        const year_month_day candidate{near_year + std::chrono::years{more}, date.month(), date.day()};
        if (!candidate.ok()) continue;
        const std::int64_t at = sys_days{candidate}.time_since_epoch().count() * kDay + of_day;
        if (std::abs(at - near) < std::abs(best - near)) best = at;
    }
    return best;
}

}  // namespace core
