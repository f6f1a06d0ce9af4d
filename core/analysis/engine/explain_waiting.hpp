#pragma once
// Why there is nothing to tell of collectives, in one sentence that is true of the run: what window and command line
// say.

#include "core/query/selection.hpp"

#include <string>
#include <string_view>

namespace core {

// Analysis::made_of of the analyses of collectives, and of those that need sizes.
inline constexpr std::string_view kMadeOfCollectives = "collectives that several of these ranks took part in";
inline constexpr std::string_view kMadeOfSizes = "collectives of known size that everyone waits in";

// Why nobody waits for anybody. Never matches anything, as a frame may ask.
std::string explain_no_waiting(const Run&, const Filter&);
// The same, where there may be collectives whose sizes are not known.
std::string explain_no_sizes(const Run&, const Filter&);

}  // namespace core
