// Breakdown, Kernel durations, Steps and Overview of two runs in the whole window: their numbers equal core's after
// every change of the filter, and clicks use the filter's numbering.

#include "core/analysis/catalogue/registry.hpp"
#include "core/diff/join/compare_runs.hpp"
#include "core/query/filter_text.hpp"
#include "tests/ui/driver/comparing_window.hpp"
#include "tests/ui/driver/sample_window.hpp"
#include "tests/ui/model/panels/two_runs.hpp"
#include "ui/model/panels/breakdown_model.hpp"

using nlohmann::json;
using ui::testing::did;
using ui::testing::DrivenWindow;
using ui::testing::kBaseline;
using ui::testing::kCandidate;
using ui::testing::make_run;
using ui::testing::RunShape;

namespace {

struct Folders {
    core::testing::TempFolder parent;
    core::BySide<std::filesystem::path> of{parent.path() / "before", parent.path() / "after"};
    Folders() {
        core::SampleOptions options;
        options.ranks = 4;
        options.steps = 3;
        options.layers = 1;
        REQUIRE(core::write_sample_run(of.baseline, options, {}));
        options.candidate = true;
        REQUIRE(core::write_sample_run(of.candidate, options, {}));
    }
};

const Folders& folders() {
    static const Folders written;
    return written;
}

struct ChartsWindow : DrivenWindow {
    ChartsWindow() { did(driver->resize(1600, 1000)); }
    void open_sample(core::Side candidate = kCandidate) {
        open(folders().of.baseline);
        driver->window().post(ui::OpenPaths{{folders().of[candidate]}, kCandidate});
        did(driver->wait_idle());
    }
    void open_runs(const RunShape& baseline, const RunShape& candidate) {
        driver->session().set_run(make_run(baseline));
        driver->session().set_run(make_run(candidate), kCandidate);
        did(driver->wait_idle());
    }
    void post(ui::Intent intent) {
        driver->window().post(std::move(intent));
        did(driver->wait_idle());
    }
    void filter_by(const char* text) { post(ui::SetFilter{core::parse_filter(text).value()}); }
    json panel(const char* id) {
        post(ui::ShowPanel{id});
        const json shown = at((std::string("/panels/") + id).c_str());
        CHECK(shown["fresh"] == true);
        return shown;
    }
    // As `lockstep diff` computes it with the window's filter.
    core::Comparison expected(std::string_view id) {
        const core::Analysis& analysis = *core::find_analysis(id);
        core::Params params;
        for (const core::Param& param : analysis.params) params.push_back(param.standard);
        const core::Session& session = driver->session();
        return core::compare_runs({&analysis, params, session.filter()},
                                  {session.run().get(), session.run(kCandidate).get()}, *session.alignment(), 2, {})
            .value()
            .comparison;
    }
};

// The parts of one number: "compute_ns" of a panel is "compute" of the answer.
void check_number(const json& shown, const core::Comparison& expected, std::size_t row, const std::string& measure) {
    for (const char* part : {"baseline", "candidate", "change"}) {
        CAPTURE(measure);
        CAPTURE(part);
        const std::size_t column = expected.table.find_column(measure + "." + part);
        REQUIRE(column < expected.table.columns().size());
        if (expected.table.absent(row, column))
            CHECK_FALSE(shown.contains(part));
        else
            CHECK(shown[part] == expected.table.number(row, column));
    }
}

std::string rank_of(const core::Comparison& table, std::size_t row) {
    return core::format_rank(core::RankKey::unpacked(table.table.integer(row, 0)));
}

void check_breakdown(ChartsWindow& window) {
    const json shown = window.panel("breakdown");
    const core::Comparison expected = window.expected("temporal-breakdown");
    REQUIRE(expected.table.rows() > 0);
    for (std::size_t row = 0; row < expected.table.rows(); ++row)
        for (const char* part : {"window", "compute", "exposed_communication", "exposed_memory", "idle"})
            check_number(shown["ranks"][rank_of(expected, row)][std::string(part) + "_ns"], expected, row, part);
}

void check_steps(ChartsWindow& window) {
    const json shown = window.panel("steps");
    const core::Comparison expected = window.expected("steps");
    REQUIRE(expected.table.rows() > 0);
    for (std::size_t row = 0; row < expected.table.rows(); ++row) {
        const json& cell = shown["cells"][rank_of(expected, row)][std::to_string(expected.table.integer(row, 1))];
        CHECK(cell["in_filter"] == true);
        check_number(cell["value_ns"], expected, row, "duration");
    }
}

void check_durations(ChartsWindow& window) {
    const json shown = window.panel("kernel-durations");
    const core::Comparison expected = window.expected("kernels");
    REQUIRE_FALSE(shown["charts"].empty());
    for (const json& chart : shown["charts"]) {
        std::size_t found = 0;
        for (std::size_t row = 0; row < expected.table.rows(); ++row) {
            if (expected.table.text(row, 2) != chart["kernel"].get<std::string>()) continue;
            ++found;
            const json& rank = chart["ranks"][rank_of(expected, row)];
            check_number(rank["mean_ns"], expected, row, "mean");
            check_number(rank["least_ns"], expected, row, "min");
            check_number(rank["greatest_ns"], expected, row, "max");
        }
        CHECK(found > 0);
    }
}

// Over the steps that the verdict counts, each on its slowest rank.
void check_overview(ChartsWindow& window) {
    const json shown = window.panel("overview");
    const core::Session& session = window.driver->session();
    const core::Analysis& analysis = *core::find_analysis("steps");
    for (const core::Side side : core::kSides) {
        const core::Run& run = *session.run(side);
        const core::Filter filter = session.alignment()->filter_for(side, session.filter());
        const core::Table steps =
            core::run_analysis(analysis, run, filter, core::make_params(analysis, {}).value(), 2, {}).value().main();
        const core::StepSample sample = core::collect_step_sample(run, filter);
        double sum = 0, count = 0;
        for (const core::StepValue& step : sample.steps) {
            for (std::size_t row = 0; row < steps.rows(); ++row) {
                if (steps.integer(row, steps.find_column("rank")) != run.rank(step.slowest).key.packed() ||
                    steps.integer(row, steps.find_column("step")) != step.number)
                    continue;
                sum += steps.number(row, steps.find_column("idle"));
                ++count;
            }
        }
        REQUIRE(count > 0);
        CHECK(shown["parts"]["idle"][std::string(name_of(side))] == doctest::Approx(sum / count));
    }
}

// Every "change" in the document.
void check_no_change(const json& shown, std::size_t& seen) {
    if (shown.is_object())
        for (const auto& [key, value] : shown.items()) {
            if (key == "change" && value.is_number()) {
                CHECK(value == 0);
                ++seen;
            } else {
                check_no_change(value, seen);
            }
        }
    if (shown.is_array())
        for (const json& value : shown) check_no_change(value, seen);
}

}  // namespace

TEST_CASE_FIXTURE(ChartsWindow, "both sides of every chart follow the filter and equal core's comparison") {
    open_sample();
    for (const char* filter : {"", "step:11", "class:compute,communication", "name:nccl step:complete"}) {
        CAPTURE(filter);
        filter_by(filter);
        check_breakdown(*this);
        check_durations(*this);
        check_overview(*this);
        if (std::string_view(filter).find("step") == std::string_view::npos) check_steps(*this);
    }
}

TEST_CASE_FIXTURE(ChartsWindow, "a run against itself has a change of exactly 0 in every chart") {
    open_sample(kBaseline);
    for (const char* filter : {"", "step:11 class:compute"}) {
        filter_by(filter);
        for (const char* id : {"breakdown", "steps", "kernel-durations", "overview"}) {
            CAPTURE(id);
            std::size_t seen = 0;
            check_no_change(panel(id), seen);
            CHECK(seen > 4);
        }
    }
    CHECK(panel("overview")["verdict"].get<std::string>().starts_with("step: undecided, too few steps: n 1+1"));
}

TEST_CASE_FIXTURE(ChartsWindow, "a panel of both runs is drawn once") {
    open_sample();
    for (const char* id : {"breakdown", "steps", "kernel-durations", "overview"}) {
        panel(id);
        CHECK_FALSE(at("/candidate/panels").contains(id));
    }
    driver->window().post(ui::CloseRun{kCandidate});
    CHECK(panel("breakdown")["ranks"]["0"]["window_ns"].is_number());
}

TEST_CASE_FIXTURE(ChartsWindow, "what a panel began for one run is not waited for when the other run comes or goes") {
    const core::RunPtr run = make_run({});
    for (const char* id : {"breakdown", "steps", "kernel-durations"}) {
        CAPTURE(id);
        driver->session().set_run(run);
        driver->window().post(ui::ShowPanel{id});
        for (int frames = 0; frames < 12; ++frames) {  // the other run may arrive at any moment
            driver->session().set_run(make_run({0, 3, 0, 4, static_cast<unsigned>(frames)}));
            driver->frames(frames % 4);
            driver->session().set_run(make_run({}), kCandidate);
            did(driver->wait_idle());
            driver->session().set_run(make_run({0, 2}), kCandidate);
            driver->frames(frames % 4);
            driver->session().close(kCandidate);
            did(driver->wait_idle());
        }
    }
}

TEST_CASE_FIXTURE(ChartsWindow, "bars of ranks paired by order filter by the baseline's rank") {
    open_runs({0, 3}, {8, 4, 0, 4, 2});
    panel("breakdown");
    did(driver->click("breakdown/bar:rank 1 | 9"));
    CHECK(at("/filter") == "rank:1");
    const json shown = panel("breakdown")["ranks"];
    CHECK(shown["1 | 9"]["in_filter"] == true);
    CHECK(shown["0 | 8"]["in_filter"] == false);
    CHECK(shown["1 | 9"]["candidate_rank"] == "9");
    CHECK_FALSE(shown["11"]["window_ns"].contains("baseline"));
    CHECK_FALSE(shown["11"]["window_ns"].contains("change"));
    did(driver->click("breakdown/bar:rank 11"));
    did(driver->wait_idle());
    CHECK(at("/filter") == "rank:11");
    const json lone = panel("breakdown");
    CHECK(lone["ranks"]["11"]["in_filter"] == true);
    CHECK(lone["ranks"]["1 | 9"]["in_filter"] == false);
    CHECK(lone["notes"][0] == "rank 11 is only in the candidate");
    did(driver->click("title/only-there"));  // above the baseline's timeline
    const json items = driver->state(true)["items"];
    for (const json& item : items) CHECK(item["path"] != "candidate-title/only-there");
    post(ui::Undo{});
    post(ui::Undo{});
    panel("kernel-durations");
    did(driver->click("chart:0/bar:rank 2 | 10"));
    CHECK(at("/filter").get<std::string>().starts_with("rank:2 name:"));
}

TEST_CASE_FIXTURE(ChartsWindow, "a cell of the candidate's step filters by the baseline's step it pairs with") {
    open_runs({0, 2, 5, 3}, {0, 2, 10, 4, 2});
    panel("steps");
    did(driver->click("steps/candidate/cell:1,12"));
    CHECK(at("/filter") == "rank:1 step:7");
    const core::RunRange shown = driver->window().view(kCandidate).time.range();
    const core::Step& step = driver->session().run(kCandidate)->rank(1).trace().steps[2];
    CHECK(step.number == 12);
    CHECK(shown.begin <= driver->session().run(kCandidate)->rank(1).to_run(step.range.begin));
    post(ui::Undo{});
    did(driver->click("steps/change/cell:1,6"));
    CHECK(at("/filter") == "rank:1 step:6");
    post(ui::Undo{});
    did(driver->click("steps/candidate/cell:0,13"));
    CHECK(at("/filter") == "");
    panel("overview");
    did(driver->click("overview/candidate-worst-step"));
    const std::string filter = at("/filter");
    const json worst = panel("overview");
    CHECK((filter.empty() || filter.starts_with("step:")));
    CHECK(worst["candidate"]["facts"] != worst["baseline"]["facts"]);
}

TEST_CASE_FIXTURE(ChartsWindow, "a legend's entry filters by its class, with Ctrl by one more, and takes it back") {
    open_sample();
    panel("kernel-durations");
    did(driver->click("kernel-durations/legend:communication"));
    CHECK(at("/filter") == "class:communication");
    const json shown = panel("kernel-durations");
    for (const json& chart : shown["charts"]) CHECK(chart["class"] == "communication");
    did(driver->click("kernel-durations/legend:compute", {0, 1, "ctrl"}));
    CHECK(at("/filter") == "class:compute,communication");
    post(ui::Undo{});
    did(driver->click("kernel-durations/legend:communication"));
    CHECK(at("/filter") == "");
    panel("breakdown");
    did(driver->click("breakdown/legend:Exposed memory"));
    CHECK(at("/filter") == "class:memory");
}

TEST_CASE_FIXTURE(ChartsWindow, "the visible window is both runs', at the same moments") {
    open_sample();
    panel("breakdown");
    did(driver->click("breakdown/Visible"));
    did(driver->scroll("timeline/plot@0.3,0.5", 6, "ctrl"));
    did(driver->wait_idle());
    const json shown = panel("breakdown");
    CHECK(shown["scope"] == "visible");
    const json& window = shown["parts"]["window"]["time_ns"];
    CHECK(window["baseline"] > 0);
    CHECK(window["candidate"] > 0);
    CHECK(shown["notes"].empty());
    const core::RunRange range = driver->window().view(kCandidate).time.range();
    const ui::RunBreakdown alone =
        ui::RunBreakdown::of_window(driver->session().run(kCandidate), range, {}, driver->session().results());
    REQUIRE_FALSE(alone.ranks.empty());
    CHECK(shown["ranks"]["0"]["window_ns"]["candidate"] == alone.ranks.front().window());
}
