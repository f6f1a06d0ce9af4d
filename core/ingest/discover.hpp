#pragma once
// Which files a run is made of. Folders are searched recursively, each once however many links lead to it; in them
// only files named like traces count, and index files where there is no trace. What is given by name is always taken.
// Links that lead nowhere, pipes and devices named like traces are found too: who opens them can say what they are.

#include "core/base/result.hpp"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace core {

struct FoundFile {
    std::filesystem::path path;
    std::uint64_t bytes = 0;
    bool named = false;            // given by the user, not found in a folder
    std::filesystem::path inside;  // from the folder that was given, or the file's name
    std::filesystem::path index;   // the index file to open instead, as the trace itself is not there
};

// .json, .pfw, .trace, packed or not; nothing of our own (truth.json, index files).
bool is_named_like_trace(std::string_view file_name);

// "a2" before "a10": numbers count as numbers. The order of names everywhere.
bool name_before(std::string_view a, std::string_view b);

// By name_before of the whole path, each file once. Fails for a path that does not exist.
Result<std::vector<FoundFile>> discover_files(std::span<const std::filesystem::path> paths);

}  // namespace core
