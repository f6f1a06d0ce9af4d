#pragma once
// Contents of a folder for the file browser: folders, then possible traces, sorted by name.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace core {

struct FolderEntry {
    std::string name;
    bool is_folder = false;
    std::uint64_t bytes = 0;   // files only
};

struct FolderListing {
    std::filesystem::path folder;   // absolute
    std::vector<FolderEntry> entries;
    std::size_t other_files = 0;    // not named like traces
    bool more = false;              // more than kMostEntries
    std::string error;              // why listing failed
    static constexpr std::size_t kMostEntries = 200'000;
};

// May take long on a remote disk: run on a worker.
FolderListing list_folder(const std::filesystem::path& folder);

}  // namespace core
