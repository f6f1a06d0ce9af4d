#pragma once
// Rows of the analyses of this folder; core/analysis/catalogue/registry.cpp puts them into one table.

#include "core/analysis/engine/analysis.hpp"

namespace core {

extern const Analysis kCommEfficiency;
extern const Analysis kParallelGroups;
extern const Analysis kDdpBuckets;
extern const Analysis kFsdp;
extern const Analysis kPipeline;
extern const Analysis kExperts;

}  // namespace core
