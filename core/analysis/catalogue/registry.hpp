#pragma once
// The table of all analyses. Those that need other arguments than a run, such as the waterfall, are not in it.

#include "core/analysis/engine/analysis.hpp"
#include "core/base/catalogue.hpp"

#include <span>
#include <string_view>

namespace core {

const Catalogue<Analysis>& analyses();
inline std::span<const Analysis> all_analyses() { return analyses().rows(); }
const Analysis* find_analysis(std::string_view id);  // null: there is none

}  // namespace core
