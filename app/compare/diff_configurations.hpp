#pragma once
// lockstep diff with --config: compares k configurations with one baseline, by their steps only.

#include "app/compare/gates.hpp"
#include "core/diff/gates/configurations.hpp"

#include <string>
#include <utility>
#include <vector>

namespace app {

// NAME=PATH pairs; equal names are repeated runs of one configuration. Ordered by first appearance.
using NamedPaths = std::vector<std::pair<std::string, std::vector<std::string>>>;
core::Result<NamedPaths> read_configurations(const Options&);

std::string format_configurations(const core::ComparedConfigurations&, const std::string& baseline, const Output&);

// Reports conditions that hold for any configuration. Conditions on anything but the step are errors.
int check_configuration_gates(const Gates&, const core::ComparedConfigurations&, const std::string& baseline,
                              const core::InputFiles& inputs);

}  // namespace app
