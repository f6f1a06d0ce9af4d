#pragma once
// The two checks of `health` that logs of GPUs answer: clocks and errors. Internal to this folder.

#include "core/analysis/verdict/health_facts.hpp"

namespace core {

// By how much the clocks could be higher: of the slowest GPU against the others', or of all against the highest clock.
Reading read_clocks(const HealthFacts&);
// The share of GPUs with errors after which they need a check.
Reading read_gpu_errors(const HealthFacts&);

}  // namespace core
