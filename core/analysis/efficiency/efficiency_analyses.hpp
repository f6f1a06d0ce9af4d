#pragma once
// Rows of the analyses of this folder; core/analysis/catalogue/registry.cpp puts them into one table.

#include "core/analysis/engine/analysis.hpp"

namespace core {

extern const Analysis kFlopCoverage;
extern const Analysis kOpEfficiency;
extern const Analysis kMfu;
// Table of the partials of mfu, with rank, step (-1: none), flop, matrix and uncounted.
inline constexpr std::string_view kFlopOfSteps = "steps of ranks";
extern const Analysis kModules;

}  // namespace core
