#pragma once
// Runs this program as a child process, for commands that draw or compare, so that a crash there
// doesn't end the server.

#include "core/base/result.hpp"

#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace app::mcp {

// Returns its standard output, at most `most_bytes`. Errors: its message on standard error; cancelled.
core::Result<std::string> run_self(const std::vector<std::string>& words, std::size_t most_bytes,
                                   const std::stop_token& stop);

}  // namespace app::mcp
