#include "core/query/name_matcher.hpp"

#include "core/base/ascii.hpp"

#include <algorithm>

namespace core {

std::string lowered(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(), lower_ascii);
    return result;
}

bool contains_without_case(std::string_view text, std::string_view lowered_part) {
    return std::search(text.begin(), text.end(), lowered_part.begin(), lowered_part.end(),
                       [](char a, char b) { return lower_ascii(a) == b; }) != text.end();
}

Result<NameMatcher> NameMatcher::make(const NameTerm& term) {
    NameMatcher matcher;
    if (!term.is_regex) {
        matcher.part_ = lowered(term.text);
        return matcher;
    }
    Result<NamePattern> pattern = NamePattern::compile(term.text);
    if (!pattern) return std::move(pattern).error();
    matcher.pattern_ = std::move(*pattern);
    return matcher;
}

bool NameMatcher::matches(std::string_view name) const {
    return pattern_ ? pattern_->found_in(name) : contains_without_case(name, part_);
}

}  // namespace core
