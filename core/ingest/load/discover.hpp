#pragma once
// Finds the files a run is made of. Folders are searched recursively, each once however many links lead to it; in them
// only files named like traces count, and index files where there is no trace; /proc and its like are not searched.
// Names that are given are always taken. Dangling links, pipes and devices named like traces are returned too: the
// reader reports what they are. Folders that could not be searched are diagnostics, never silence.

#include "core/base/diagnostics.hpp"
#include "core/base/output_file.hpp"
#include "core/base/result.hpp"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace core {

inline constexpr int kDeepestFolder = 32;  // levels below the folder that was given

struct FoundFile {
    std::filesystem::path path;
    std::uint64_t bytes = 0;
    bool named = false;  // given by the user, not found in a folder
    std::filesystem::path inside;  // from the folder that was given, or the file's name
    std::filesystem::path index;  // the index file to open instead, as the trace itself is not there
    bool only_captures = false;  // found where traces of captures are: no rank, whatever it holds
};

struct Discovery {
    std::vector<FoundFile> files;  // by name_before of the whole path, each once
    std::vector<std::filesystem::path> others;  // regular files in folders that are not named like traces
    Diagnostics diagnostics;  // folder-unreadable, folder-too-deep
};

// By the endings of formats (formats.hpp), packed or not; none of our own files (truth.json, index files).
bool is_named_like_trace(std::string_view file_name);

// "a2" before "a10": numbers count as numbers. The order of names everywhere.
bool name_before(std::string_view a, std::string_view b);

// Fails for a path that does not exist.
Result<Discovery> discover_files(std::span<const std::filesystem::path> paths);

// Why there is nothing to open below the paths; names the kinds of files found instead.
Error no_trace_in(std::span<const std::filesystem::path>, const Discovery&);

// Files that a run reads: these, their index files, and `others` (a script, a list of pairs).
InputFiles run_inputs(std::vector<std::filesystem::path> paths, std::vector<std::filesystem::path> others = {});

}  // namespace core
