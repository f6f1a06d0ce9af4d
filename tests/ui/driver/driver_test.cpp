// Input to the whole window and its effect on the state, with numbers from the sample's truth.

#include "tests/ui/driver/sample_window.hpp"

using nlohmann::json;
using ui::Target;
using ui::testing::did;
using ui::testing::DrivenWindow;
using ui::testing::sample_truth;
using ui::testing::SampleWindow;

namespace {

ui::NamedEvent all_reduce(const char* rank, std::size_t nth = 0) { return {"ncclDevKernel_AllReduce", rank, nth}; }

double zoom(SampleWindow& window) { return window.at("/view/px_per_ns").get<double>(); }

void type_filter(ui::Driver& driver, const char* text) {
    did(driver.click("top/filter"));
    did(driver.key("ctrl+a"));
    driver.type(text);
    did(driver.key("enter"));
    did(driver.wait_idle());
}

}  // namespace

TEST_CASE_FIXTURE(SampleWindow, "the state says what is open and that nothing was done to it") {
    CHECK(at("/run/name") == "sample");
    CHECK(at("/run/ranks") == 8);
    CHECK(at("/load/finished") == true);
    CHECK(at("/load/error") == "");
    CHECK(at("/selected").is_null());
    CHECK(at("/can_undo") == false);
    CHECK(at("/view/whole_run") == true);
    CHECK(at("/view/begin_ns").get<std::int64_t>() <= 0);
    CHECK(at("/view/end_ns") >= at("/run/length_ns"));
    CHECK(at("/timeline/lanes") > 8);
}

TEST_CASE_FIXTURE(SampleWindow, "clicking every event of a kernel adds up to its truth") {
    const json truth = sample_truth();
    for (const json& kernel : truth["kernels"]) {
        if (kernel["name"].get<std::string>().find("flash_fwd_kernel") == std::string::npos) continue;
        for (const int rank : {0, 2}) {
            const json& row = kernel["ranks"][static_cast<std::size_t>(rank)];
            const ui::NamedEvent event{kernel["name"], std::to_string(rank), row["count"]};
            CHECK_FALSE(driver->click(event));
            std::int64_t total = 0;
            for (std::size_t nth = 0; nth < event.nth; ++nth) {
                did(driver->click(ui::NamedEvent{event.name, event.rank, nth}));
                total += at("/selected/duration_ns").get<std::int64_t>();
            }
            CHECK(total == row["total_ns"]);
        }
    }
}

TEST_CASE_FIXTURE(SampleWindow, "a closed lane is opened for an event in it: a step lasts as long as its truth") {
    const json truth = sample_truth();
    for (const json& step : truth["steps"]) {
        if (step["rank"] != 6) continue;
        did(driver->click(ui::NamedEvent{"ProfilerStep#" + step["step"].dump(), "6"}));
        CHECK(at("/selected/duration_ns") == step["duration_ns"]);
    }
}

TEST_CASE_FIXTURE(SampleWindow, "a click on a named event selects exactly that one") {
    for (const char* const rank : {"0", "5", "7"}) {
        did(driver->click(all_reduce(rank, 1)));
        CHECK(at("/selected/rank") == rank);
        CHECK(at("/selected/name").get<std::string>().starts_with("ncclDevKernel_AllReduce"));
        CHECK(at("/tabs/right") == "details");
    }
}

TEST_CASE_FIXTURE(SampleWindow, "a double click on an event zooms to it") {
    const double before = zoom(*this);
    did(driver->double_click(all_reduce("3")));
    CHECK(zoom(*this) > 10 * before);
    CHECK(at("/view/whole_run") == false);
    CHECK(at("/selected/rank") == "3");
}

TEST_CASE_FIXTURE(SampleWindow, "Ctrl and the wheel zoom around the mouse, the wheel alone does not") {
    const double before = zoom(*this);
    did(driver->scroll("timeline/plot@0.5,0.5", 3, "ctrl"));
    CHECK(zoom(*this) == doctest::Approx(before * 1.25 * 1.25 * 1.25));
    did(driver->scroll("timeline/plot@0.5,0.5", -3, "ctrl"));
    CHECK(zoom(*this) == doctest::Approx(before));
    did(driver->scroll("timeline/plot@0.5,0.5", -2));
    CHECK(zoom(*this) == doctest::Approx(before));
}

TEST_CASE_FIXTURE(SampleWindow, "dragging over the timeline marks the area between press and release") {
    const json view = at("/view");
    did(driver->drag("timeline/plot@0.25,0.5", "timeline/plot@0.75,0.5"));
    const json area = at("/area");
    const double begin = view["begin_ns"], length = view["end_ns"].get<double>() - begin;
    CHECK(area["begin_ns"].get<double>() == doctest::Approx(begin + 0.25 * length).epsilon(0.01));
    CHECK(area["end_ns"].get<double>() == doctest::Approx(begin + 0.75 * length).epsilon(0.01));
    did(driver->key("esc"));
    CHECK(at("/area").is_null());
}

TEST_CASE_FIXTURE(SampleWindow, "the key that closes a menu leaves what is marked") {
    did(driver->drag("timeline/plot@0.25,0.5", "timeline/plot@0.75,0.5"));
    driver->window().post(ui::ShowPanel{"kernels"});
    did(driver->wait_idle());
    did(driver->right_click("kernels/row:0"));
    driver->frames(2);
    REQUIRE(ui::items().find("row-menu/list"));
    did(driver->key("esc"));
    driver->frames(2);
    CHECK_FALSE(ui::items().find("row-menu/list"));
    CHECK_FALSE(at("/area").is_null());
    did(driver->key("esc"));
    CHECK(at("/area").is_null());
}

TEST_CASE_FIXTURE(SampleWindow, "the key that closes a menu leaves the flame graph under the mouse as it is") {
    driver->window().post(ui::ShowPanel{"flame-graph"});
    did(driver->wait_idle());
    did(driver->click("flame-graph/annotations"));
    did(driver->wait_idle());
    did(driver->click("frame:1:ProfilerStep"));
    did(driver->wait_idle());
    REQUIRE(at("/panels/flame-graph/zoom").size() == 1);
    const auto escape_over_the_graph = [&] {
        did(driver->hover("frame:0:"));
        did(driver->key("esc"));
        driver->frames(2);
        return at("/panels/flame-graph/zoom").size();
    };
    did(driver->click("top/menu"));
    CHECK(escape_over_the_graph() == 1);
    CHECK(escape_over_the_graph() == 0);
}

TEST_CASE_FIXTURE(SampleWindow, "a held key goes on zooming") {
    const double before = zoom(*this);
    did(driver->key("w", 10));
    const double after = zoom(*this);
    CHECK(after > before * 1.2);
    did(driver->key("s", 10));
    CHECK(zoom(*this) < after);
}

TEST_CASE_FIXTURE(SampleWindow, "a typed filter is committed, undone and redone exactly") {
    const json before = at("");
    type_filter(*driver, "rank:0-3");
    CHECK(at("/filter") == "rank:0-3");
    CHECK(at("/can_undo") == true);
    did(driver->click("top/undo"));
    driver->leave();
    json undone = at("");
    CHECK(undone["can_redo"] == true);
    undone["can_redo"] = false;
    CHECK(undone == before);
    did(driver->key("ctrl+shift+z"));
    CHECK(at("/filter") == "rank:0-3");
}

TEST_CASE_FIXTURE(SampleWindow, "a resized window is drawn in its new size") {
    did(driver->resize(900, 500));
    CHECK(at("/window/width") == 900);
    CHECK(driver->picture().width == 900);
    CHECK(driver->picture().height == 500);
}

TEST_CASE_FIXTURE(SampleWindow, "two clicks are two clicks, however soon they are asked for") {
    driver->window().post(ui::ShowPanel{"kernels"});
    did(driver->wait_idle());
    did(driver->click("kernels/row:0"));
    did(driver->click("kernels/row:0"));
    CHECK(at("/filter") == "");
    did(driver->double_click("kernels/row:0"));
    CHECK(at("/filter") != "");
}

TEST_CASE_FIXTURE(SampleWindow, "what is not there is missed by name") {
    const auto message = [&](const Target& target) { return driver->click(target).error().message; };
    CHECK(message("top/undoo").find("near: top/undo") != std::string::npos);
    CHECK(message(ui::NamedEvent{"no such kernel", "0"}) == "no event 'no such kernel' of rank 0");
    CHECK(driver->key("ctrl+nokey").error().message.starts_with("no key 'nokey'"));
    CHECK_FALSE(driver->click("top/undo", {0, 1, "nokey"}));
    did(driver->double_click(all_reduce("3")));
    CHECK_FALSE(driver->click(ui::NamedEvent{"ncclDevKernel_AllReduce", "3", 5, true}));
}

TEST_CASE_FIXTURE(SampleWindow, "an item below the fold is scrolled into view before it is clicked") {
    did(driver->resize(900, 420));
    did(driver->click(all_reduce("3")));
    did(driver->wait_idle());
    const auto button = ui::find_item(ui::items().items(), "details/copy-all");
    REQUIRE(button);
    CHECK_FALSE(button->visible);
    did(driver->click("details/copy-all"));
    CHECK(std::string(ImGui::GetClipboardText()).find("correlation") != std::string::npos);
}

TEST_CASE_FIXTURE(DrivenWindow, "without a run no event can be clicked") {
    did(driver->wait_idle());
    CHECK(driver->click(ui::NamedEvent{"gemm"}).error().message == "no event 'gemm': no run is open");
    CHECK(at("/run").is_null());
    CHECK(at("/panels").empty());
}

TEST_CASE("a driver that is asked to stop stops waiting") {
    std::stop_source stop;
    ui::DriverOptions options;
    options.stop = stop.get_token();
    auto driver = ui::Driver::open(options);
    REQUIRE(driver);
    stop.request_stop();
    const auto waited = (*driver)->wait_idle();
    REQUIRE_FALSE(waited);
    CHECK(waited.error().code == core::ErrorCode::Cancelled);
}
