#include "core/export/number_text.hpp"

#include <array>
#include <cassert>
#include <charconv>
#include <cmath>

namespace core {

std::string shortest_text(double value) {
    assert(std::isfinite(value));
    std::array<char, 40> buffer;
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return std::string(buffer.data(), end.ptr);
}

}  // namespace core
