#pragma once
// Who a trace file is: rank, process groups, devices and versions, out of everything in it that is no event.

#include "core/store/rank_trace.hpp"

#include <string_view>

namespace core {

// `json` is an object with the file's top-level members. Members of an unexpected form are left out, never an error.
void read_kineto_metadata(std::string_view json, RankInfo& info, Diagnostics& diagnostics);

}  // namespace core
