#include "core/query/filter_edit.hpp"

#include "core/base/saturate.hpp"

namespace core {
Filter moved_in_time(Filter filter, Duration by) {
    for (FilterTerm& term : filter.terms) {
        auto* const time = std::get_if<TimeTerm>(&term.what);
        if (time == nullptr) continue;
        if (time->begin) time->begin = Duration{saturating_add(time->begin->count(), by.count())};
        if (time->end) time->end = Duration{saturating_add(time->end->count(), by.count())};
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
