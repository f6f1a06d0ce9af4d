#pragma once
// Options that the window and its picture have in common: what to open, through which filter, showing
// which panel, how large.

#include "app/options.hpp"
#include "ui/model/theme_name.hpp"
#include "ui/model/go_to.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace app {

struct ViewOptions {
    std::vector<std::filesystem::path> paths;
    std::vector<std::filesystem::path> candidate;  // empty: one run only
    core::Filter filter;
    std::string panel;       // empty: as it opens
    std::optional<ui::Place> place;  // to go to once all is read
    std::optional<ui::Theme> theme;  // dark if not given
    float scale = 0;         // of fonts and sizes; 0: the monitor's
    Loading loading;
};

std::span<const Option> view_options();  // --panel --goto --theme --scale
core::Result<ViewOptions> read_view_options(const Options&);

}  // namespace app
