#pragma once
// Collectives of process groups beyond those that member events tell apart, which have numbers of 16 bits.

#include "core/index/member_events.hpp"

#include <cstdint>

namespace core {

// Member events of no group in a table that is full; a collective that names no group counts, too. O(members) then.
std::uint64_t count_joined(const MemberTable&);

}  // namespace core
