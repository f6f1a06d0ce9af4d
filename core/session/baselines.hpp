#pragma once
// Named baselines: a text file of lines NAME, a tab and the path of a run, in the user's state folder.

#include "core/base/result.hpp"

#include <filesystem>
#include <map>
#include <string>

namespace core {

using Baselines = std::map<std::string, std::string>;  // path as path_to_text writes it

std::filesystem::path baselines_file();  // empty without a home folder
// Letters, digits, '-', '_' and '.', at most 64.
bool is_baseline_name(const std::string& name);
// Nothing where there is no file. Errors name the line.
Result<Baselines> read_baselines();

}  // namespace core
