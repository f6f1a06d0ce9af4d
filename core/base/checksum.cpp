#include "core/base/checksum.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace core {

std::uint64_t checksum(std::span<const std::byte> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

}  // namespace core
