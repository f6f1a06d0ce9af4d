#pragma once
// Folders with traces of captured graphs, besides the files of a run. Set before the first run is opened, for the whole
// process.

#include <filesystem>
#include <span>
#include <vector>

namespace core {

void set_capture_folders(std::vector<std::filesystem::path>);
std::span<const std::filesystem::path> capture_folders();

}  // namespace core
