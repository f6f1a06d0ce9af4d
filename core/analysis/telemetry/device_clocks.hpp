#pragma once
// The highest SM clock of data-centre GPUs, as `nvidia-smi -q -d CLOCK` states it on them: for logs that do not.

#include "core/store/rank_trace.hpp"

namespace core {

// MHz, of the device that a trace names; 0: unknown, or several.
double highest_clock_of(const RankTrace& trace);

}  // namespace core
