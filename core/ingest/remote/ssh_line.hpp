#pragma once
// The line to a server that runs as a child of this process: ssh, or what LOCKSTEP_SSH says.

#include "core/ingest/remote/connection.hpp"
#include "core/ingest/remote/remote_path.hpp"

#include <memory>

namespace core::remote {

Result<std::unique_ptr<Line>> start_ssh(const RemotePath&);

}  // namespace core::remote
