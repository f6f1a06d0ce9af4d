#pragma once
// Which profiler wrote a database, known from its tables; whether it can be read as it is.

#include "core/base/result.hpp"

#include <filesystem>

namespace core {

enum class DatabaseKind { NotOne, Nsys, Rocpd, Rpd, Ascend, Other };
DatabaseKind kind_of_database(const std::filesystem::path& path);

// An error if SQLite cannot read the file as it is on the disk: it is packed, or its writer is not done.
Result<bool> check_is_finished(const std::filesystem::path& path);

}  // namespace core
