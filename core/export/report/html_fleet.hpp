#pragma once
// The page of lockstep fleet: one self-contained table, a row per run. Every text is escaped.

#include "core/analysis/engine/table.hpp"

namespace core {

std::string fleet_to_html(const Table&);

}  // namespace core
