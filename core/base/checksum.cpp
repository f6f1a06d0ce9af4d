#include "core/base/checksum.hpp"

#include <array>
#include <cstring>

namespace core {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kMix = 0x9e3779b97f4a7c15ull;
constexpr std::size_t kLanes = 8;  // multiplications at a time: as many as hide how long one takes
constexpr std::size_t kBlock = kLanes * sizeof(std::uint64_t);

std::uint64_t fold(std::uint64_t sum, std::uint64_t word) {
    const Wide product = static_cast<Wide>(sum ^ word) * kMix;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

}  // namespace

std::uint64_t checksum(std::span<const std::byte> bytes) {
    std::array<std::uint64_t, kLanes> sums{};
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] = (lane + 1) * kMix;
    std::array<std::uint64_t, kLanes> words{};
    std::size_t at = 0;
    for (; at + kBlock <= bytes.size(); at += kBlock) {
        std::memcpy(words.data(), bytes.data() + at, kBlock);
        for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] = fold(sums[lane], words[lane]);
    }
    words = {};
    if (at < bytes.size()) std::memcpy(words.data(), bytes.data() + at, bytes.size() - at);
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] = fold(sums[lane], words[lane]);
    std::uint64_t sum = bytes.size();
    for (const std::uint64_t lane : sums) sum = fold(sum, lane);
    return sum;
}

}  // namespace core
