#pragma once
// The tables of rocprofv3's databases (rocpd). A part of the file is the tables of one process: they end in the same
// id, and their numbers mean rows of the same part. Later writers keep places and times in tables of their own.

#include "core/ingest/rocm/rocm_rows.hpp"

#include <memory>
#include <string>
#include <vector>

namespace core {

// False: cancelled.
bool read_rocpd(RocmRows& rows);

}  // namespace core
