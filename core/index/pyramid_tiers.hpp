#pragma once
// The block layout of a lane and the bucket's code for the share of its widest event; shared by
// building a time pyramid and drawing from it.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace core {

inline constexpr std::size_t kPyramidTiers = 4;
inline constexpr std::array<std::size_t, kPyramidTiers> kEventsOfBlock = {1u << 10, 1u << 15, 1u << 20, 1u << 24};
inline constexpr float kLeastShare = 1.0F / 255;

// Encodes a share 0..1 in 8 bits on a logarithmic scale (16 steps per octave, down to 2^-16), and
// decodes it.
inline constexpr std::uint32_t kCodeOfOne = 0x3F800000u >> 19;
constexpr std::uint32_t code_of_share(float share) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(share) >> 19;
    return bits + 255 <= kCodeOfOne ? 0 : std::min(bits + 255 - kCodeOfOne, 255u);
}
constexpr float share_of_code(std::uint32_t code) { return std::bit_cast<float>((code + kCodeOfOne - 255) << 19); }

}  // namespace core
