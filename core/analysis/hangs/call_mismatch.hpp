#pragma once
// Compares the calls that the ranks of a group make under one number: operation, element type, and the sizes that have
// to agree for the operation. All-to-all and unknown operations have no such sizes.

#include "core/analysis/hangs/find_hangs.hpp"

#include <span>

namespace core::hangs {

// Per caller what differs from most others ("size 4096, others 8192"), or nothing. Without a majority all differ.
std::vector<std::string> find_mismatches(std::span<const std::vector<const RecordedCall*>> calls);

}  // namespace core::hangs
