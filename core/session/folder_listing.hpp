#pragma once
// What is in a folder, for the file browser: folders, then files that could be traces, in the order of names.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace core {

struct FolderEntry {
    std::string name;
    bool is_folder = false;
    std::uint64_t bytes = 0;   // of a file
};

struct FolderListing {
    std::filesystem::path folder;   // absolute
    std::vector<FolderEntry> entries;
    std::size_t other_files = 0;    // not named like traces
    bool more = false;              // than kMostEntries
    std::string error;              // it could not be listed
    static constexpr std::size_t kMostEntries = 20'000;
};

// May take long on a remote disk: for a worker.
FolderListing list_folder(const std::filesystem::path& folder);

}  // namespace core
