#pragma once
// Rows of the analyses of this folder; core/analysis/catalogue/registry.cpp puts them into one table.

#include "core/analysis/engine/analysis.hpp"

namespace core {

extern const Analysis kKernels;
extern const Analysis kKernelImbalance;
extern const Analysis kNames;
extern const Analysis kOperators;
extern const Analysis kOperatorCalls;
extern const Analysis kAnnotations;
extern const Analysis kKernelsByAnnotation;
extern const Analysis kKernelsByOperator;
extern const Analysis kKernelSequences;
extern const Analysis kCounters;
extern const Analysis kGraphs;

}  // namespace core
