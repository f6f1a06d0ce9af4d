#pragma once
// Opening a run for a command, with a progress line while it loads unless quiet. Errors name the file.

#include "app/console.hpp"
#include "app/options.hpp"
#include "core/index/run.hpp"

#include <span>
#include <string>

namespace app {

// Runs opened with the same `names` have equal ids for equal names; null: names of its own.
core::Result<core::RunPtr> open_run(std::span<const std::string> paths, const Loading& loading, bool quiet,
                                    std::stop_token stop, std::shared_ptr<core::SessionNames> names = nullptr);

// "reading: 40 % of 1.0 GB, …" for a progress line.
std::string describe_progress(const core::LoadProgress& progress);

}  // namespace app
