#pragma once
// A 64-bit checksum at memory speed: XXH3 with seed 0, against accidents, not forgery. Part of the index file format
// and equal on every machine.

#include <cstddef>
#include <cstdint>
#include <span>

namespace core {

std::uint64_t checksum(std::span<const std::byte> bytes);

}  // namespace core
