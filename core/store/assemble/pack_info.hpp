#pragma once
// Serialises a rank's RankInfo and Diagnostics for an index file. A round trip is exact except for
// metadata_json, which has its own section. Unpacking accepts any bytes; false if they were not
// made by pack_info, with the result unspecified.

#include "core/store/rank_trace.hpp"

namespace core {

std::vector<std::byte> pack_info(const RankInfo&, const Diagnostics&);
bool unpack_info(std::span<const std::byte>, RankInfo&, Diagnostics&);

}  // namespace core
