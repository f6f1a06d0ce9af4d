#pragma once
// Whether columns from a file that nobody vouches for can be worked with: every id names something, every range lies
// inside, what has to rise rises, parents lead upwards. With that no such file can make the program read beyond its
// columns or walk in a circle, whatever numbers it shows. O(events).

#include "core/store/blob.hpp"

#include <string>

namespace core {

// What is wrong with the columns of a RankTrace, empty if nothing is.
std::string find_trace_fault(const Blob& blob);

}  // namespace core
