// The window: opens what was named, then sleeps until something happens. Input, a finished job, an
// arrived rank or a dropped file wakes it; a few frames later it sleeps again and uses no processor.

#include "app/console.hpp"
#include "app/view_options.hpp"
#include "ui/main_window.hpp"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>

namespace app {
namespace {

constexpr int kSettlingFrames = 3;      // popups and hovers need a frame or two
constexpr double kBusySeconds = 0.1;    // progress is drawn ten times a second
constexpr double kBlinkSeconds = 0.4;
constexpr Command kWindow{"", "[PATH...]", "opens the window", run_window};

void install_callbacks(GLFWwindow* window, ui::MainWindow& main) {
    glfwSetWindowUserPointer(window, &main);
    glfwSetDropCallback(window, [](GLFWwindow* from, int count, const char** paths) {
        ui::OpenPaths open;
        for (int i = 0; i < count; ++i) open.paths.emplace_back(paths[i]);
        static_cast<ui::MainWindow*>(glfwGetWindowUserPointer(from))->post(std::move(open));
    });
    glfwSetWindowContentScaleCallback(window, [](GLFWwindow* from, float x, float) {
        static_cast<ui::MainWindow*>(glfwGetWindowUserPointer(from))->set_scale(x);
    });
}

void wait_for_work(const ui::FrameReport& last, bool settling) {
    if (settling)
        glfwPollEvents();
    else if (last.busy)
        glfwWaitEventsTimeout(kBusySeconds);
    else if (last.typing)
        glfwWaitEventsTimeout(kBlinkSeconds);
    else
        glfwWaitEvents();
}

void show(ui::Platform& platform, ui::MainWindow& main) {
    std::string title;
    int settling = kSettlingFrames;
    ui::FrameReport last;
    while (!last.quit && glfwWindowShouldClose(platform.window()) == 0) {
        const bool slept = settling <= 0;
        wait_for_work(last, !slept);
        if (slept) settling = last.busy || last.typing ? 1 : kSettlingFrames;
        last = main.frame();
        platform.present();
        --settling;
        if (last.changed && !last.busy) settling = std::max(settling, 1);
        if (main.input_pending()) settling = kSettlingFrames;
        if (std::string wanted = main.title(); wanted != title) {
            title = std::move(wanted);
            glfwSetWindowTitle(platform.window(), title.c_str());
        }
    }
}

int open_window(const ViewOptions& view) {
    core::Result<std::unique_ptr<ui::Platform>> platform = ui::Platform::open_window(1600, 1000, "Lockstep");
    if (!platform) return report_failure(platform.error());
    core::Session session(view.threads, [] { glfwPostEmptyEvent(); });
    const float scale = view.scale > 0 ? view.scale : (*platform)->content_scale();
    ui::MainWindow main(**platform, session, scale);
    install_callbacks((*platform)->window(), main);
    if (!view.paths.empty()) main.post(ui::OpenPaths{view.paths});
    if (!view.filter.empty()) main.post(ui::SetFilter{view.filter});
    if (!view.panel.empty()) main.post(ui::ShowPanel{view.panel});
    show(**platform, main);
    return kDone;
}

}  // namespace

int run_window(Arguments args) {
    const std::vector<Option> known = join_options({filter_options(), view_options(), loading_options()});
    const core::Result<Options> options = parse_options(known, args);
    if (!options) return refuse_usage("", options.error().message);
    if (options->has("--help")) return write_output(format_help(kWindow, known), {});
    const core::Result<ViewOptions> view = read_view_options(*options);
    if (!view) return refuse_usage("", view.error().message);
    return open_window(*view);
}

}  // namespace app
