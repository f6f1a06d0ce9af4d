#pragma once
// Parses every JSON text that is not a trace: settings, sessions, scripts, recent runs, layouts, values of arguments.
// Depth and size are bounded here, because code that walks a JSON value does so by recursion. Errors name the place.

#include "core/base/result.hpp"
#include "core/base/small_file.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace core {

struct JsonLimits {
    int depth = 64;  // brackets within brackets
    std::uint64_t bytes = kMostSmallFileBytes;
    bool comments = false;  // allow // and /* */
    StandardInput standard_input = StandardInput::Refuse;
};

// "line 3, column 7: not JSON: …"
Result<nlohmann::json> parse_small_json(std::string_view text, const JsonLimits& = {});
// The same with the file's name in front; ErrorCode::NotFound where no file has the name.
Result<nlohmann::json> read_small_json(const std::filesystem::path&, const JsonLimits& = {});

}  // namespace core
