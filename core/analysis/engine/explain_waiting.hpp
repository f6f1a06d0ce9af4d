#pragma once
// Why an analysis of collectives has no rows: one sentence, true of the run, for window and command line.

#include "core/query/selection.hpp"

#include <string>

namespace core {

// Why nobody waits for anybody. Never matches anything, as a frame may ask.
std::string explain_no_waiting(const Run&, const Filter&);
// The same, where there may be collectives whose sizes are not known.
std::string explain_no_sizes(const Run&, const Filter&);

}  // namespace core
