#pragma once
// Limits of verdict and health as the settings show and change them: the table's below the user's limits.json. A change
// is written into that file, and runs that are opened afterwards use it. --limit of this start wins over both.

#include "core/analysis/findings/limits.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace core {

// The text of limits.json with one limit changed; unset: taken away, so that the table decides. Errors: the text is not
// what the program reads (one with comments is not changed), the id or the value is none.
Result<std::string> change_limit(std::string_view json, std::string_view id, std::optional<double> value);

// Writes the limit into limits.json of the settings folder, and uses it from now on.
Result<bool> set_limit(const std::filesystem::path& folder, std::string_view id, std::optional<double> value);

}  // namespace core
