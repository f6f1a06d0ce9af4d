#include "ui/driver/script.hpp"
#include "tests/core/ingest/flight_recorder/hung_job.hpp"
#include "tests/places.hpp"
#include "tests/ui/driver/comparing_window.hpp"
#include "ui/driver/compare_pictures.hpp"

#include <nlohmann/json.hpp>

#include <cstdlib>

using nlohmann::json;
using ui::testing::ComparingWindow;
using ui::testing::did;
using ui::testing::DrivenWindow;
using ui::testing::SampleWindow;

namespace {

namespace fs = std::filesystem;

const fs::path kScripts = core::testing::source_folder() / "tests/ui/scripts";

std::string failure(ui::Driver& driver, const char* steps, const ui::ScriptOptions& options = {}) {
    const auto done = ui::run_script(driver, json::parse(steps), options);
    return done ? std::string() : done.error().message;
}

std::vector<fs::path> collect_scripts() {
    std::vector<fs::path> scripts;
    for (const fs::directory_entry& entry : fs::directory_iterator(kScripts))
        if (entry.path().extension() == ".json") scripts.push_back(entry.path());
    std::ranges::sort(scripts);
    return scripts;
}

// Rank 7's file ends in the middle, rank 3's is missing.
fs::path write_damaged_sample(const fs::path& folder) {
    core::SampleOptions options;
    options.steps = 2;
    options.layers = 1;
    const auto sample = core::write_sample_run(folder, options, {});
    REQUIRE(sample.has_value());
    fs::resize_file(sample->files[7], 81'920);
    fs::remove(sample->files[3]);
    return folder;
}

}  // namespace

TEST_CASE_FIXTURE(DrivenWindow, "a step that fails names itself and ends the script") {
    CHECK(failure(*driver, R"([{"wait": 2}, {"click": "nowhere"}, {"type": "x"}])") ==
          "step 2 (click): no item 'nowhere'");
    CHECK(failure(*driver, R"([{"click": 5}])").starts_with("step 1 (click): a target is"));
    CHECK(failure(*driver, R"([{"key": 5}])").starts_with("step 1 (key): "));
    CHECK(failure(*driver, R"([{"wait": "never"}])").starts_with("step 1 (wait): "));
    CHECK(failure(*driver, R"([{"wait": "idle", "seconds": 0}])").starts_with("step 1 (wait): not idle"));
    CHECK(failure(*driver, R"([{"resize": [5, 5]}])").starts_with("step 1 (resize): "));
    CHECK(failure(*driver, R"([{"resize": "large"}])").starts_with("step 1 (resize): "));
    CHECK(failure(*driver, R"([{"panel": "none"}])") == "step 1 (panel): no panel 'none'");
    CHECK(failure(*driver, R"([{"open": 5}])").starts_with("step 1 (open): "));
    CHECK(failure(*driver, R"([{"drag": "welcome/open"}])").starts_with("step 1 (drag): "));
    CHECK(failure(*driver, R"([{"expect": {"item": "welcome/open", "exists": false}}])") ==
          "step 1 (expect): there is an item 'welcome/open'");
    CHECK(failure(*driver, R"([{"expect": {"item": "welcome/opn"}}])") ==
          "step 1 (expect): no item 'welcome/opn'; near: welcome/open");
}

TEST_CASE_FIXTURE(DrivenWindow, "a path that cannot be opened is said in the window and in the state") {
    CHECK(failure(*driver, R"([{"open": "/nonexistent"},
                               {"expect": {"at": "/load/error", "contains": "nonexistent"}},
                               {"expect": {"at": "/chip", "equals": "No run"}}])") == "");
}

TEST_CASE_FIXTURE(DrivenWindow, "pictures and states are written below the script's folder") {
    const core::testing::TempFolder folder;
    ui::ScriptOptions options;
    options.folder = folder.path();
    CHECK(failure(*driver, R"([{"shot": "a.png"}, {"state": "a.json", "items": true}])", options) == "");
    CHECK(ui::read_png(folder.path() / "a.png")->width == 1280);
    std::ifstream in(folder.path() / "a.json");
    CHECK(json::parse(in)["items"].size() > 0);
    CHECK(failure(*driver, R"([{"shot": "none/a.png"}])", options) != "");
}

TEST_CASE_FIXTURE(DrivenWindow, "a recorded picture is compared; a changed window differs from it; other fonts skip") {
    const core::testing::TempFolder folder;
    ui::ScriptOptions options;
    options.folder = folder.path();
    options.record = true;
    constexpr const char* kCompare = R"([{"compare": "empty.png"}])";
    CHECK(failure(*driver, kCompare, options) == "");
    options.record = false;
    CHECK(failure(*driver, kCompare, options) == "");
    constexpr const char* kChanged = R"([{"click": "welcome/open"}, {"compare": "empty.png"}])";
    CHECK(failure(*driver, kChanged, options).find("pixels differ") != std::string::npos);
    std::ofstream(folder.path() / "drawing.txt") << "fonts of another machine\n";
    std::string said;
    options.say = [&](const std::string& text) { said += text; };
    CHECK(failure(*driver, kCompare, options) == "");
    CHECK(said == "empty.png skipped: other fonts");
}

// Each script opens the sample's window: scripts for two runs also its candidate, scripts for hangs a hung job, scripts
// for damaged traces a sample with one damaged and one missing rank. Pictures are compared with those in
// tests/ui/goldens.
TEST_CASE("the scripts of tests/ui/scripts pass on the sample") {
    ui::ScriptOptions options;
    options.folder = core::testing::source_folder() / "tests/ui/goldens";
    options.record = std::getenv("LOCKSTEP_RECORD") != nullptr;
    options.say = [](const std::string& text) { MESSAGE(text); };
    for (const fs::path& file : collect_scripts()) {
        INFO(file.filename().string());
        const auto steps = ui::read_script(file);
        REQUIRE_MESSAGE(steps, steps.error().message);
        const std::string name = file.stem().string();
        if (name == "compare" || name == "newcomer-two-runs") {
            const ComparingWindow window(ui::testing::pair().baseline, ui::testing::pair().candidate);
            did(ui::run_script(*window.driver, *steps, options));
        } else if (name == "hang" || name == "newcomer-hang") {
            const core::testing::TempFolder folder;
            core::testing::write_hung_job(folder.path() / "hung");
            DrivenWindow window;
            window.open(folder.path() / "hung");
            did(ui::run_script(*window.driver, *steps, options));
        } else if (name == "damaged") {
            const core::testing::TempFolder folder;
            DrivenWindow window;
            window.open(write_damaged_sample(folder.path() / "damaged"));
            did(ui::run_script(*window.driver, *steps, options));
        } else {
            const SampleWindow window;
            did(ui::run_script(*window.driver, *steps, options));
        }
    }
}

TEST_CASE("every panel has a script of its own") {
    for (const ui::PanelType& type : ui::all_panels()) {
        CAPTURE(type.id);
        CHECK(fs::exists(kScripts / (std::string(type.id) + ".json")));
    }
}
