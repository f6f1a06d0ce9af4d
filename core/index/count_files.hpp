#pragma once
// How many files the ranks of a run were read from: a file can hold several ranks.

#include "core/index/run.hpp"

#include <cstddef>

namespace core {

// Ranks that name no file count as one each.
std::size_t count_files(const Run& run);

}  // namespace core
