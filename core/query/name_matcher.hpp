#pragma once
// A name term made ready to be asked many times: a text anywhere in the name without regard to ASCII case, or a
// regular expression. Fails when the expression cannot be used. May be asked from any one thread at a time.

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
