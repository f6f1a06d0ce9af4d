#pragma once
// Whether a link in a folder, or beside a file, leads out of the folders that may be read. Looks at names and links
// only and opens no file, so that it can be asked before a run is opened.

#include <filesystem>
#include <functional>

namespace app::mcp {

// Of a folder: all that is below it, through links too, except hidden names, which are never opened. Of a file: the
// files beside it whose names begin with its own, such as its index file or a journal. whole: without links.
bool has_outward_link(const std::filesystem::path& whole,
                      const std::function<bool(const std::filesystem::path&)>& is_inside);

}  // namespace app::mcp
