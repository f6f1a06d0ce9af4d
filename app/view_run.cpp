#include "app/view_run.hpp"

namespace app {
namespace {

core::Result<bool> show_run(ui::Driver& driver, const ViewOptions& view) {
    ui::MainWindow& main = driver.window();
    post_runs(main, view);
    if (!view.filter.empty()) main.post(ui::SetFilter{view.filter});
    if (view.theme) main.post(ui::SetTheme{*view.theme});
    if (!view.panel.empty()) main.post(ui::ShowPanel{view.panel});
    // Times out if something moves for ever.
    if (core::Result<bool> idle = driver.wait_idle(); !idle) return idle;
    const core::Session& session = driver.session();
    if (main.notice().is_error) return core::bad_input(main.notice().words);
    for (const core::Side side : core::kSides) {
        const core::RunLoad* load = session.load(side);
        if (load && !session.run(side)) return core::Error{core::ErrorCode::NotFound, load->error()};
    }
    if (!view.place || !session.run()) return true;
    if (core::Result<bool> went = main.go_to(*view.place); !went) return std::move(went).error().within("--goto");
    return driver.wait_idle();
}

}  // namespace

core::Result<std::unique_ptr<ui::Driver>> view_run(const ViewOptions& view, ViewSize size,
                                                   const std::stop_token& stop) {
    const float scale = view.scale > 0 ? view.scale : 1.0f;
    core::Result<std::unique_ptr<ui::Driver>> driver = ui::Driver::open(
        {.width = size.width, .height = size.height, .scale = scale, .threads = view.loading.threads, .stop = stop});
    if (!driver) return driver;
    (*driver)->session().set_index_files(view.loading.index_files);
    (*driver)->session().set_step_marks(view.loading.step_marks);
    if (core::Result<bool> shown = show_run(**driver, view); !shown) return std::move(shown).error();
    return driver;
}

}  // namespace app
