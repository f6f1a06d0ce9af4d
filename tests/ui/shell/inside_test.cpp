// Parts of one run compared with each other: ranks, steps and captures, as the two sides of the window.

#include "core/analysis/efficiency/device_peaks.hpp"
#include "core/base/small_file.hpp"
#include "tests/ui/driver/sample_window.hpp"
#include "ui/commands/commands.hpp"

#include <filesystem>
#include <fstream>
#include <thread>

using nlohmann::json;
using ui::testing::did;
using ui::testing::DrivenWindow;
using ui::testing::sample_folder;
using ui::testing::SampleWindow;

namespace {

struct InsideWindow : SampleWindow {
    void choose_for_rank(const char* row, const char* entry) {
        did(driver->right_click(row));
        did(driver->click(entry));
        did(driver->wait_idle());
    }
    json ranks_of(const char* timeline) { return at((std::string(timeline) + "/ranks/order").c_str()); }
};

// Two runs whose ranks have the same numbers, in one folder.
struct TwoCaptures {
    core::testing::TempFolder parent;
    std::filesystem::path folder = parent.path() / "both";
    TwoCaptures() {
        for (const char* name : {"first", "second"}) {
            core::SampleOptions options;
            options.ranks = 2;
            options.steps = 2;
            options.layers = 1;
            options.candidate = std::string_view(name) == "second";
            REQUIRE(core::write_sample_run(folder / name, options, {}));
        }
    }
};

}  // namespace

TEST_CASE_FIXTURE(InsideWindow, "a rank is compared with the median rank: each side shows its own") {
    choose_for_rank("timeline/row:rank 5", "rank/compare-median");
    REQUIRE(driver->window().document().query.parts.has_value());
    const core::BySide<core::RunPart>& parts = *driver->window().document().query.parts;
    CHECK(parts.candidate.title == "rank 5");
    CHECK(parts.baseline.title.ends_with(" (median)"));
    CHECK(driver->window().title().starts_with("rank 5 against rank "));
    CHECK(ranks_of("/candidate/timeline") == json::array({"5"}));
    CHECK(ranks_of("/timeline").size() == 1);
    CHECK(at("/panels/overview/baseline/facts").get<std::string>().starts_with("1 of 8 ranks chosen"));
    CHECK(at("/panels/overview/candidate/facts").get<std::string>().starts_with("1 of 8 ranks chosen"));
    did(driver->key("ctrl+z"));
    did(driver->wait_idle());
    CHECK_FALSE(driver->window().document().query.parts.has_value());
    CHECK(ranks_of("/timeline").size() == 8);
}

TEST_CASE_FIXTURE(InsideWindow,
                  "the ranks of the filter are compared with the others, and closing shows the run again") {
    driver->window().post(ui::SetFilter{core::Filter{{{false, core::RankTerm{{{0, 1}}, {}}}}}});
    did(driver->wait_idle());
    driver->window().post(ui::CompareInside{ui::InsideKind::RanksWithOthers, {}, {}});
    did(driver->wait_idle());
    CHECK(at("/filter") == "");
    CHECK(ranks_of("/candidate/timeline") == json::array({"0", "1"}));
    CHECK(ranks_of("/timeline").size() == 6);
    did(driver->click("top/close-candidate"));
    did(driver->wait_idle());
    CHECK(ranks_of("/timeline").size() == 8);
}

TEST_CASE_FIXTURE(InsideWindow, "a step is compared with the median step from its row's menu or by a command") {
    driver->window().post(ui::CompareInside{ui::InsideKind::StepWithMedian, {}, 11});
    did(driver->wait_idle());
    const auto& parts = driver->window().document().query.parts;
    REQUIRE(parts.has_value());
    CHECK(parts->candidate.steps == std::vector<std::int64_t>{11});
    CHECK(parts->baseline.steps == std::vector<std::int64_t>{10});
    CHECK(ranks_of("/timeline").size() == 8);
    CHECK(at("/timeline/aligned_at") != at("/candidate/timeline/aligned_at"));
}

TEST_CASE_FIXTURE(InsideWindow, "what cannot be compared is said") {
    driver->window().post(ui::CompareInside{ui::InsideKind::Captures, {}, {}});
    did(driver->wait_idle());
    CHECK(driver->window().notice().is_error);
    CHECK(driver->window().notice().words.find("more than one capture") != std::string::npos);
    driver->window().post(ui::CompareInside{ui::InsideKind::RankWithMedian, {}, {}});
    did(driver->wait_idle());
    CHECK(driver->window().notice().words.find("select an event") != std::string::npos);
}

TEST_CASE_FIXTURE(InsideWindow, "a session file brings the parts back") {
    const core::testing::TempFolder folder;
    choose_for_rank("timeline/row:rank 5", "rank/compare-median");
    const auto parts = driver->window().document().query.parts;
    const std::filesystem::path file = folder.path() / "inside.lockstep";
    driver->window().post(ui::SaveFile{ui::SaveKind::Session, file});
    did(driver->wait_idle());
    did(driver->click("top/close-candidate"));
    did(driver->wait_idle());
    CHECK_FALSE(driver->window().document().query.parts.has_value());
    open(file);
    CHECK(driver->window().document().query.parts == parts);
    CHECK(ranks_of("/candidate/timeline") == json::array({"5"}));
}

namespace {

// One window of a rank: a step with a kernel.
std::string window_of(int rank, int begin_us, int step) {
    const auto event = [&](const std::string& name, const std::string& category, int at_us, int length_us, int thread) {
        return R"({"ph": "X", "name": ")" + name + R"(", "cat": ")" + category + R"(", "pid": )" +
               std::to_string(thread == 7 ? 0 : 1) + R"(, "tid": )" + std::to_string(thread) + R"(, "ts": )" +
               std::to_string(begin_us + at_us) + R"(, "dur": )" + std::to_string(length_us) +
               R"(, "args": {"device": 0, "stream": 7}})";
    };
    return R"({"schemaVersion": 1, "distributedInfo": {"rank": )" + std::to_string(rank) +
           R"(, "world_size": 2}, "traceEvents": [)" +
           event("ProfilerStep#" + std::to_string(step), "user_annotation", 0, 100, 3) + ", " +
           event("gemm", "kernel", 10, 50, 7) + "]}";
}

// Two windows of a rank, a file each.
void write_windows_of(int rank, const std::filesystem::path& folder) {
    for (const int window : {1, 2})
        std::ofstream(folder / ("host_" + std::to_string(rank) + "." + std::to_string(window) + ".pt.trace.json"))
            << window_of(rank, window * 1000, window);
}

}  // namespace

TEST_CASE("windows of one job open as one row of each rank, and a click shows those of each window") {
    const core::testing::TempFolder parent;
    const std::filesystem::path folder = parent.path() / "windows";
    std::filesystem::create_directory(folder);
    for (const int rank : {0, 1}) write_windows_of(rank, folder);
    DrivenWindow window;
    window.open(folder);
    const ui::RankChoices& choices = window.driver->window().document().choices.ranks;
    CHECK(choices.grouping == "rank");
    CHECK(choices.fold_groups);
    CHECK(ui::items().find("timeline/group:rank 1"));
    CHECK_FALSE(ui::items().find("timeline/row:rank 1"));
    did(window.driver->click("timeline/group:rank 1"));
    did(window.driver->wait_idle());
    CHECK(ui::items().find("timeline/row:rank 1"));
    CHECK(
        ui::items().find("timeline/row:rank 1\xC2\xB7"
                         "b"));
    CHECK(choices.grouping == "rank");  // stays as chosen
    CHECK(window.at("/panels/overview/steps/least_per_rank") == 2);  // of both windows
}

TEST_CASE("rows of windows follow the ranks that arrive until they are chosen otherwise") {
    const core::testing::TempFolder parent;
    const std::filesystem::path folder = parent.path() / "windows";
    std::filesystem::create_directory(folder);
    DrivenWindow window;
    window.driver->window().post(ui::OpenPaths{{folder}, core::Side::Baseline, true});
    const auto write_rank = [&](int rank) {
        write_windows_of(rank, folder);
        const auto has_arrived = [&] {
            const core::RunPtr& run = window.driver->session().run();
            return run && run->ranks().size() == 2 * static_cast<std::size_t>(rank + 1);
        };
        for (int i = 0; i < 2'000 && !has_arrived(); ++i) {
            window.driver->frame();
            std::this_thread::sleep_for(std::chrono::milliseconds{10});
        }
        did(window.driver->wait_idle());
        REQUIRE(has_arrived());
    };
    const ui::RankChoices& choices = window.driver->window().document().choices.ranks;
    write_rank(0);
    CHECK(choices.grouping == "rank");
    CHECK_FALSE(choices.fold_groups);
    write_rank(1);
    CHECK(choices.fold_groups);
    did(window.driver->click("timeline/group:rank 1"));
    const ui::RankChoices chosen = choices;
    write_rank(2);
    CHECK(choices == chosen);
}

TEST_CASE("two captures in one folder are offered as two sides, as one of them, or as windows of one run") {
    const TwoCaptures captures;
    DrivenWindow window;
    window.open(captures.folder);
    did(window.driver->click("captures/only-b"));
    did(window.driver->wait_idle());
    CHECK(window.at("/filter") == "capture:b");
    CHECK_FALSE(window.driver->click("captures/compare"));
    did(window.driver->key("ctrl+z"));
    did(window.driver->wait_idle());
    did(window.driver->click("captures/compare"));
    did(window.driver->wait_idle());
    CHECK(window.at("/timeline/ranks/order") == json::array({"0", "1"}));
    CHECK(window.at("/candidate/timeline/ranks/order") == json::array({"0\xC2\xB7"
                                                                       "b",
                                                                       "1\xC2\xB7"
                                                                       "b"}));
    did(window.driver->key("ctrl+z"));
    did(window.driver->wait_idle());
    did(window.driver->click("captures/keep"));
    did(window.driver->wait_idle());
    CHECK_FALSE(window.driver->click("captures/compare"));
    CHECK(window.at("/timeline/cut_gaps_ns").empty());  // these two overlap
}

TEST_CASE_FIXTURE(SampleWindow, "settings apply at once and open by a key, and the wheel zooms if set so") {
    did(driver->key("f2"));
    did(driver->wait_idle());
    did(driver->click("settings/larger"));
    did(driver->wait_idle());
    CHECK(driver->window().document().choices.interface_size == doctest::Approx(1.1f));
    did(driver->click("settings/normal-size"));
    did(driver->wait_idle());
    did(driver->click("settings/Light"));
    did(driver->wait_idle());
    CHECK(driver->window().document().choices.theme == ui::Theme::Light);
    did(driver->click("settings/Zooms, Ctrl+wheel scrolls"));
    did(driver->wait_idle());
    did(driver->click("settings/In the cache folder"));
    did(driver->click("settings/20 GB"));
    did(driver->wait_idle());
    CHECK(driver->window().document().choices.index_in_cache);
    CHECK(driver->window().document().choices.cache_limit_gb == 20);
    CHECK(at("/settings/cache/files").is_number());
    did(driver->key("esc"));
    did(driver->wait_idle());
    CHECK_FALSE(driver->click("settings/larger"));
    const double before = at("/timeline/end_ns").get<double>() - at("/timeline/begin_ns").get<double>();
    did(driver->scroll("timeline/plot@0.5,0.5", 2));
    did(driver->wait_idle());
    CHECK(at("/timeline/end_ns").get<double>() - at("/timeline/begin_ns").get<double>() < before);
}

TEST_CASE_FIXTURE(SampleWindow,
                  "what devices can do is shown and changed in the settings, and kept in the user's files") {
    const core::testing::TempFolder folder;
    driver->window().set_settings_folder(folder.path());
    const std::string device = core::device_name_of(*driver->session().run(), 0, core::kNoEvent);
    REQUIRE_FALSE(device.empty());
    driver->window().post(ui::SetDeviceNumber{device, "bf16", 123.5});
    driver->window().post(ui::SetDeviceNumber{device, "link", 77});
    did(driver->wait_idle());
    CHECK_FALSE(driver->window().notice().is_error);
    driver->window().post(ui::AskForSettings{});
    did(driver->wait_idle());
    const json shown = at("/settings/devices")[device];
    CHECK(shown["bf16"]["value"] == 123.5);
    CHECK(shown["bf16"]["given"] == true);
    CHECK(shown["fp32"]["given"] == false);
    CHECK(shown["link"]["value"] == 77);
    const core::Result<std::string> peaks = core::read_small_file(folder.path() / "peaks.json");
    REQUIRE(peaks);
    CHECK(json::parse(*peaks)[device]["bf16"] == 123.5);
    const std::string field = "settings/devices/number:" + device + "/bf16";
    did(driver->double_click(field));
    did(driver->key("ctrl+a"));
    driver->type("250");
    did(driver->key("enter"));
    did(driver->wait_idle());
    CHECK(at("/settings/devices")[device]["bf16"]["value"] == 250);
    driver->window().post(ui::SetDeviceNumber{device, "bf16", {}});
    driver->window().post(ui::SetDeviceNumber{device, "link", {}});
    did(driver->wait_idle());
    CHECK(json::parse(*core::read_small_file(folder.path() / "peaks.json")).empty());
    core::Peaks given;
    core::given_peaks()->apply(device, given);
    CHECK(given.empty());
}

TEST_CASE_FIXTURE(SampleWindow, "a window without a settings folder writes no peaks") {
    driver->window().post(ui::SetDeviceNumber{"any", "bf16", 1});
    did(driver->wait_idle());
    CHECK(driver->window().notice().is_error);
}

TEST_CASE_FIXTURE(SampleWindow, "limits of health are shown and changed in the settings, and kept in limits.json") {
    const core::testing::TempFolder folder;
    driver->window().set_settings_folder(folder.path());
    driver->window().post(ui::AskForSettings{});
    did(driver->wait_idle());
    did(driver->click("settings/limits"));
    did(driver->wait_idle());
    CHECK(at("/settings/limits")["steps.warn"] == json{{"value", 0.1}, {"given", false}});
    const auto enter = [&](const std::string& number) {
        did(driver->double_click("settings/limits/limit:data-bound.loading"));
        did(driver->key("ctrl+a"));
        number.empty() ? did(driver->key("delete")) : driver->type(number);
        did(driver->key("enter"));
        did(driver->wait_idle());
    };
    enter("0.25");
    CHECK_FALSE(driver->window().notice().is_error);
    CHECK(at("/settings/limits")["data-bound.loading"] == json{{"value", 0.25}, {"given", true}});
    CHECK(json::parse(*core::read_small_file(folder.path() / "limits.json"))["data-bound.loading"] == 0.25);
    enter("");
    CHECK(at("/settings/limits")["data-bound.loading"] == json{{"value", 0.1}, {"given", false}});
    CHECK(json::parse(*core::read_small_file(folder.path() / "limits.json")).empty());
    driver->window().post(ui::SetLimit{"none.such", 1});
    did(driver->wait_idle());
    CHECK(driver->window().notice().is_error);
}
