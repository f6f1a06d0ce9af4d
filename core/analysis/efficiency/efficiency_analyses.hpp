#pragma once
// Rows of the analyses of this folder; core/analysis/catalogue/registry.cpp puts them into one table.

#include "core/analysis/engine/analysis.hpp"

namespace core {

extern const Analysis kFlopCoverage;
extern const Analysis kOpEfficiency;
extern const Analysis kMfu;
extern const Analysis kModules;

}  // namespace core
