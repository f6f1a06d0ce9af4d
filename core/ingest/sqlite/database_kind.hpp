#pragma once
// Which profiler wrote a database, known from its tables.

#include <filesystem>

namespace core {

enum class DatabaseKind { NotOne, Nsys, Rocpd, Rpd, Ascend, Other };
DatabaseKind kind_of_database(const std::filesystem::path& path);

}  // namespace core
