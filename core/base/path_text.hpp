#pragma once
// Paths in files that must be UTF-8 (sessions, recent runs). A path is any bytes: one that is not UTF-8 is written as
// "bytes:" and percent escapes, and comes back byte for byte.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace core {

std::string path_to_text(const std::filesystem::path&);
// Nothing for a text that no path has: empty, with a zero byte, or with a broken escape.
std::optional<std::filesystem::path> path_from_text(std::string_view text);

}  // namespace core
