#pragma once
// Repeatable noise: a value depends only on where it is used, not on earlier draws. So a change
// planted in one place leaves every other duration unchanged.

#include <cstdint>

namespace core::sample {

inline std::uint64_t mix_bits(std::uint64_t z) {
    z += 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

class Noise {
public:
    Noise() = default;
    Noise(std::uint64_t seed, std::uint64_t rank, std::uint64_t step)
        : key_(mix_bits(mix_bits(mix_bits(seed) + rank) + step)) {}

    std::uint64_t draw(std::uint32_t site, std::uint32_t occurrence) const {
        return mix_bits(key_ ^ mix_bits((std::uint64_t{site} << 32) | occurrence));
    }

private:
    std::uint64_t key_ = 0;
};

// Uniform in [low, high], from the upper bits of a draw.
inline std::int64_t between(std::uint64_t draw, std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>((draw >> 16) % static_cast<std::uint64_t>(high - low + 1));
}

}  // namespace core::sample
