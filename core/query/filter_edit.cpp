#include "core/query/filter_edit.hpp"

namespace core {

std::vector<NumberRange> ranges_of(std::span<const std::int64_t> numbers, std::span<const std::int64_t> known) {
    std::vector<NumberRange> ranges;
    auto next = known.begin();  // what would continue the last range
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
