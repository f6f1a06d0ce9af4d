#pragma once
// Named baselines: a text file of lines NAME, a tab and the path of a run, in the user's state folder. `diff @NAME RUN`
// compares with one.

#include "core/base/result.hpp"

#include <string>

namespace app {

// The path behind "@NAME"; any other text, and a file that is called so, as it is.
core::Result<std::string> resolve_baseline(const std::string& word);

}  // namespace app
