#pragma once
// Rows of the analyses of this folder; core/analysis/catalogue/registry.cpp puts them into one table.

#include "core/analysis/engine/analysis.hpp"

namespace core {

// Parameters of both.
inline constexpr Param kFindingParams[] = {
    {"least", "findings that could gain less than this percentage of the rank's window are left out", Unit::Percent, 1,
     0, 100},
};

extern const Analysis kFindings;
extern const Analysis kWhatToDo;

}  // namespace core
