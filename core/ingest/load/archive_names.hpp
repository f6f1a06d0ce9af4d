#pragma once
// Names of the files in an archive, which show whether it holds traces. Unpacks nothing.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace core {

bool is_zip(std::string_view head);
bool is_tar(std::string_view head);

// At most this many names are read.
inline constexpr std::size_t kMostArchiveNames = 4096;

// By the directory at the end of the file; empty if that is damaged or absent, as in a ZIP that was cut.
std::vector<std::string> list_zip(const std::filesystem::path&);
// By the headers of which the first bytes of the archive, unpacked, tell.
std::vector<std::string> list_tar(std::string_view head);

}  // namespace core
