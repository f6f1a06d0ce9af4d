#pragma once
// Bits set in a word, where it is asked millions of times: std::popcount is a call into the compiler's library on machines
// that need not have the instruction.

#include <bit>
#include <cstdint>

namespace core {

constexpr unsigned count_bits(std::uint64_t word) {
#ifdef __POPCNT__
    return static_cast<unsigned>(std::popcount(word));
#else
    // Sums of 2, 4, then 8 bits side by side; the product adds up the eight bytes in the highest.
    word -= word >> 1 & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return static_cast<unsigned>(word * 0x0101010101010101u >> 56);
#endif
}

}  // namespace core
