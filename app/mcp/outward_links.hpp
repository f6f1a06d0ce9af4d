#pragma once
// Finds links in a folder, or next to a file, that lead out of the folders that may be read. Looks
// at names and links only and opens no file, so the check is safe before a run is opened.

#include <filesystem>
#include <functional>

namespace app::mcp {

// Checks everything below a folder, through links too, except hidden names, which are never opened; for a file, the
// files next to it whose names begin with its own, such as its index file or a journal. whole: path without links.
bool has_outward_link(const std::filesystem::path& whole,
                      const std::function<bool(const std::filesystem::path&)>& is_inside);

}  // namespace app::mcp
