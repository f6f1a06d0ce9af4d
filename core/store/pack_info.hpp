#pragma once
// What is known of a rank beyond its columns, as bytes for an index file and back. What was packed comes back equal,
// but for metadata_json, which is large and has a section of its own. Any bytes may be unpacked; false if they are
// not what pack_info makes, and then nothing is promised of the rest.

#include "core/store/rank_trace.hpp"

namespace core {

std::vector<std::byte> pack_info(const RankInfo&, const Diagnostics&);
bool unpack_info(std::span<const std::byte>, RankInfo&, Diagnostics&);

}  // namespace core
