#pragma once
// Validates columns from an untrusted file: every id exists, every range is inside its section,
// sorted columns are sorted, parents lead upwards. A file that passes cannot make the program read
// out of bounds or loop, whatever numbers it shows. O(events).

#include "core/store/blob.hpp"

#include <string>

namespace core {

// The first fault of a RankTrace's columns; empty if valid.
std::string find_trace_fault(const Blob& blob);

}  // namespace core
