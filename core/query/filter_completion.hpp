#pragma once
// Completions for the word at the cursor in the text form of a filter.

#include "core/query/filter_vocabulary.hpp"

#include <string_view>

namespace core {

struct Completion {
    std::string word;        // replaces the word at the cursor
    std::string_view about;  // "ranks, such as 0-3,8"; may be empty
    bool whole = true;       // false: needs more text ("rank:")
    bool operator==(const Completion&) const = default;
};

struct Completions {
    std::size_t begin = 0;   // the word at the cursor: bytes of the text
    std::size_t end = 0;
    std::vector<Completion> found;
};

// Likeliest first, limited in number. Omits what the word already says. O(vocabulary).
Completions complete_filter(std::string_view text, std::size_t cursor, const FilterVocabulary&, std::size_t most = 13);

}  // namespace core
