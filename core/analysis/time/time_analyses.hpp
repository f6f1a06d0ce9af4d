#pragma once
// Rows of the analyses of this folder; core/analysis/catalogue/registry.cpp puts them into one table.

#include "core/analysis/engine/analysis.hpp"

namespace core {

extern const Analysis kTemporalBreakdown;
extern const Analysis kKernelTypes;
extern const Analysis kOverlap;
extern const Analysis kSteps;
extern const Analysis kStepParts;
extern const Analysis kIdleBreakdown;
extern const Analysis kDeviceIdle;
extern const Analysis kIdleGaps;
extern const Analysis kTrainingLog;

}  // namespace core
