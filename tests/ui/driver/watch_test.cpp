// The window on a folder that a job writes to: ranks arrive; the view stays or follows the newest complete step.

#include "tests/ui/driver/sample_window.hpp"

#include "ui/model/go_to.hpp"

#include <algorithm>
#include <thread>

using ui::testing::did;
using ui::testing::DrivenWindow;
namespace fs = std::filesystem;

namespace {

// Writes rank by rank, as a job finishes them.
struct WatchedWindow : DrivenWindow {
    WatchedWindow() {
        core::SampleOptions options;
        options.ranks = 2;
        options.steps = 3;
        options.layers = 1;
        REQUIRE(core::write_sample_run(made, options, {}));
        for (const auto& entry : fs::directory_iterator(made))
            if (entry.path().filename().string().find("rank") != std::string::npos) files.push_back(entry.path());
        std::ranges::sort(files);
        REQUIRE(files.size() == 2);
        fs::create_directory(folder);
        driver->window().post(ui::OpenPaths{{folder}, core::Side::Baseline, true});
    }
    void finish(std::size_t file) { fs::copy_file(files[file], folder / files[file].filename()); }
    std::size_t ranks() const {
        const core::RunPtr& run = driver->session().run();
        return run ? run->ranks().size() : 0;
    }
    bool until_ranks(std::size_t wanted) {
        for (int i = 0; i < 2'000 && ranks() != wanted; ++i) {
            driver->frame();
            std::this_thread::sleep_for(std::chrono::milliseconds{10});
        }
        did(driver->wait_idle());
        return ranks() == wanted;
    }
    core::testing::TempFolder parent;
    fs::path made = parent.path() / "made";
    fs::path folder = parent.path() / "run";
    std::vector<fs::path> files;
};

}  // namespace

TEST_CASE("ranks arrive in a watched folder while the view stays where it is") {
    WatchedWindow window;
    window.finish(0);
    REQUIRE(window.until_ranks(1));
    CHECK(window.at("/watch/settled") == 1);
    const core::RunRange step = *ui::find_newest_step(*window.driver->session().run());
    window.driver->window().post(ui::ShowRange{step});
    const nlohmann::json view = window.at("/view");
    std::ofstream(window.folder / "rank9.json") << "{\"traceEvents\": [";
    window.finish(1);
    REQUIRE(window.until_ranks(2));
    CHECK(window.at("/watch/settled") == 2);
    CHECK(window.at("/watch/growing") == nlohmann::json::array({"rank9.json"}));
    CHECK(window.at("/view") == view);
    CHECK(ui::items().find("status/watch"));
}

TEST_CASE("the view of a watched folder follows the newest step that all ranks have") {
    WatchedWindow window;
    window.driver->window().post(ui::FollowNewest{true});
    for (const std::size_t ranks : {1u, 2u}) {
        window.finish(ranks - 1);
        REQUIRE(window.until_ranks(ranks));
        const core::RunPtr& run = window.driver->session().run();
        const core::RunRange newest = *ui::find_newest_step(*run);
        const core::RunRange shown = window.driver->window().view().time.range();
        CHECK(shown.begin <= newest.begin);
        CHECK(shown.end >= newest.end);
        CHECK(shown.length() < 2 * newest.length());
        CHECK(newest.end > run->window().begin + run->window().length() / 2);  // the last of three
    }
}
