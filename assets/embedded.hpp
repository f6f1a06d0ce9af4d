#pragma once
// The files built into the binary: shaders/, the page of web/ and the fonts, so that it runs from
// anywhere.
//
// All take a bare file name ("strip.frag") and answer with the file's bytes, which live as long as
// the program; an unknown name gives an empty view. The table is made by assets/CMakeLists.txt.

#include <span>
#include <string_view>

namespace assets {

std::string_view shader(std::string_view file_name);
std::string_view page(std::string_view file_name);
std::span<const unsigned char> font(std::string_view file_name);

}  // namespace assets
