#pragma once
// Texts for groups and sets of ranks, the same in tables and in the window.

#include "core/analysis/hangs/find_hangs.hpp"

namespace core::hangs {

// "description name" of each group; those that share it have their ranks behind it.
std::vector<std::string> label_groups(const std::vector<RecordedGroup>& groups);

// Rising numbers: "0-3,7"; empty for none.
std::string join_ranks(const std::vector<std::int32_t>& ranks);

}  // namespace core::hangs
