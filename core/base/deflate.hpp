#pragma once
// Bytes packed by deflate, all at once. Pure; any thread.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace core {

inline constexpr std::uint64_t kMostDeflateRatio = 1032;  // of unpacked to packed bytes

// level: 1 (fast) to 9. Throws std::bad_alloc.
std::string deflate_bytes(std::span<const std::byte> raw, int level);
// Fills `raw` to its end. False: these bytes do not give so many, or are damaged.
bool inflate_bytes(std::span<const std::byte> packed, std::span<std::byte> raw);

}  // namespace core
