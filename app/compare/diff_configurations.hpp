#pragma once
// lockstep diff with --config: k configurations against one baseline, the step only.

#include "app/compare/gates.hpp"
#include "core/diff/gates/configurations.hpp"

#include <string>
#include <utility>
#include <vector>

namespace app {

// NAME=PATH; equal names are runs of one configuration, in the order of their first.
using NamedPaths = std::vector<std::pair<std::string, std::vector<std::string>>>;
core::Result<NamedPaths> read_configurations(const Options&);

std::string format_configurations(const core::ComparedConfigurations&, const std::string& baseline, const Output&);

// Reports what holds for any of them. Conditions are of the step; others are an error.
int check_configuration_gates(const Gates&, const core::ComparedConfigurations&, const std::string& baseline,
                              const core::InputFiles& inputs);

}  // namespace app
