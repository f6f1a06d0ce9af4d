#pragma once
// An off-screen window with the runs of a command line, drawn until nothing changes.

#include "app/view_options.hpp"
#include "ui/driver/driver.hpp"

#include <memory>
#include <stop_token>

namespace app {

struct ViewSize {
    int width = 1920;
    int height = 1080;
};

// Errors: no off-screen context, a path that isn't a run, stopped.
core::Result<std::unique_ptr<ui::Driver>> view_run(const ViewOptions&, ViewSize, const std::stop_token&);

}  // namespace app
