#pragma once
// The second half of the TraceBuilder: staged records → columns in one blob. Internal to
// core/store.

#include "core/base/jobs.hpp"
#include "core/store/staged_events.hpp"

namespace core {

Result<RankTracePtr> assemble_trace(Staged staged, RankInfo info, const JobContext&);

}  // namespace core
