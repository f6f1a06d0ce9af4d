#pragma once
// Opening a run for a command, with a progress line while it loads unless quiet. Errors name the file.

#include "app/console.hpp"
#include "core/index/run.hpp"

#include <span>
#include <string>

namespace app {

// Runs opened with the same `names` have equal ids for equal names; null: names of its own.
core::Result<core::RunPtr> open_run(std::span<const std::string> paths, unsigned threads, bool quiet,
                                    std::stop_token stop, std::shared_ptr<core::SessionNames> names = nullptr);

}  // namespace app
