#pragma once
// Options shared by the window and its picture: what to open, the filter, the panel, the size.

#include "app/options.hpp"
#include "ui/model/go_to.hpp"
#include "ui/model/theme_name.hpp"
#include "ui/shell/main_window.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace app {

struct ViewOptions {
    std::vector<std::filesystem::path> paths;
    std::vector<std::filesystem::path> candidate;  // empty: one run only
    core::Filter filter;
    std::string panel;       // empty: the default panel
    std::optional<ui::Place> place;  // shown once everything is read
    std::optional<ui::Theme> theme;  // default: dark
    float scale = 0;         // scale of fonts and sizes; 0: the monitor's
    bool watch = false;      // follow the folder; the window only
    std::uint64_t page_budget = core::kPageBudget;  // the window only
    Loading loading;
};

std::span<const Option> view_options();  // --panel --goto --theme --scale
core::Result<ViewOptions> read_view_options(const Options&);
// Posts the intents that open the runs on the requested clocks.
void post_runs(ui::MainWindow&, const ViewOptions&);

}  // namespace app
