#pragma once
// Where the index file of a trace lies: beside it, as rank0.json.gz.lockstep-index; where that cannot be written, in
// the user's cache; or in a folder that was asked for.

#include <filesystem>
#include <string_view>

namespace core {

bool is_index_file(std::string_view file_name);
std::filesystem::path index_beside(const std::filesystem::path& trace);
std::filesystem::path trace_of_index(const std::filesystem::path& index);  // the name it would have
// By the trace's absolute path; empty if the user has no home.
std::filesystem::path index_in_cache(const std::filesystem::path& trace);

// One of its own for each call, in the same folder.
std::filesystem::path temporary_name(const std::filesystem::path& index);
// What writers that ended early left in a folder: files named so that are a day old.
void remove_leftovers(const std::filesystem::path& folder);

}  // namespace core
