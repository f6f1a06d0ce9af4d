#pragma once
// All there is to know of an analysis, as `lockstep analyses ID` prints it: what it says, its exact definition, its
// parameters, and of each column the unit and the meaning, in the words that the window has on hover.

#include "core/analysis/engine/analysis.hpp"

#include <string>

namespace core {

std::string format_analysis(const Analysis&);  // lines of at most about 100 characters, but for the tables

}  // namespace core
