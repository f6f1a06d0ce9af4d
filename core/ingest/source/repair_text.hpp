#pragma once
// Texts of files that promise UTF-8 and may break the promise.

#include <string>
#include <string_view>

namespace core {

// The text if it is valid UTF-8; else `scratch`, with U+FFFD for each byte that isn't.
std::string_view repair_text(std::string_view text, std::string& scratch);

}  // namespace core
