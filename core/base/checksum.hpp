#pragma once
// A 64-bit checksum at the speed of memory, against accidents, not against forgers. Part of the index file's format:
// the same on every little-endian machine, never changed.

#include <cstddef>
#include <cstdint>
#include <span>

namespace core {

std::uint64_t checksum(std::span<const std::byte> bytes);

}  // namespace core
