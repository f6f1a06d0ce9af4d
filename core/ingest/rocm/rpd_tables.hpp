#pragma once
// The tables of rpdTracer's databases (.rpd): work of GPUs, calls, what links the two, and samples of GPUs. One file
// may hold all processes of a job.

#include "core/ingest/rocm/rocm_rows.hpp"

namespace core {

// False: cancelled.
bool read_rpd(RocmRows& rows);

}  // namespace core
