#pragma once
// A regular expression in RE2's syntax: no back references and no look-around, so a search is
// O(text) for any pattern and uses bounded memory. Finds a match anywhere unless anchored. Pattern
// and text are UTF-8: `.` matches a character. A shared, immutable program: cheap to copy, safe to
// use from any number of threads.

#include "core/base/result.hpp"

#include <memory>
#include <string_view>

namespace re2 {
class RE2;
}

namespace core {

class NamePattern {
public:
    // Errors name the problem and the piece of the pattern: missing ) in "(a".
    static Result<NamePattern> compile(std::string_view pattern);
    bool found_in(std::string_view text) const;

private:
    explicit NamePattern(std::shared_ptr<const re2::RE2> program) : program_(std::move(program)) {}

    std::shared_ptr<const re2::RE2> program_;
};

}  // namespace core
