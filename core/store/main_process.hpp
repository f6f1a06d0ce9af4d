#pragma once
// Which process a trace is of.

#include "core/store/rank_trace.hpp"

#include <string>

namespace core {

// The pid of the process with the most threads; empty where none is a number. O(processes).
std::string find_main_process(const RankTrace&);

}  // namespace core
