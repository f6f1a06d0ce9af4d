#pragma once
// Runs beside a run: the folders and traces next to it, for a trend. Lists folders: run on a worker.

#include "core/base/result.hpp"

#include <filesystem>
#include <vector>

namespace core {

// A run is a folder that holds traces at any depth, or a trace file. `paths` are those a run was opened by, which count
// themselves. Files with names of traces beside a file are runs of their own; beside a folder they are not. By name.
// Empty if the run was opened by several paths.
Result<std::vector<std::filesystem::path>> list_neighbours(const std::vector<std::filesystem::path>& paths);

inline constexpr std::size_t kMostNeighbours = 512;

}  // namespace core
