#pragma once
// Population count for hot loops: std::popcount is a library call where the target may lack the
// instruction.

#include <bit>
#include <cstdint>

namespace core {

constexpr unsigned count_bits(std::uint64_t word) {
#ifdef __POPCNT__
    return static_cast<unsigned>(std::popcount(word));
#else
    // Sums 2, 4, then 8 bits in parallel; the product adds the eight bytes into the highest.
    word -= word >> 1 & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return static_cast<unsigned>(word * 0x0101010101010101u >> 56);
#endif
}

}  // namespace core
