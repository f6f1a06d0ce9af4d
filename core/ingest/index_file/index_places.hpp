#pragma once
// Location of a trace's index file: beside it, as rank0.json.gz.lockstep-index; in the user's cache
// if that isn't writable; or in a requested folder.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

namespace core {

bool is_index_file(std::string_view file_name);
std::filesystem::path index_beside(const std::filesystem::path& trace);
// Answers about a run are stored next to the index file of its first trace, or where that would be.
std::filesystem::path answers_near(const std::filesystem::path& index);
bool is_own_file(std::string_view file_name);  // written by Lockstep next to traces: index files, answers, leftovers
std::filesystem::path trace_of_index(const std::filesystem::path& index);  // the trace's name
// Which of these index files is that of a trace, whose path may be of another machine: that of the trace's name which
// has the most folders above it in common. Absent where none has the name, or where several have as many in common.
std::optional<std::size_t> find_index_file(const std::filesystem::path& trace,
                                           std::span<const std::filesystem::path> index_files);
std::filesystem::path index_cache_folder();  // empty if the user has no home
struct CacheUse {
    std::size_t files = 0;
    std::uint64_t bytes = 0;
};
CacheUse measure_index_cache();  // O(files): on a job
// Removes index files and answers of the cache folder, those written first before others, until they take no more than
// `bytes`.
// keep: one that stays. Open ones go on being read.
void trim_index_cache(std::uint64_t bytes, const std::filesystem::path& keep = {});
// Derived from the trace's absolute path; empty if the user has no home.
std::filesystem::path index_in_cache(const std::filesystem::path& trace);

// One of its own for each call, in the same folder.
std::filesystem::path temporary_name(const std::filesystem::path& index);
// Removes what interrupted writers left, if it is a day old.
void remove_leftovers(const std::filesystem::path& folder);

}  // namespace core
