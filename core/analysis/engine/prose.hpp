#pragma once
// Text of several lines as a raw string of the source holds it. A line break within a paragraph stands for a blank, an
// empty line separates paragraphs, and empty lines at either end don't count; so a formatter can't break sentences.

#include <string>
#include <string_view>

namespace core {

class Prose {
public:
    constexpr Prose(std::string_view written) : written_(written) {}
    constexpr Prose(const char* written) : written_(written) {}

    constexpr bool empty() const { return written_.empty(); }
    // A line for each paragraph.
    std::string join_lines() const;

private:
    std::string_view written_;  // never freed
};

}  // namespace core
