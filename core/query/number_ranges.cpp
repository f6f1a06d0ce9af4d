#include "core/query/number_ranges.hpp"

namespace core {

std::vector<NumberRange> join_numbers(std::span<const std::int64_t> rising) {
    std::vector<NumberRange> ranges;
    for (const std::int64_t number : rising) {
        if (!ranges.empty() && ranges.back().last + 1 >= number)
            ranges.back().last = number;
        else
            ranges.push_back({number, number});
    }
    return ranges;
}

std::string format_ranges(std::span<const NumberRange> ranges) {
    std::string text;
    for (const NumberRange& range : ranges) {
        text += (text.empty() ? "" : ",") + std::to_string(range.first);
        if (range.last != range.first) text += "-" + std::to_string(range.last);
    }
    return text;
}

}  // namespace core
