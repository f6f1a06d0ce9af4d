// The Compare panel in a window with two runs.

#include "core/diff/statistics/run_statistics.hpp"
#include "core/query/filter_text.hpp"
#include "core/sample/sample_run.hpp"
#include "tests/ui/driver/comparing_window.hpp"
#include "ui/model/panels/waterfall_model.hpp"
#include "ui/style/items.hpp"

#include <fstream>

using nlohmann::json;
using ui::testing::ComparingWindow;
using ui::testing::did;
using ui::testing::pair;
using ui::testing::SampleWindow;

namespace {

constexpr const char* kPanel = "/panels/compare";

struct Window : ComparingWindow {
    explicit Window(const std::filesystem::path& baseline = pair().baseline,
                    const std::filesystem::path& candidate = pair().candidate)
        : ComparingWindow(baseline, candidate) {
        did(driver->resize(1600, 1100));
        post(ui::ShowPanel{"compare"});
    }
    void filter(const char* text) {
        auto parsed = core::parse_filter(text);
        REQUIRE(parsed);
        post(ui::SetFilter{*parsed});
    }
    void level(const std::string& title) {
        did(driver->click("level/" + title));
        did(driver->wait_idle());
    }
    // "row:N" of the first row of this level that both runs have.
    std::string row_of_both(const std::string& title) {
        level(title);
        const json rows = at("/panels/compare/table/rows");
        for (std::size_t row = 0; row < rows.size(); ++row) {
            if (rows[row]["presence"] == "both") return "compare/row:" + std::to_string(row);
        }
        FAIL("no row of both runs");
        return {};
    }
    void check_both_show_what_is_selected() {
        for (const core::Side side : core::kSides) CHECK(shows(side, start_of_selected(side)));
    }
    core::RunTime start_of_selected(core::Side side) {
        const core::EventRef event = driver->window().view(side).selected;
        REQUIRE(event.valid());
        return driver->session().run(side)->start_of(event);
    }
    bool shows(core::Side side, core::RunTime moment) {
        const core::RunRange range = driver->window().view(side).time.range();
        return range.begin <= moment && moment < range.end;
    }
};

void check_adds_up(const json& shown) {
    std::int64_t baseline = 0, candidate = 0, change = 0;
    for (const json& part : shown["parts"]) {
        baseline += part["baseline_ns"].get<std::int64_t>();
        candidate += part["candidate_ns"].get<std::int64_t>();
        change += part["change_ns"].get<std::int64_t>();
    }
    CHECK(shown["baseline_ns"] == baseline);
    CHECK(shown["candidate_ns"] == candidate);
    CHECK(shown["change_ns"] == change);
}

}  // namespace

TEST_CASE("with one run the panel explains how to open another") {
    SampleWindow window;
    window.driver->window().post(ui::ShowPanel{"compare"});
    CHECK(window.at("/panels/compare/comparing") == false);
    did(window.driver->click("compare/open-candidate"));
    CHECK(window.driver->state(true)["items"].dump().find("dialog/") != std::string::npos);
}

TEST_CASE("the waterfall adds up and follows the filter on both sides") {
    Window window;
    const json all = window.at(kPanel);
    CHECK(all["level"] == "waterfall");
    CHECK(all["fresh"] == true);
    check_adds_up(all);
    CHECK(all["change_ns"] != 0);
    window.filter("step:11");
    const json step = window.at(kPanel);
    check_adds_up(step);
    CHECK(step["baseline_ns"] != all["baseline_ns"]);
    CHECK(step["candidate_ns"] != all["candidate_ns"]);
    window.post(ui::Undo{});
    CHECK(window.at(kPanel) == all);
}

TEST_CASE("comparing a run with itself shows no change on any level") {
    Window window(pair().baseline, pair().baseline);
    const json shown = window.at(kPanel);
    CHECK(shown["change_ns"] == 0);
    for (const json& part : shown["parts"]) CHECK(part["change_ns"] == 0);
    for (const char* const title : {"Steps", "Phases", "GPU ranges", "Modules", "Operators", "By shape", "Kernels"}) {
        CAPTURE(title);
        window.level(title);
        const json table = window.at("/panels/compare/table");
        CHECK(table["fresh"] == true);
        CHECK(table["only_baseline"] == 0);
        CHECK(table["only_candidate"] == 0);
        for (const json& row : table["rows"]) {
            for (const auto& [name, value] : row.items())
                if (name.find(".change") != std::string::npos && !value.is_null()) CHECK(value == 0);
        }
    }
}

TEST_CASE("comparing with a CPU-only run says what cannot be compared") {
    const core::testing::TempFolder folder;
    std::ofstream(folder.path() / "rank0.json")
        << R"({"distributedInfo": {"rank": 0}, "traceEvents": [)"
        << R"({"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#10", "pid": 1, "tid": 1, "ts": 0, "dur": 900},)"
        << R"({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 10, "dur": 50}]})";
    Window window(pair().baseline, folder.path());
    const json shown = window.at(kPanel);
    check_adds_up(shown);
    CHECK(shown["notes"].dump().find("the candidate has no GPU events") != std::string::npos);
    for (const char* const title : {"Steps", "Phases", "GPU ranges", "Modules", "Operators", "By shape", "Kernels"}) {
        CAPTURE(title);
        window.level(title);
        CHECK(window.at("/panels/compare/table/fresh") == true);
    }
}

TEST_CASE("a double click on a kernel shows it on both timelines") {
    Window window;
    did(window.driver->double_click(window.row_of_both("Kernels")));
    did(window.driver->wait_idle());
    window.check_both_show_what_is_selected();
}

TEST_CASE("the step that changed most can be shown on both timelines, aligned") {
    Window window;
    const json step = window.at("/panels/compare/most_changed_step");
    did(window.driver->click("compare/show-step"));
    did(window.driver->wait_idle());
    const core::RunAlignment& alignment = *window.driver->session().alignment();
    for (const core::Side side : core::kSides) {
        const core::Run& run = *window.driver->session().run(side);
        bool found = false;
        for (const core::RankSlot& rank : run.ranks()) {
            if (core::format_rank(rank.key) != step["rank"].get<std::string>()) continue;
            for (const core::Step& one : rank.trace().steps) {
                if (one.number != step["step"].get<std::int64_t>()) continue;
                found = true;
                CHECK(alignment.anchor[side] == rank.to_run(one.range.begin));
                CHECK(window.shows(side, rank.to_run(one.range.begin)));
                CHECK(window.shows(side, rank.to_run(one.range.end)));
            }
        }
        CHECK(found);
    }
}

TEST_CASE("names pair by operator and manually, with undo") {
    Window window;
    window.level("Kernels");
    const auto lone = [&] { return window.at("/panels/compare/table/only_baseline").get<int>(); };
    const int exact = lone();
    REQUIRE(exact > 0);
    const json rows = window.at("/panels/compare/table/rows");
    std::size_t row = 0;
    while (row < rows.size() && rows[row]["presence"] != "removed") ++row;
    REQUIRE(row < rows.size());
    did(window.driver->right_click("compare/row:" + std::to_string(row)));
    did(window.driver->wait_idle());
    std::string added;
    for (const json& one : rows)
        if (one["presence"] == "added") added = one["kernel"];
    REQUIRE_FALSE(added.empty());
    did(window.driver->click("pair/" + added));
    did(window.driver->wait_idle());
    CHECK(lone() == exact - 1);
    CHECK(window.driver->session().names_by().pairs.size() == 1);
    window.post(ui::Undo{});
    CHECK(lone() == exact);
    did(window.driver->click("names/By operator"));
    did(window.driver->wait_idle());
    CHECK(window.at("/panels/compare/table/names") == "operator");
    CHECK(lone() < exact);
}

TEST_CASE("the menu of a row shows its events on both timelines, also for a class") {
    Window window;
    did(window.driver->right_click(window.row_of_both("Kernels")));
    did(window.driver->wait_idle());
    did(window.driver->click("row-menu/show"));
    did(window.driver->wait_idle());
    CHECK(window.driver->session().filter().empty());
    window.check_both_show_what_is_selected();
    window.post(ui::Dismiss{});
    window.level("Waterfall");
    const json parts = window.at("/panels/compare/parts");
    std::size_t part = 0;
    while (part < parts.size() && parts[part]["part"] != "exposed_communication") ++part;
    did(window.driver->double_click("compare/bar:" + std::to_string(part + 1)));  // after the baseline's total
    did(window.driver->wait_idle());
    CHECK(core::format_filter(window.driver->session().filter()) == "class:communication");
    for (const core::Side side : core::kSides) {
        const core::EventRef event = window.driver->window().view(side).selected;
        REQUIRE(event.valid());
        CHECK(window.driver->session().run(side)->rank(event.slot).index->classes().of(event.event) ==
              core::KernelClass::Communication);
        CHECK(window.shows(side, window.start_of_selected(side)));
    }
}

TEST_CASE("the whole waterfall fits in a small window") {
    Window window;
    did(window.driver->resize(1280, 720));
    did(window.driver->wait_idle());
    const std::size_t bars = window.at("/panels/compare/parts").size() + 2;
    std::size_t seen = 0;
    float below = 0;
    const json state = window.driver->state(true);
    for (const json& item : state["items"]) {
        const auto path = item["path"].get<std::string>();
        if (path.find("compare/") == std::string::npos || path.find("/bar:") == std::string::npos) continue;
        ++seen;
        CHECK(item["visible"] == true);
        const float bottom = item["max"][1].get<float>();
        CHECK(bottom - item["min"][1].get<float>() >= 12);
        CHECK(bottom > below);
        below = bottom;
    }
    CHECK(seen == bars);
}

TEST_CASE("the panel says the sentence of the command line, and the waterfall carries an interval per part") {
    Window window;
    const json shown = window.at(kPanel);
    const std::string sentence = shown["sentence"];
    CHECK(sentence.starts_with("step: "));
    CHECK(sentence.find(" between these captures; one run each, so noise between runs is unknown") !=
          std::string::npos);
    CHECK(shown["tested"] == true);
    CHECK(shown["headline"].get<std::string>().find(" between these captures; ") != std::string::npos);
    check_adds_up(shown);
    // Parts of whole steps cannot be restricted to some names.
    window.filter("name:gemm");
    CHECK(window.at(kPanel)["tested"] == false);
    CHECK(window.at(kPanel)["parts_absent"] == "the filter chooses events, not whole steps");
    check_adds_up(window.at(kPanel));
}

TEST_CASE("kernels have verdicts; chips show their rows only, and count what the table holds") {
    const core::testing::TempFolder folder;
    core::SampleOptions options;
    options.ranks = 2;
    options.layers = 1;
    options.steps = 6;
    REQUIRE(core::write_sample_run(folder.path() / "b", options, {}));
    options.candidate = true;
    REQUIRE(core::write_sample_run(folder.path() / "c", options, {}));
    Window window(folder.path() / "b", folder.path() / "c");
    window.level("Kernels");
    const json table = window.at("/panels/compare/table");
    CHECK(table["family"] > 5);
    std::size_t all = 0;
    for (const auto& [verdict, count] : table["verdicts"].items()) all += count.get<std::size_t>();
    CHECK(all == table["rows_total"]);
    CHECK(table["verdicts"]["regressed"] > 0);
    CHECK(table["verdicts"]["added"] > 0);
    // Changed rows are above unchanged ones.
    bool was_quiet = false;
    for (const json& row : table["rows"]) {
        const bool quiet = row["verdict"] == "undecided" || row["verdict"] == "same";
        CHECK((quiet || !was_quiet));
        was_quiet |= quiet;
    }
    did(window.driver->click("verdict/regressed"));
    const json regressed = window.at("/panels/compare/table");
    CHECK(regressed["rows_found"] == table["verdicts"]["regressed"]);
    for (const json& row : regressed["rows"]) CHECK(row["verdict"] == "regressed");
    did(window.driver->click("verdict/regressed"));
    CHECK(window.at("/panels/compare/table/rows_found") == table["rows_total"]);
    did(window.driver->click("chart/Volcano"));
    did(window.driver->wait_idle());
    std::size_t points = 0;
    for (const ui::Item& item : ui::items().items()) points += item.path.find("compare/point:") != std::string::npos;
    CHECK(points == table["family"]);
}

TEST_CASE("a row of op by op selects its operators on both sides, and a double click aligns them") {
    Window window;
    window.level("Op by op");
    const json shown = window.at("/panels/compare/op_by_op");
    CHECK(shown["counts"]["same"] > 0);
    CHECK(shown["counts"]["replaced"] > 0);
    for (const json& row : shown["table"]["rows"]) CHECK(row["edit"] != "same");
    did(window.driver->click("edit/replaced"));
    const json replaced = window.at("/panels/compare/op_by_op/table");
    CHECK(replaced["rows_found"] == shown["counts"]["replaced"]);
    did(window.driver->click("compare/row:0"));
    did(window.driver->wait_idle());
    for (const core::Side side : core::kSides) {
        const core::EventRef event = window.driver->window().view(side).selected;
        REQUIRE(event.valid());
        const std::string name(window.driver->session().run(side)->rank(event.slot).trace().name_text(event.event));
        CHECK(replaced["rows"][0]["operator"].get<std::string>().find(name) != std::string::npos);
    }
    did(window.driver->double_click("compare/row:0"));
    did(window.driver->wait_idle());
    window.check_both_show_what_is_selected();
    const core::RunAlignment& alignment = *window.driver->session().alignment();
    for (const core::Side side : core::kSides) CHECK(alignment.anchor[side] == window.start_of_selected(side));
    did(window.driver->click("rows/Kernels"));
    did(window.driver->wait_idle());
    CHECK(window.at("/panels/compare/op_by_op/table/rows_total") > 0);
}

TEST_CASE("parts of too few steps have no interval, others have one around their change") {
    const auto model_of = [](std::vector<double> baseline, std::vector<double> candidate) {
        core::StepChange change;
        change.mean = {1000, 1100};
        change.parts.push_back(
            {.part = core::StepPart::Idle, .name = {}, .kernels = {}, .present = {true, true}, .ns = {1000, 1100}});
        std::vector<core::Tested> tests{core::test_values({std::move(baseline), std::move(candidate)}, {}, false, 0)};
        return ui::WaterfallModel::of(std::move(change), std::move(tests));
    };
    const ui::WaterfallModel few = model_of({990, 1010}, {1090, 1110});
    CHECK_FALSE(few.find_interval(few.bars[1]));
    const ui::WaterfallModel more = model_of({990, 1000, 1010}, {1090, 1100, 1110});
    REQUIRE(more.find_interval(more.bars[1]));
    CHECK(more.find_interval(more.bars[1])->low < 100);
    CHECK(more.find_interval(more.bars[1])->high > 100);
    CHECK(more.most_ns >= more.bars[1].from_ns + static_cast<std::int64_t>(more.find_interval(more.bars[1])->high));
    CHECK_FALSE(more.find_interval(more.bars[0]));
}

TEST_CASE("the noise that is typed counts in the sentence, in the tables and in Overview, and can be undone") {
    Window window;
    const std::string before = window.at("/panels/compare/sentence");
    CHECK(before.find("noise between runs is unknown") != std::string::npos);
    did(window.driver->click("statistics/options"));
    did(window.driver->click("statistics/noise"));
    window.driver->type("40%");
    did(window.driver->key("enter"));
    did(window.driver->wait_idle());
    const auto has_noise = [](const json& text) {
        return text.get<std::string>().find("run-to-run noise taken as 40") != std::string::npos;
    };
    CHECK(has_noise(window.at("/panels/compare/sentence")));
    CHECK(window.driver->session().statistics().noise == 0.4);
    did(window.driver->click("statistics/permutation"));
    did(window.driver->wait_idle());
    CHECK(window.driver->session().statistics().permutation);
    did(window.driver->key("esc"));
    window.post(ui::Undo{});
    window.post(ui::Undo{});
    CHECK(window.at("/panels/compare/sentence") == before);
    did(window.driver->click("statistics/options"));
    did(window.driver->click("statistics/noise"));
    window.driver->type("much");
    did(window.driver->key("enter"));
    CHECK_FALSE(window.driver->session().statistics().noise);
}

TEST_CASE("a small panel has a dot per step on the bars of the whole, within the axis") {
    core::StepChange change;
    change.mean = {1000, 900};
    change.parts = {
        {.part = core::StepPart::Idle, .name = {}, .kernels = {}, .present = {true, true}, .ns = {1000, 900}}};
    const core::Tested step = core::test_values({{940, 1000, 1060}, {850, 900, 950}}, {}, false, 0);
    const ui::WaterfallModel without = ui::WaterfallModel::of(change);
    const ui::WaterfallModel with = ui::WaterfallModel::of(change, {}, step);
    CHECK_FALSE(without.step);
    REQUIRE(with.step);
    CHECK(without.most_ns == 1000);
    CHECK(with.most_ns == 1060);
    CHECK(with.least_ns <= 850);
    CHECK(with.side_of(with.bars.front()) == core::Side::Baseline);
    CHECK(with.side_of(with.bars.back()) == core::Side::Candidate);
}
