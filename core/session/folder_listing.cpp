#include "core/session/folder_listing.hpp"

#include "core/ingest/load/discover.hpp"

#include <algorithm>

namespace core {

namespace fs = std::filesystem;

FolderListing list_folder(const fs::path& folder) {
    FolderListing listing;
    std::error_code error;
    listing.folder = fs::absolute(folder, error).lexically_normal();
    fs::directory_iterator it(listing.folder, error);
    for (const fs::directory_iterator end; !error && it != end; it.increment(error)) {
        std::string name = it->path().filename().string();
        if (name.starts_with('.')) continue;
        if (listing.entries.size() == FolderListing::kMostEntries) {
            listing.more = true;
            break;
        }
        std::error_code unknown;
        const bool is_folder = it->is_directory(unknown);
        if (!is_folder && !is_named_like_trace(name) && !name.ends_with(".lockstep")) {
            ++listing.other_files;
            continue;
        }
        const std::uintmax_t bytes = is_folder ? 0 : it->file_size(unknown);
        listing.entries.push_back({.name = std::move(name),
                                   .is_folder = is_folder,
                                   .bytes = unknown ? 0 : static_cast<std::uint64_t>(bytes)});
    }
    if (error) listing.error = error.message();
    std::ranges::sort(listing.entries, [](const FolderEntry& a, const FolderEntry& b) {
        return a.is_folder != b.is_folder ? a.is_folder : name_before(a.name, b.name);
    });
    return listing;
}

}  // namespace core
