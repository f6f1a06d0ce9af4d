#pragma once
// The full description of an analysis, as `lockstep analyses ID` prints it: summary, exact
// definition, parameters, and the unit and meaning of each column, in the words the window shows on
// hover.

#include "core/analysis/engine/analysis.hpp"

#include <string>

namespace core {

std::string format_analysis(const Analysis&);  // lines of at most about 100 characters, except tables

}  // namespace core
