#pragma once
// Runs this program as a process of its own, for commands that draw or compare: what goes wrong there is not our end.

#include "core/base/result.hpp"

#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace app::mcp {

// What it wrote to standard output, of at most `most_bytes`. Errors: its own words on standard error; cancelled.
core::Result<std::string> run_self(const std::vector<std::string>& words, std::size_t most_bytes,
                                   const std::stop_token& stop);

}  // namespace app::mcp
