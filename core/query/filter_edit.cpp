#include "core/query/filter_edit.hpp"

#include <limits>

namespace core {
namespace {

Duration saturated_sum(Duration a, Duration b) {
    std::int64_t sum = 0;
    if (!__builtin_add_overflow(a.count(), b.count(), &sum)) return Duration{sum};
    return b.count() < 0 ? Duration{std::numeric_limits<std::int64_t>::min()}
                         : Duration{std::numeric_limits<std::int64_t>::max()};
}

}  // namespace

Filter moved_in_time(Filter filter, Duration by) {
    for (FilterTerm& term : filter.terms) {
        auto* const time = std::get_if<TimeTerm>(&term.what);
        if (time == nullptr) continue;
        if (time->begin) time->begin = saturated_sum(*time->begin, by);
        if (time->end) time->end = saturated_sum(*time->end, by);
    }
    return filter;
}

std::vector<NumberRange> ranges_of(std::span<const std::int64_t> numbers, std::span<const std::int64_t> known) {
    std::vector<NumberRange> ranges;
    auto next = known.begin();  // the number that would continue the last range
    for (const std::int64_t number : numbers) {
        if (!ranges.empty() && next != known.end() && *next == number)
            ranges.back().last = number;
        else
            ranges.push_back({number, number});
        next = std::ranges::upper_bound(known, number);
    }
    return ranges;
}

}  // namespace core
