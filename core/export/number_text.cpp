#include "core/export/number_text.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace core {

std::string shortest_text(double value) {
    if (!std::isfinite(value)) return "null";
    std::array<char, 40> buffer;
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return std::string(buffer.data(), end.ptr);
}

}  // namespace core
