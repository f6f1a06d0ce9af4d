#pragma once
// Extracts rank, process groups, devices and versions from everything in a trace file except
// events.

#include "core/store/rank_trace.hpp"

#include <string_view>

namespace core {

// `json` is an object of the file's top-level members. Ignores members of unexpected form.
void read_kineto_metadata(std::string_view json, RankInfo& info, Diagnostics& diagnostics);

}  // namespace core
