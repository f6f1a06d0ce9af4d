// Analyses and Kernels with two runs in one window.

#include "core/analysis/catalogue/registry.hpp"
#include "core/diff/join/compare_runs.hpp"
#include "core/query/filter_text.hpp"
#include "tests/ui/driver/comparing_window.hpp"

using nlohmann::json;
using ui::testing::ComparingWindow;
using ui::testing::did;
using ui::testing::pair;

namespace {

struct ComparedWindow : ComparingWindow {
    ComparedWindow() : ComparingWindow(pair().baseline, pair().candidate) {
        did(driver->resize(1600, 1200));
        post(ui::ShowPanel{"analysis"});
    }
    void choose(const std::string& analysis) {
        did(driver->click("analysis/analysis"));
        did(driver->click("analysis/" + analysis));
        did(driver->wait_idle());
    }
    core::Comparison expected(std::string_view analysis) {
        const core::Session& session = driver->session();
        core::Params params;
        for (const core::Param& param : core::find_analysis(analysis)->params) params.push_back(param.standard);
        auto compared = core::compare_runs({core::find_analysis(analysis), params, session.filter()},
                                           {session.run().get(), session.run(core::Side::Candidate).get()},
                                           *session.alignment(), 2, {});
        REQUIRE(compared);
        return std::move(compared->comparison);
    }
    // Checks the visible rows: exact numbers of both sides and their change.
    void check_rows(const char* pointer, std::string_view analysis, const std::string& measure) {
        const json shown = at(pointer);
        const core::Comparison comparison = expected(analysis);
        CHECK(shown["fresh"] == true);
        CHECK(shown["rows_total"] == comparison.table.rows());
        CHECK(shown["notes"] == comparison.notes);
        REQUIRE(shown["rows"].size() > 0);
        for (std::size_t row = 0; row < shown["rows"].size(); ++row) {
            for (const char* part : {"baseline", "candidate", "change"}) {
                const std::size_t column = comparison.table.find_column(measure + "." + part);
                REQUIRE(column < comparison.table.columns().size());
                const json& cell = shown["rows"][row][measure + "." + part + "_ns"];
                if (comparison.table.absent(row, column))
                    CHECK(cell.is_null());
                else
                    CHECK(cell == comparison.table.integer(row, column));
            }
        }
    }
};

}  // namespace

TEST_CASE_FIXTURE(ComparedWindow, "both sides of a comparison follow the filter") {
    choose("steps");
    for (const char* filter : {"", "rank:0-1", "step:11", "class:compute", "rank:2 step:12"}) {
        CAPTURE(filter);
        auto parsed = core::parse_filter(filter);
        REQUIRE(parsed);
        post(ui::SetFilter{*parsed});
        check_rows("/panels/analysis/comparison", "steps", "compute");
    }
    post(ui::Undo{});
    CHECK(at("/filter") == "class:compute");
    check_rows("/panels/analysis/comparison", "steps", "compute");
}

TEST_CASE_FIXTURE(ComparedWindow, "every analysis of two runs shows a comparison or the reason why it cannot") {
    for (const core::Analysis& analysis : core::all_analyses()) {
        CAPTURE(analysis.id);
        choose(std::string(analysis.id));
        const json shown = at("/panels/analysis");
        CHECK(shown["analysis"] == analysis.id);
        CHECK(shown["fresh"] == true);
        CHECK(shown.contains("comparison") == analysis.comparable);
        CHECK(shown.contains("candidate") != analysis.comparable);
        if (analysis.comparable) CHECK(shown["comparison"]["notes"] == expected(analysis.id).notes);
    }
}

TEST_CASE_FIXTURE(ComparedWindow, "swapping the runs swaps the comparison and keeps the panel's settings") {
    choose("temporal-breakdown");
    did(driver->click("analysis/search"));
    driver->type("no such row");
    const json before = at("/panels/analysis/comparison");
    CHECK(before["rows_found"] == 0);
    did(driver->click("top/swap"));
    CHECK(at("/panels/analysis/analysis") == "temporal-breakdown");
    CHECK(at("/panels/analysis/comparison/rows_found") == 0);
    did(driver->click("analysis/search"));
    did(driver->key("ctrl+a"));
    did(driver->key("backspace"));
    check_rows("/panels/analysis/comparison", "temporal-breakdown", "compute");
    post(ui::CloseRun{core::Side::Candidate});
    CHECK(at("/panels/analysis/analysis") == "temporal-breakdown");
    CHECK(at("/panels/analysis").contains("table"));
}

TEST_CASE_FIXTURE(ComparedWindow, "single events of one run are selected by a click and shown by a double click") {
    choose("launches");
    did(driver->click("analysis/candidate/row:0"));
    CHECK(at("/selected").is_null());
    CHECK_FALSE(at("/candidate/selected").is_null());
    const ui::TimeView before = driver->window().view(core::Side::Candidate).time;
    did(driver->double_click("analysis/candidate/row:3"));
    CHECK_FALSE(driver->window().view(core::Side::Candidate).time == before);
    did(driver->click("analysis/baseline/row:1"));
    CHECK_FALSE(at("/selected").is_null());
}

TEST_CASE_FIXTURE(ComparedWindow, "a double click on a kernel shows it on both timelines") {
    post(ui::ShowPanel{"kernels"});
    const std::string kernel = at("/panels/kernels/comparison/rows/0/kernel");
    const std::string presence = at("/panels/kernels/comparison/rows/0/presence");
    did(driver->double_click("kernels/row:0"));
    CHECK(at("/filter").get<std::string>().starts_with("name:"));
    if (presence != "added") CHECK(at("/selected/name") == kernel);
    if (presence != "removed") CHECK(at("/candidate/selected/name") == kernel);
    CHECK(at("/view/whole_run") == false);
    CHECK(at("/candidate/view/whole_run") == false);
}

TEST_CASE("rows and bars of one run filter, and events are shown") {
    ui::testing::SampleWindow window;
    did(window.driver->resize(1600, 1200));
    window.driver->window().post(ui::ShowPanel{"analysis"});
    did(window.driver->wait_idle());
    did(window.driver->click("analysis/bar:rank 2"));
    CHECK(window.at("/filter") == "rank:2");
    did(window.driver->click("analysis/row:2"));  // the table keeps its rows
    CHECK(window.at("/filter") == "");
    const auto choose = [&](const char* analysis) {
        did(window.driver->click("analysis/analysis"));
        did(window.driver->click(std::string("analysis/") + analysis));
        did(window.driver->wait_idle());
    };
    choose("kernel-types");
    did(window.driver->click("analysis/legend:Compute"));
    CHECK(window.at("/filter") == "class:compute");
    did(window.driver->click("analysis/legend:Compute"));
    CHECK(window.at("/filter") == "");
    choose("operator-calls");
    did(window.driver->double_click("analysis/row:2"));
    CHECK_FALSE(window.at("/selected").is_null());
    CHECK(window.at("/view/whole_run") == false);
    choose("steps");
    did(window.driver->click("analysis/row:0"));
    const std::string filter = window.at("/filter");
    CHECK(filter.starts_with("rank:"));
    CHECK(filter.find("step:") != std::string::npos);
}
