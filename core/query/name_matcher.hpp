#pragma once
// A prepared name term: a substring, ASCII case-insensitive, or a regular expression. Fails if the
// expression is invalid. One thread at a time.

#include "core/query/filter.hpp"
#include "core/query/name_pattern.hpp"

namespace core {

bool contains_without_case(std::string_view text, std::string_view lowered_part);
std::string lowered(std::string_view);  // ASCII letters only

class NameMatcher {
public:
    static Result<NameMatcher> make(const NameTerm&);
    bool matches(std::string_view name) const;

private:
    NameMatcher() = default;
    std::string part_;  // in lower case
    std::optional<NamePattern> pattern_;
};

}  // namespace core
