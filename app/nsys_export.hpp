#pragma once
// --nsys-export: has the `nsys` of this machine export reports (.nsys-rep) to the SQLite that Lockstep reads, next
// to them. Only on request, as it writes files and can take many minutes.

#include "core/base/result.hpp"

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string_view>
#include <vector>

namespace app {

// The paths with each report replaced by its export; reports in folders are exported into their folder. An export that
// is there already stays. Fails where nsys cannot be started or fails.
core::Result<std::vector<std::filesystem::path>> export_nsys_reports(std::vector<std::filesystem::path> paths,
                                                                     const std::function<void(std::string_view)>& say,
                                                                     const std::stop_token& stop);

}  // namespace app
