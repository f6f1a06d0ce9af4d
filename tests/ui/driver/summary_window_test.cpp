// A run summary in the window: its contents, zoom limit, and notes about missing data.

#include "core/analysis/catalogue/registry.hpp"
#include "core/analysis/run/summary_answers.hpp"
#include "core/export/write_summary.hpp"
#include "core/index/summary_rank.hpp"
#include "core/ingest/index_file/summary_file.hpp"
#include "core/ingest/load/load_run.hpp"
#include "tests/ui/driver/sample_window.hpp"
#include "ui/timeline/model/rank_rows.hpp"

#include <algorithm>

using nlohmann::json;
using ui::testing::did;
using ui::testing::DrivenWindow;
using ui::testing::sample_folder;

namespace {

struct SummaryWindow : DrivenWindow {
    SummaryWindow() {
        core::LoadProgress progress;
        const std::filesystem::path paths[] = {sample_folder()};
        const auto run = core::load_run(paths, {}, progress, {});
        REQUIRE(run);
        REQUIRE(core::write_summary(*run, file, 2, {}));
        open(file);
    }
    core::testing::TempFolder folder;
    std::filesystem::path file = folder.path() / core::kSummaryFileName;
};

}  // namespace

TEST_CASE_FIXTURE(SummaryWindow, "the ruler says how far a summary can be zoomed into; that of traces does not") {
    CHECK(at("/run/name") == std::string(core::kSummaryFileName));
    CHECK(driver->session().run()->ranks().size() == 8);
    CHECK(ui::items().find("timeline/summary-note"));
    open(sample_folder());
    CHECK_FALSE(ui::items().find("timeline/summary-note"));
}

TEST_CASE_FIXTURE(SummaryWindow, "ranks that are zoomed into are read whole from index files next to the summary") {
    core::LoadProgress progress;
    REQUIRE(core::build_index_files(std::vector{sample_folder()}, {.folder = folder.path()}, progress, {}));
    open(file);
    did(driver->double_click(ui::NamedEvent{"ncclDevKernel_AllReduce", "3", 0}));
    json whole = at("/pages/whole");
    CHECK(std::ranges::find(whole, "3") != whole.end());
    CHECK(at("/pages/trouble") == "");
    CHECK(at("/pages/bytes") > 0);
    // The selected collective stays selected although its trace is another object now.
    CHECK(at("/selected/rank") == "3");
    CHECK(at("/selected/name").get<std::string>().starts_with("ncclDevKernel_AllReduce"));
    const core::RunPtr run = driver->session().run();
    CHECK(run->summary());
    CHECK(ui::items().find("timeline/summary-note"));
    // Answers come from the summary, even while ranks are whole.
    CHECK(at("/run/ranks") == 8);
}

TEST_CASE_FIXTURE(SummaryWindow, "a summary without index files says why ranks in view are not whole") {
    did(driver->double_click(ui::NamedEvent{"ncclDevKernel_AllReduce", "3", 0}));
    CHECK(at("/pages/whole").empty());
    CHECK(at("/pages/trouble").get<std::string>().find("is not below") != std::string::npos);
}

// An empty stream row would wrongly suggest that the stream was idle.
TEST_CASE_FIXTURE(SummaryWindow, "streams of which a summary keeps nothing have no row") {
    const core::RankTrace& trace = driver->session().run()->rank(0).trace();
    const auto is_left_out = [&](const core::Track& track) { return core::is_left_out(trace, track); };
    CHECK(std::ranges::any_of(trace.tracks, [&](const core::Track& track) {
        return track.kind == core::TrackKind::Stream && is_left_out(track);
    }));
    const ui::TrackGroups groups = ui::group_tracks(trace);
    CHECK_FALSE(groups.streams.empty());
    for (const std::uint32_t track : groups.streams) CHECK_FALSE(is_left_out(trace.tracks[track]));
}

TEST_CASE_FIXTURE(SummaryWindow, "every panel of a summary shows kept answers or says that it needs single events") {
    constexpr int kMostFrames = 2000;
    for (const ui::PanelType& type : ui::all_panels()) {
        CAPTURE(type.id);
        driver->window().post(ui::ShowPanel{std::string(type.id)});
        driver->frames(3);
        for (int i = 0; i < kMostFrames && driver->session().results().running() > 0; ++i) driver->frames(1);
        const json state = at("");
        CHECK(state["tabs"][type.drawer == ui::Drawer::Left ? "left" : "right"] == type.id);
        CHECK(driver->session().results().running() == 0);
        if (type.id == "breakdown") {
            CHECK(at("/panels/breakdown/scope") == "run");  // all that a summary has
            CHECK(at("/panels/breakdown/ranks").size() == 8);
        }
    }
    core::Session& session = driver->session();
    const auto request = [&](std::string_view id) {
        const core::Analysis& analysis = *core::find_analysis(id);
        core::Request answer;
        for (int i = 0; i < 500 && !answer.fresh && answer.error.empty(); ++i) {
            answer = session.results().request(99, analysis, session.run(), {}, *core::make_params(analysis, {}));
            driver->frames(1);
        }
        return answer;
    };
    for (const std::string_view id : {"temporal-breakdown", "steps", "collectives", "stragglers", "findings"}) {
        INFO(id);
        const core::Request answer = request(id);
        CHECK(answer.error.empty());
        REQUIRE(answer.answer);
        CHECK(answer.answer->main().rows() > 0);
    }
    const core::Request refused = request("operators");
    CHECK_FALSE(refused.fresh);
    CHECK(refused.error.find("a run summary has no single events") != std::string::npos);
}
