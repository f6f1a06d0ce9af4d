#pragma once
// The place of the source tree. Compiled into main.cpp alone: a path in every source would keep the compiler
// cache from serving another checkout.

#include <filesystem>

namespace core::testing {

std::filesystem::path source_folder();

}  // namespace core::testing
