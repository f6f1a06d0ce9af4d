#pragma once
// Texts put one after another with a separator between them: join_text(words, ", ") is "a, b".

#include <string>
#include <string_view>

namespace core {

template <class Texts>
std::string join_text(const Texts& texts, std::string_view separator) {
    std::string all;
    bool first = true;
    for (const std::string_view text : texts) {
        if (!first) all += separator;
        all += text;
        first = false;
    }
    return all;
}

}  // namespace core
