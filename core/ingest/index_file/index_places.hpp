#pragma once
// Location of a trace's index file: beside it, as rank0.json.gz.lockstep-index; in the user's cache
// if that isn't writable; or in a requested folder.

#include <filesystem>
#include <string_view>

namespace core {

bool is_index_file(std::string_view file_name);
std::filesystem::path index_beside(const std::filesystem::path& trace);
std::filesystem::path trace_of_index(const std::filesystem::path& index);  // the trace's name
// Derived from the trace's absolute path; empty if the user has no home.
std::filesystem::path index_in_cache(const std::filesystem::path& trace);

// One of its own for each call, in the same folder.
std::filesystem::path temporary_name(const std::filesystem::path& index);
// Removes what interrupted writers left, if it is a day old.
void remove_leftovers(const std::filesystem::path& folder);

}  // namespace core
