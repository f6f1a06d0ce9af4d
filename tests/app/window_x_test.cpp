// The binary's window on its own display, operated by real X events. Reads what the window shows
// from the file that --state writes. Never sleeps for a fixed time; every wait has a limit.

#include "core/sample/sample_run.hpp"
#include "tests/app/cli.hpp"
#include "tests/app/x_server.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <functional>
#include <memory>

using app::testing::Process;
using app::testing::read_file;
using app::testing::run_shell;
using app::testing::XServer;
using nlohmann::json;

namespace {

struct Point {
    int x;
    int y;
};

class RealWindow {
public:
    RealWindow() : server_(folder_.path() / "xvfb.log") { start(); }
    // Kills the program as a crash would; the next start must not depend on this process.
    void crash() {
        program_.reset();
        id_.clear();
        std::filesystem::remove(state_file());
    }
    void start() {
        program_ = std::make_unique<Process>(
            std::vector<std::string>{core::testing::lockstep_binary(), "--scale", "1", "--state",
                                     state_file().string()},
            std::vector<std::pair<std::string, std::string>>{{"DISPLAY", server_.display()},
                                                             {"LIBGL_ALWAYS_SOFTWARE", "1"},
                                                             {"XDG_STATE_HOME", (folder_.path() / "kept").string()},
                                                             {"XDG_CONFIG_HOME", folder_.path().string()}},
            folder_.path() / "window.log");
    }
    const std::filesystem::path& folder() const { return folder_.path(); }
    std::filesystem::path state_file() const { return folder_.path() / "state.json"; }
    Process& program() { return *program_; }

    json state() const {
        json state = json::parse(read_file(state_file()), nullptr, false);
        return state.is_object() ? state : json::object();
    }
    json at(const char* pointer) const { return state().value(json::json_pointer(pointer), json()); }

    void wait_for(const std::string& what, const std::function<bool()>& holds) {
        INFO("waiting for " << what);
        const auto deadline = std::chrono::steady_clock::now() + app::testing::kDeadline;
        while (!holds()) {
            INFO(state().dump(1, ' ', false, json::error_handler_t::replace).substr(0, 3000));
            INFO(read_file(folder_.path() / "window.log"));
            const auto ended = program_->poll_end();
            REQUIRE_FALSE(ended);
            REQUIRE(std::chrono::steady_clock::now() < deadline);
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    }
    void wait_for(const char* pointer, const json& value) {
        wait_for(std::string(pointer), [&] { return at(pointer) == value; });
    }

    // Runs a program on the display and returns its output; fails with the output.
    std::string call(const std::string& command) {
        const auto outcome = run_shell("DISPLAY=" + server_.display() + " " + command);
        INFO(command << ": " << outcome.err);
        REQUIRE(outcome.status == 0);
        return outcome.out;
    }
    void send(const std::string& events) { call("xdotool " + events); }
    std::string id() {
        if (id_.empty()) id_ = call("xdotool search --name Lockstep");
        while (!id_.empty() && id_.back() == '\n') id_.pop_back();
        return id_;
    }

    // A point of an item, as shares of its width and height.
    Point find(const std::string& path, double x = 0.5, double y = 0.5) {
        Point found{};
        wait_for(path, [&] {
            for (const json& item : at("/items")) {
                if (item["path"] != path || item["visible"] != true) continue;
                const auto between = [&](std::size_t axis, double share) {
                    const double low = item["min"][axis], high = item["max"][axis];
                    return static_cast<int>(std::floor(low + (high - low) * share));
                };
                found = {between(0, x), between(1, y)};
                return true;
            }
            return false;
        });
        return found;
    }
    void move_to(Point to) {
        send("mousemove --window " + id() + " " + std::to_string(to.x) + " " + std::to_string(to.y));
        wait_for("the mouse", [&] { return at("/mouse/x") == to.x && at("/mouse/y") == to.y; });
    }
    void click(const std::string& path) {
        move_to(find(path));
        send("click 1");
    }

private:
    core::testing::TempFolder folder_;
    XServer server_;
    std::unique_ptr<Process> program_;
    std::string id_;
};

// Drops a sample run as a file manager does.
void drop(RealWindow& window, const std::string& name, bool candidate) {
    const auto run = window.folder() / name;
    core::SampleOptions options;
    options.ranks = 4;
    options.steps = 2;
    options.layers = 1;
    options.candidate = candidate;
    REQUIRE(core::write_sample_run(run, options, {}));
    std::string escaped = run.string();
    escaped.replace(escaped.rfind(' '), 1, "%20");
    window.call(app::testing::quoted(core::testing::drop_paths_binary()) + " " + window.id() + " 400 300 " +
                app::testing::quoted(escaped));
}

void drop_a_folder(RealWindow& window) {
    window.wait_for("/title", "Lockstep");
    drop(window, "sample run", false);
    window.wait_for("/run/ranks", 4);
    window.wait_for("/load/finished", true);
    CHECK(window.at("/title").get<std::string>().starts_with("sample run"));
}

void type_a_filter(RealWindow& window) {
    window.send("key ctrl+l");
    window.wait_for("/typing", true);
    window.send("type rank:0-1");
    window.send("key Return");
    window.wait_for("/filter", "rank:0-1");
    window.wait_for("/typing", false);
    window.send("key ctrl+z");
    window.wait_for("/filter", "");
    window.wait_for("/can_redo", true);
}

void zoom_with_the_wheel(RealWindow& window) {
    window.move_to(window.find("timeline/plot"));
    const double before = window.at("/view/px_per_ns");
    window.send("keydown ctrl");
    window.send("click 4");
    window.wait_for("zoom", [&] { return window.at("/view/px_per_ns").get<double>() > 1.2 * before; });
    window.send("click 5");
    window.wait_for("zoom back",
                    [&] { return std::fabs(window.at("/view/px_per_ns").get<double>() / before - 1) < 1e-6; });
    window.send("keyup ctrl");
}

void drag_an_area(RealWindow& window) {
    const json view = window.at("/view");
    window.move_to(window.find("timeline/plot", 0.25));
    window.send("mousedown 1");
    window.wait_for("/mouse/down/0", true);
    window.move_to(window.find("timeline/plot", 0.5));
    window.move_to(window.find("timeline/plot", 0.75));
    window.send("mouseup 1");
    window.wait_for("/mouse/down/0", false);
    const double begin = view["begin_ns"], length = view["end_ns"].get<double>() - begin;
    const json area = window.at("/area");
    CHECK(area["begin_ns"].get<double>() == doctest::Approx(begin + 0.25 * length).epsilon(0.01));
    CHECK(area["end_ns"].get<double>() == doctest::Approx(begin + 0.75 * length).epsilon(0.01));
    window.send("key Escape");
    window.wait_for("no area", [&] { return window.at("/area").is_null(); });
}

void show_a_panel(RealWindow& window) {
    window.click("left/tabs/kernels");
    window.wait_for("/tabs/left", "kernels");
    window.click("left/kernels/row:1");
    window.wait_for("a filter", [&] { return window.at("/filter").get<std::string>().starts_with("name:"); });
    window.send("key ctrl+z");
    window.wait_for("/filter", "");
    window.send("key q");
    window.wait_for("/drawer/open", false);
    window.send("key q");
    window.wait_for("/drawer/open", true);
}

void resize_it(RealWindow& window) {
    window.send("windowsize " + window.id() + " 900 600");
    window.wait_for("/window/width", 900);
    window.wait_for("/window/height", 600);
    window.wait_for("items inside", [&] {
        for (const json& item : window.at("/items"))
            if (item["max"][0] > 900 || item["max"][1] > 600) return false;
        return true;
    });
}

// Drops a second run, answers the question, compares, and closes it again.
void drop_a_candidate(RealWindow& window) {
    drop(window, "changed run", true);
    window.click("drop/compare");
    window.wait_for("/candidate/run/name", "changed run");
    window.wait_for("only-here marks", [&] { return window.at("/candidate/timeline").contains("only_here"); });
    window.move_to(window.find("candidate-timeline/plot", 0.9));
    window.send("key t");
    window.wait_for("/timeline/aligned_at", "step 11");
    window.click("top/close-candidate");
    window.wait_for("one run", [&] { return window.at("/candidate").is_null(); });
}

}  // namespace

TEST_CASE("a real window handles dropped folders, keys, wheel, drags, clicks and resizing, and quits") {
    if (!app::testing::is_installed("Xvfb") || !app::testing::is_installed("xdotool")) {
        MESSAGE("skipped: Xvfb or xdotool is not installed");
        return;
    }
    RealWindow window;
    drop_a_folder(window);
    type_a_filter(window);
    zoom_with_the_wheel(window);
    drag_an_area(window);
    show_a_panel(window);
    drop_a_candidate(window);
    resize_it(window);
    window.send("key ctrl+q");
    const auto status = window.program().wait_end();
    INFO(read_file(window.folder() / "window.log"));
    REQUIRE(status);
    CHECK(*status == 0);
}

TEST_CASE("after a crash the last session is offered; after a normal exit the layout is restored") {
    if (!app::testing::is_installed("Xvfb") || !app::testing::is_installed("xdotool")) {
        MESSAGE("skipped: Xvfb or xdotool is not installed");
        return;
    }
    RealWindow window;
    drop_a_folder(window);
    window.send("key ctrl+l");
    window.wait_for("/typing", true);
    window.send("type rank:2");
    window.send("key Return");
    window.wait_for("/filter", "rank:2");
    window.wait_for("the session is kept", [&] {
        for (const auto& entry : std::filesystem::directory_iterator(window.folder() / "kept" / "lockstep"))
            if (read_file(entry.path()).find("\"rank:2\"") != std::string::npos) return true;
        return false;
    });
    window.crash();
    window.start();
    window.wait_for("/title", "Lockstep");
    window.click("welcome/left-behind");
    window.wait_for("/filter", "rank:2");
    window.wait_for("/run/ranks", 4);
    window.click("left/tabs/kernels");
    window.wait_for("/tabs/left", "kernels");
    window.send("key ctrl+q");
    REQUIRE(window.program().wait_end() == 0);
    window.crash();
    window.start();
    window.wait_for("/tabs/left", "kernels");
    for (const json& item : window.at("/items")) CHECK(item["path"] != "welcome/left-behind");
}

TEST_CASE("keys without Ctrl are positions on the keyboard, those with Ctrl are letters") {
    if (!app::testing::is_installed("Xvfb") || !app::testing::is_installed("xdotool") ||
        !app::testing::is_installed("setxkbmap")) {
        MESSAGE("skipped: Xvfb, xdotool or setxkbmap is not installed");
        return;
    }
    constexpr const char* kPlaceOfW = "25";  // X key code of the key two places right of Tab
    RealWindow window;
    window.wait_for("/title", "Lockstep");
    window.call("setxkbmap fr");
    window.crash();
    window.start();
    drop_a_folder(window);
    const double before = window.at("/view/px_per_ns");
    window.move_to(window.find("timeline/plot"));
    window.send(std::string("key ") + kPlaceOfW);  // types z in this layout
    window.wait_for("zoom", [&] { return window.at("/view/px_per_ns").get<double>() > 1.05 * before; });
    window.wait_for("/can_undo", true);
    window.send("key ctrl+z");
    window.wait_for("/view/whole_run", true);
    CHECK(window.at("/can_redo") == true);
}
