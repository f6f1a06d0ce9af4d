#pragma once
// Rows of the analyses of this folder; core/analysis/catalogue/registry.cpp puts them into one table.

#include "core/analysis/engine/analysis.hpp"

namespace core {

extern const Analysis kMemoryBandwidth;
extern const Analysis kMemoryTimeline;
extern const Analysis kMemorySnapshot;
extern const Analysis kMemoryPeak;
extern const Analysis kMemoryEfficiency;
extern const Analysis kMemoryFragmentation;

}  // namespace core
