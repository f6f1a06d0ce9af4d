#pragma once
// A first look at the clocks of a run: files whose times have nothing in common with the others' (another machine's
// boot clock, another day) are shifted to begin together with them. Times of files that could share a clock stay raw.

#include "core/base/diagnostics.hpp"
#include "core/index/run.hpp"

#include <span>
#include <string>
#include <vector>

namespace core {

struct RankWindow {
    RankKey key;
    RankRange window;
    std::string file;
};

// One map per window. Captures of one rank are never shifted onto each other.
std::vector<ClockMap> align_clocks(std::span<const RankWindow> windows, Diagnostics& diagnostics);

}  // namespace core
