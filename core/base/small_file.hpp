#pragma once
// Reads whole files that are not traces: sessions, settings, scripts, lists of pairs. Only regular files of bounded
// size, so that a pipe or a device can neither hold the program up nor fill its memory; standard input where the name
// is "-" and the caller allows it. Errors name the file and what to do.

#include "core/base/result.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace core {

inline constexpr std::uint64_t kMostSmallFileBytes = std::uint64_t{64} << 20;

enum class StandardInput { Refuse, Allow };  // what "-" stands for

// ErrorCode::NotFound where no file has the name.
Result<std::string> read_small_file(const std::filesystem::path&, std::uint64_t most_bytes = kMostSmallFileBytes,
                                    StandardInput = StandardInput::Refuse);

}  // namespace core
