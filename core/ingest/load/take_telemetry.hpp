#pragma once
// Logs of GPU clocks, power and errors among the files of a run become its companions. They are named here and read
// when an analysis asks (core/analysis/telemetry), as which part of them is of use depends on the ranks.

#include "core/index/run.hpp"
#include "core/ingest/load/discover.hpp"

#include <vector>

namespace core {

// Takes the logs out of the files found, adds those that the user named, each once. Looks at the heads of at most
// kMostHeads files. Without a trace nothing is taken.
std::vector<Companion> take_telemetry(Discovery& found, const ClassRules& rules);

}  // namespace core
