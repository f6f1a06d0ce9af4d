// The window: opens the named runs, then sleeps. Input, a finished job, an arriving rank or a
// dropped file wakes it for a few frames; asleep it uses no processor.

#include "app/console.hpp"
#include "app/unsaved_work.hpp"
#include "app/view_options.hpp"
#include "core/ingest/remote/remote_path.hpp"
#include "ui/commands/key_map.hpp"
#include "ui/driver/describe_state.hpp"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <nlohmann/json.hpp>

#include <algorithm>

namespace app {
namespace {

constexpr int kIdleFrames = 3;      // popups and hovers settle within two frames
constexpr double kBusySeconds = 0.066;  // progress is drawn fifteen times a second
constexpr double kBlinkSeconds = 0.4;
constexpr double kWatchSeconds = 0.5;
constexpr Option kWindowOptions[] = {
    {"--watch", "", "follow PATH: files appear as a job finishes them; incomplete ones are skipped"},
    {"--memory", "SIZE", "limit in bytes of index files read for the visible ranks of a run summary (2G)"},
    {"--keys", "", "list all key bindings with the ids that settings use, and exit"},
    {"--state", "FILE", "for tests: write the window's state as JSON whenever it has changed and no work is pending"},
};
constexpr Command kWindow{.name = "", .usage = "[PATH...]", .summary = "opens the window", .run = run_window};

void install_callbacks(GLFWwindow* window, ui::MainWindow& main) {
    glfwSetWindowUserPointer(window, &main);
    glfwSetDropCallback(window, [](GLFWwindow* from, int count, const char** paths) {
        auto& to = *static_cast<ui::MainWindow*>(glfwGetWindowUserPointer(from));
        to.post(ui::DropPaths{{paths, paths + count}});
    });
    glfwSetWindowContentScaleCallback(window, [](GLFWwindow* from, float x, float) {
        static_cast<ui::MainWindow*>(glfwGetWindowUserPointer(from))->set_scale(x);
    });
}

// watching: a folder is polled again after a while.
void wait_for_work(const ui::FrameReport& last, bool settling, bool watching) {
    if (settling)
        glfwPollEvents();
    else if (last.busy())
        glfwWaitEventsTimeout(kBusySeconds);
    else if (last.blinking)
        glfwWaitEventsTimeout(kBlinkSeconds);
    else if (watching)
        glfwWaitEventsTimeout(kWatchSeconds);
    else
        glfwWaitEvents();
}

// Writes the state to a file whenever it has changed and no work is pending.
class StateFile {
public:
    explicit StateFile(std::filesystem::path file) : file_(std::move(file)) { ui::items().enabled = !file_.empty(); }
    void update(const ui::MainWindow& main, const core::Session& session, const ui::FrameReport& report) {
        if (file_.empty() || report.busy()) return;
        nlohmann::json state = ui::describe_state(main, session);
        state["items"] = ui::describe_items(ui::items().items());
        std::string text = state.dump(1, ' ', false, nlohmann::json::error_handler_t::replace);
        if (text == written_ || !core::write_whole_file(file_, text, {.sync = false})) return;
        written_ = std::move(text);
    }

private:
    std::filesystem::path file_;
    std::string written_;
};

void go_to_place(ui::MainWindow& main, const ui::Place& place) {
    if (const core::Result<bool> went = main.go_to(place); !went)
        report_failure(core::Error(went.error()).within("--goto"));
    glfwPostEmptyEvent();  // show it in another frame
}

void show(ui::Platform& platform, ui::MainWindow& main, const core::Session& session, std::optional<ui::Place> place,
          StateFile& state, UnsavedWork& unsaved) {
    std::string title;
    const std::filesystem::path left_behind = main.left_behind();
    int settling = kIdleFrames;
    ui::FrameReport last;
    while (!last.quit && glfwWindowShouldClose(platform.window()) == 0) {
        const bool slept = settling <= 0;
        wait_for_work(last, !slept, session.watched() != nullptr);
        if (slept) settling = last.busy() || last.blinking ? 1 : kIdleFrames;
        const core::RunLoad* load = session.load();
        const bool read = load && load->finished();  // this frame consumes the rest
        last = main.frame();
        if (place && read && session.run()) go_to_place(main, *std::exchange(place, std::nullopt));
        platform.present();
        state.update(main, session, last);
        unsaved.update(main, last);
        --settling;
        const bool has_blinked = slept && last.blinking && !last.touched;  // nothing follows from it
        if (last.changed && !last.busy() && !has_blinked) settling = std::max(settling, 1);
        if (last.touched || main.input_pending()) settling = kIdleFrames;
        if (std::string wanted = main.title(); wanted != title) {
            title = std::move(wanted);
            glfwSetWindowTitle(platform.window(), title.c_str());
        }
    }
    std::error_code ignored;
    if (!left_behind.empty() && main.left_behind().empty()) std::filesystem::remove(left_behind, ignored);
}

// Reads the current settings; returns their error.
std::string apply_settings() {
    std::string problems;
    for (const std::string& problem : ui::read_settings(ui::settings_file(), ui::key_map()))
        problems += (problems.empty() ? "" : "; ") + problem;
    return problems;
}

int list_keys() {
    if (const std::string problems = apply_settings(); !problems.empty())
        return report_failure(core::bad_input(problems));
    return print_text(ui::key_map().list());
}

int open_window(const ViewOptions& view, const std::filesystem::path& state_file) {
    if (view.loading.writes_nothing) ui::disable_shader_caches();
    core::Result<std::unique_ptr<ui::Platform>> platform = ui::Platform::open_window(1600, 1000, "Lockstep");
    if (!platform) return report_failure(platform.error());
    core::Session session(view.loading.threads, [] { glfwPostEmptyEvent(); });
    session.set_index_files(view.loading.index_files);
    session.set_step_marks(view.loading.step_marks);
    session.set_page_budget(view.page_budget);
    const float scale = view.scale > 0 ? view.scale : (*platform)->content_scale();
    ui::MainWindow main(**platform, session, scale);
    const auto state_path = [&](const char* name) {
        return view.loading.writes_nothing ? std::filesystem::path() : core::state_file(name);
    };
    main.set_recent(core::RecentRuns(state_path("recent.json")));
    main.set_sample_folder(state_path("sample-" LOCKSTEP_VERSION));
    if (!view.loading.writes_nothing) main.set_settings_folder(ui::settings_file().parent_path());
    const std::filesystem::path layout = state_path("layout.json");
    main.post(ui::SetChoices{read_last_layout(layout)});
    main.set_left_behind(find_left_behind(layout.parent_path()));
    if (const std::string problems = apply_settings(); !problems.empty()) main.tell({problems, true});
    install_callbacks((*platform)->window(), main);
    post_runs(main, view);
    if (!view.filter.empty()) main.post(ui::SetFilter{view.filter});
    if (view.theme) main.post(ui::SetTheme{*view.theme});
    if (!view.panel.empty()) main.post(ui::ShowPanel{view.panel});
    StateFile state(state_file);
    UnsavedWork unsaved(layout.parent_path());
    show(**platform, main, session, view.place, state, unsaved);
    unsaved.end();
    write_last_layout(layout, main.document().choices);
    return kDone;
}

}  // namespace

int run_window(Arguments args) {
    const std::vector<Option> known =
        join_options({filter_options(), view_options(), loading_options(), clock_options(), kWindowOptions});
    const core::Result<Options> options = parse_options(known, args);
    if (!options) return refuse_usage("", options.error().message);
    if (options->has("--help")) return print_text(format_help(kWindow, known));
    if (options->has("--keys")) return list_keys();
    core::Result<ViewOptions> view = read_view_options(*options);
    if (!view) return refuse_usage("", view.error().message);
    view->watch = options->has("--watch");
    const core::Result<std::uint64_t> memory = read_memory(*options, "2G");
    if (!memory) return refuse_usage("", memory.error().message);
    view->page_budget = *memory;
    const bool is_one = view->paths.size() == 1 && view->candidate.empty();
    if (view->watch && (!is_one || core::is_remote_path(view->paths.front())))
        return refuse_usage("", "--watch: needs one folder of this machine");
    return open_window(*view, options->last("--state"));
}

}  // namespace app
