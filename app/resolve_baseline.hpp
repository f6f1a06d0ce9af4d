#pragma once
// Named baselines: a text file in the user's state folder with lines NAME, a tab and the path of a
// run. `diff @NAME RUN` compares with one.

#include "core/base/result.hpp"

#include <string>

namespace app {

// The path behind "@NAME". Any other text, and an existing file with that name, is returned as it is.
core::Result<std::string> resolve_baseline(const std::string& word);

}  // namespace app
