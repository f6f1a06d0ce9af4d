#pragma once
// The parameters of the analysis what-if as the document holds them: texts for sessions and for the command line.

#include "core/analysis/engine/analysis.hpp"
#include "core/query/filter.hpp"

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace core {

Params standard_what_if();
// Empty ones are the standard ones.
Params what_if_or_standard(const Params&);
// Those that aren't the standard ones, as --param takes them.
std::vector<std::pair<std::string, std::string>> collect_changed_what_if(const Params&);
// Empty where a name or value is not known.
Params make_what_if(std::span<const std::pair<std::string, std::string>> given);
// "lockstep analyze what-if 'run' --filter 'step:3' --param compute=50"
std::string format_what_if_command(std::span<const std::filesystem::path> run, const Filter&, const Params&);

}  // namespace core
