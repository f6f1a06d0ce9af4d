// Walking from the longest gap of the GPUs to shorter ones, and back.

#include "tests/ui/driver/sample_window.hpp"

#include "core/analysis/catalogue/registry.hpp"
#include "core/analysis/run/run_analysis.hpp"
#include "core/base/format.hpp"

using nlohmann::json;
using ui::testing::did;
using ui::testing::SampleWindow;

namespace {

struct GapWindow : SampleWindow {
    core::Answer gaps;
    GapWindow() {
        const core::Analysis& analysis = *core::find_analysis("idle-gaps");
        core::Params params;
        for (const core::Param& param : analysis.params) params.push_back(param.standard);
        gaps = *core::run_analysis(analysis, *driver->session().run(), {}, params, 1, {});
    }
    std::int64_t length(std::size_t row) const { return gaps.main().integer(row, gaps.main().find_column("length")); }
    std::int64_t begin(std::size_t row) const { return gaps.main().integer(row, gaps.main().find_column("begin")); }
    void check_marked(std::size_t row) {
        const json area = at("/area");
        REQUIRE(area.is_object());
        CHECK(area["begin_ns"] == begin(row));
        CHECK(area["end_ns"] == begin(row) + length(row));
        CHECK(at("/view/begin_ns") < begin(row));
        CHECK(at("/view/end_ns") > begin(row) + length(row));
    }
};

}  // namespace

TEST_CASE_FIXTURE(GapWindow, "one key shows the longest gap, then the next shorter one; Shift goes back") {
    REQUIRE(gaps.main().rows() > 3);
    did(driver->key("g"));
    check_marked(0);
    did(driver->key("g"));
    check_marked(1);
    did(driver->key("g"));
    check_marked(2);
    did(driver->key("shift+g"));
    check_marked(1);
    did(driver->key("shift+g"));
    did(driver->key("shift+g"));
    check_marked(0);
}

TEST_CASE_FIXTURE(GapWindow, "the longest gap shows what the host did in it: selected, its thread open, and said") {
    did(driver->key("g"));
    const json area = at("/area");
    const json selected = at("/selected");
    REQUIRE(selected.is_object());
    CHECK(selected["rank"] == "5");  // late because of its data loading
    const std::int64_t length = area["end_ns"].get<std::int64_t>() - area["begin_ns"].get<std::int64_t>();
    const std::int64_t from = std::max(area["begin_ns"].get<std::int64_t>(), selected["start_ns"].get<std::int64_t>());
    const std::int64_t to =
        std::min(area["end_ns"].get<std::int64_t>(),
                 selected["start_ns"].get<std::int64_t>() + selected["duration_ns"].get<std::int64_t>());
    CHECK(2 * (to - from) >= length);
    const std::string notice = at("/notice");
    CHECK(notice.starts_with("Rank 5: GPU idle for " + core::format_duration(core::Duration{length})));
    CHECK(notice.find(selected["name"].get<std::string>().substr(0, 20)) != std::string::npos);
}

TEST_CASE_FIXTURE(GapWindow,
                  "the palette does what keys of the timeline do, and finds panels and analyses by other words") {
    const auto take = [&](const char* words) {
        did(driver->key("ctrl+shift+p"));
        did(driver->wait_idle());
        driver->type(words);
        did(driver->wait_idle());
        did(driver->key("enter"));
        did(driver->wait_idle());
    };
    const double before = at("/view/px_per_ns");
    take("magnify zoom in");
    CHECK(at("/view/px_per_ns") > before);
    take("straggler advice");
    CHECK(at("/tabs/left") == "findings");
    take("late rank slow");
    CHECK(at("/tabs/left") == "analysis");
    CHECK(at("/panels/analysis/analysis") == "stragglers");
    take("communication: matrix");
    CHECK(at("/panels/communication/view") == "matrix");
    for (const char* words : {"findings", "straggler", "gap", "zoom", "export", "screenshot", "histogram"}) {
        CAPTURE(words);
        did(driver->key("ctrl+shift+p"));
        did(driver->wait_idle());
        driver->type(words);
        did(driver->wait_idle());
        CHECK(ui::items().find("palette/row:0"));
        did(driver->key("esc"));
        did(driver->wait_idle());
    }
}

TEST_CASE_FIXTURE(GapWindow, "Ctrl+Tab goes through the panels, Alt and a number to one of them") {
    did(driver->key("alt+1"));
    CHECK(at("/tabs/left") == "findings");
    did(driver->key("ctrl+tab"));
    CHECK(at("/tabs/left") == "breakdown");
    did(driver->key("ctrl+shift+tab"));
    did(driver->key("ctrl+shift+tab"));
    CHECK(at("/tabs/left") == "roofline");
    did(driver->key("ctrl+tab"));
    CHECK(at("/tabs/left") == "findings");
    did(driver->key("alt+3"));
    CHECK(at("/tabs/left") == "communication");
}
