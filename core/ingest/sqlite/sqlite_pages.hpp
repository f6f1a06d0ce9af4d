#pragma once
// The pages of a SQLite file's tables, as far as it takes to see that each belongs to one place: a damaged file in
// which one page stands in for another reads without an error, but with rows of somewhere else.

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace core {

// Faults of the trees of tables that begin at these pages; empty: nothing. Reads inner pages only, about one in
// a hundred. O(pages).
std::string find_page_fault(const std::filesystem::path&, std::span<const std::int64_t> roots);

}  // namespace core
