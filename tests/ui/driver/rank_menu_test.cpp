// Ranks are pinned, hidden, sorted and grouped with the mouse and by commands; both runs of a comparison go along.

#include "tests/core/trace_fixture.hpp"
#include "tests/ui/driver/comparing_window.hpp"
#include "ui/commands/commands.hpp"
#include "ui/timeline/model/timeline_rows.hpp"

#include <set>
#include <string>

using nlohmann::json;
using ui::testing::ComparingWindow;
using ui::testing::did;
using ui::testing::kCandidate;
using ui::testing::pair;
using ui::testing::SampleWindow;

namespace {

void choose_for_rank(ui::testing::DrivenWindow& window, const char* row, const char* entry) {
    did(window.driver->right_click(row));
    did(window.driver->click(entry));
    did(window.driver->wait_idle());
}

void choose_order(ui::testing::DrivenWindow& window, const char* entry) {
    did(window.driver->click("timeline/ranks"));
    did(window.driver->click(entry));
    did(window.driver->wait_idle());
}

void run_command(ui::testing::DrivenWindow& window, const char* id) {
    const ui::Command* command = ui::find_command(id);
    REQUIRE(command != nullptr);
    window.driver->window().post(command->intent(window.driver->window().document().choices));
    did(window.driver->wait_idle());
}

// Number of different mean durations of a kernel in this order; they must fall.
std::size_t means_of(const std::string& kernel, const json& order) {
    const json truth = ui::testing::sample_truth();
    for (const json& known : truth["kernels"]) {
        if (known["name"].get<std::string>() != kernel) continue;
        std::set<std::int64_t> means;
        for (const json& rank : order) {
            const json& numbers = known["ranks"][std::stoul(rank.get<std::string>())];
            const std::int64_t mean = numbers["total_ns"].get<std::int64_t>() / numbers["count"].get<std::int64_t>();
            CHECK((means.empty() || mean <= *means.begin()));
            means.insert(mean);
        }
        return means.size();
    }
    return 0;
}

core::RunPtr runs_of_numbers(const std::vector<int>& numbers) {
    std::vector<core::RankTracePtr> traces;
    for (const int number : numbers)
        traces.push_back(core::testing::TraceFixture().rank(number).kernel(0, 10, "gemm").build());
    return core::testing::run_of(traces);
}

std::vector<float> tops_of_ranks(const json& timeline, const char* rank) {
    std::vector<float> tops;
    for (const json& row : timeline["rows"])
        if (row["kind"] == "rank" && row["rank"] == rank) tops.push_back(row["y"].get<float>());
    return tops;
}

}  // namespace

TEST_CASE_FIXTURE(SampleWindow, "a right click on a rank pins and hides it, and the corner brings it back") {
    choose_for_rank(*this, "timeline/row:rank 3", "rank/pin");
    CHECK(at("/timeline/ranks/pinned") == json{"3"});
    CHECK(at("/timeline/pinned_rows/0") == "rank 3");
    CHECK(at("/timeline/rows/0/title") == "rank 0");
    choose_for_rank(*this, "timeline/row:rank 5", "rank/hide");
    CHECK(at("/timeline/ranks/hidden") == json{"5"});
    CHECK(at("/timeline/ranks/order") == json{"3", "0", "1", "2", "4", "6", "7"});
    CHECK_FALSE(driver->click("timeline/row:rank 5"));
    did(driver->click("timeline/hidden-ranks"));
    did(driver->wait_idle());
    CHECK(at("/timeline/ranks/hidden").empty());
    choose_for_rank(*this, "timeline/row:rank 3", "rank/pin");
    CHECK(at("/timeline/ranks/pinned").empty());
    choose_for_rank(*this, "timeline/row:rank 2", "rank/hide-others");
    CHECK(at("/timeline/ranks/order") == json{"2"});
}

TEST_CASE_FIXTURE(SampleWindow, "ranks are sorted by what analyses say of them") {
    choose_order(*this, "rank-order/sort:idle");
    CHECK(at("/timeline/ranks/sort") == "idle");
    CHECK(at("/timeline/ranks/descending") == true);
    const json idle = at("/timeline/ranks/order");
    CHECK(idle[0] == "5");  // the straggler waits for nobody, and its GPU for it
    choose_order(*this, "rank-order/descending");
    CHECK(at("/timeline/ranks/order")[7] == "5");
    run_command(*this, "sort-by-rank");
    CHECK(at("/timeline/ranks/order") == json{"0", "1", "2", "3", "4", "5", "6", "7"});
    did(driver->click(ui::NamedEvent{"ncclDevKernel_AllReduce", "0", 0}));
    did(driver->wait_idle());
    run_command(*this, "sort-by-kernel");
    CHECK(at("/timeline/ranks/sort") == "kernel duration");
    CHECK(means_of(at("/selected/name").get<std::string>(), at("/timeline/ranks/order")) > 1);
}

TEST_CASE_FIXTURE(SampleWindow, "groups have headings in the order of their ranks") {
    choose_order(*this, "rank-order/group:mesh_tp");
    const json groups = at("/timeline/ranks/groups");
    REQUIRE(groups.size() == 4);
    CHECK(groups[1]["ranks"] == json{"2", "3"});
    CHECK(at("/timeline/rows/0/kind") == "group");
    CHECK(at("/timeline/rows/0/title") == groups[0]["title"]);
    run_command(*this, "group-ranks");
    CHECK(at("/timeline/ranks/grouping") == "");
}

TEST_CASE_FIXTURE(SampleWindow, "an event of a hidden rank that is shown brings its rank back") {
    did(driver->click(ui::NamedEvent{"ncclDevKernel_AllReduce", "5", 0}));
    did(driver->wait_idle());
    const core::EventRef event = driver->window().view().selected;
    run_command(*this, "hide-rank");
    CHECK(at("/timeline/ranks/hidden") == json{"5"});
    driver->window().post(ui::SelectEvent{event, true});
    did(driver->wait_idle());
    CHECK(at("/timeline/ranks/hidden").empty());
    CHECK(driver->window().timeline().place_of(event).has_value());
}

TEST_CASE("both runs of a comparison are sorted by the baseline, and partners stay at the same height") {
    ComparingWindow window(pair().baseline, pair().candidate);
    choose_for_rank(window, "candidate-timeline/row:rank 1", "rank/hide");
    CHECK(window.at("/timeline/ranks/hidden") == json{"1"});
    CHECK(window.at("/candidate/timeline/ranks/hidden") == json{"1"});
    window.post(ui::SetRanks{sorted_by(window.driver->window().document().choices.ranks, ui::RankSort::Idle)});
    const json order = window.at("/timeline/ranks/order");
    REQUIRE(order.size() == 3);
    CHECK(window.at("/candidate/timeline/ranks/order") == order);
    const json state = window.at("");
    for (const char* rank : {"0", "2", "3"})
        CHECK(tops_of_ranks(state["timeline"], rank) == tops_of_ranks(state["candidate"]["timeline"], rank));
}

TEST_CASE_FIXTURE(SampleWindow, "a click on the heading of a group folds it to one row, and another unfolds it") {
    choose_order(*this, "rank-order/group:mesh_tp");
    const std::string title = at("/timeline/ranks/groups/1/title").get<std::string>();
    const std::size_t rows = at("/timeline/rows").size();
    did(driver->click("timeline/group:" + title));
    did(driver->wait_idle());
    CHECK(at("/timeline/ranks/groups/1/folded") == true);
    CHECK(at("/timeline/ranks/groups/0/folded") == false);
    CHECK(at("/timeline/ranks/groups/1/ranks") == json{"2", "3"});
    CHECK(tops_of_ranks(at("/timeline"), "2").empty());
    CHECK(at("/timeline/rows").size() != rows);
    did(driver->click("timeline/group:" + title));
    did(driver->wait_idle());
    CHECK(at("/timeline/ranks/groups/1/folded") == false);
    CHECK(at("/timeline/rows").size() == rows);
}

TEST_CASE_FIXTURE(SampleWindow, "a folded group names its worst rank, and a click shows that one below it") {
    choose_order(*this, "rank-order/group:mesh_tp");
    choose_order(*this, "rank-order/fold-all");
    const std::string title = at("/timeline/ranks/groups/2/title").get<std::string>();  // ranks 4 and 5
    REQUIRE(at("/timeline/ranks/groups/2/ranks") == json{"4", "5"});
    did(driver->hover("timeline/worst:" + title));
    CHECK(at("/tooltip").get<std::string>().starts_with("rank 5 has the largest idle time"));
    did(driver->click("timeline/worst:" + title));
    did(driver->wait_idle());
    CHECK(at("/timeline/ranks/groups/2/folded") == true);
    CHECK(tops_of_ranks(at("/timeline"), "5").size() == 1);
    CHECK(tops_of_ranks(at("/timeline"), "4").empty());
    did(driver->click("timeline/worst:" + title));
    did(driver->wait_idle());
    CHECK(tops_of_ranks(at("/timeline"), "5").empty());
}

TEST_CASE_FIXTURE(SampleWindow, "a link whose other end has no row ends at a marked edge of the row that holds it") {
    did(driver->click(ui::NamedEvent{"ncclDevKernel_AllReduce", "0", 0}));
    did(driver->wait_idle());
    driver->frames(2);
    CHECK(ui::items().find("timeline/arrows:folded:0") != nullptr);  // its launch is on a closed thread
    did(driver->click("timeline/chip:rank 0:CPU"));
    did(driver->wait_idle());
    driver->frames(2);
    CHECK(ui::items().find("timeline/arrows:folded:0") == nullptr);
}

TEST_CASE_FIXTURE(SampleWindow, "the band of steps is labelled with the rank whose steps it shows") {
    CHECK(ui::items().find("timeline/steps-of") != nullptr);
}

TEST_CASE_FIXTURE(SampleWindow,
                  "all groups are folded and unfolded at once, and an event that is shown unfolds its own") {
    choose_order(*this, "rank-order/group:mesh_tp");
    did(driver->click(ui::NamedEvent{"ncclDevKernel_AllReduce", "2", 0}));
    did(driver->wait_idle());
    const core::EventRef event = driver->window().view().selected;
    choose_order(*this, "rank-order/fold-all");
    for (const json& row : at("/timeline/rows")) {
        CHECK(row["kind"] == "group");
        CHECK(row["open"] == false);
    }
    CHECK(at("/timeline/rows").size() == 4);
    driver->window().post(ui::SelectEvent{event, true});
    did(driver->wait_idle());
    CHECK(at("/timeline/ranks/groups/1/folded") == false);
    CHECK(at("/timeline/ranks/groups/0/folded") == true);
    CHECK(driver->window().timeline().place_of(event).has_value());
    run_command(*this, "unfold-groups");
    for (const json& group : at("/timeline/ranks/groups")) CHECK(group["folded"] == false);
    run_command(*this, "fold-groups");
    for (const json& group : at("/timeline/ranks/groups")) CHECK(group["folded"] == true);
}

TEST_CASE_FIXTURE(SampleWindow, "a bookmark brings the hidden rank back that it has on top") {
    driver->window().post(ui::SetBookmark{0});
    did(driver->wait_idle());
    const std::string rank = driver->session().marks(core::Side::Baseline).bookmarks[0]->rank;
    CHECK(rank == "0");
    choose_for_rank(*this, "timeline/row:rank 0", "rank/hide");
    CHECK(at("/timeline/ranks/hidden") == json{"0"});
    driver->window().post(ui::GoToBookmark{0});
    did(driver->wait_idle());
    CHECK(at("/timeline/ranks/hidden").empty());
    CHECK(at("/timeline/rows/0/title") == "rank 0");
}

TEST_CASE("groups fold in both runs of a comparison, at the same height, with pinned and hidden ranks") {
    ComparingWindow window(pair().baseline, pair().candidate);
    ui::RankChoices ranks = window.driver->window().document().choices.ranks;
    ranks.grouping = "mesh_tp";
    ranks = ui::fold_all_groups(ranks, true);
    window.post(ui::SetRanks{ranks});
    const auto group_tops = [&](const char* timeline) {
        std::vector<float> tops;
        for (const json& row : window.at(timeline))
            if (row["kind"] == "group" && row.contains("open") && row["open"] == false)
                tops.push_back(row["y"].get<float>());
        return tops;
    };
    CHECK(group_tops("/timeline/rows").size() == 2);
    CHECK(group_tops("/timeline/rows") == group_tops("/candidate/timeline/rows"));
    ranks.pinned = {core::RankKey{0, 0}.packed()};
    ranks.hidden = {core::RankKey{1, 0}.packed()};
    window.post(ui::SetRanks{ranks});
    CHECK(window.at("/timeline/ranks/pinned") == json{"0"});
    CHECK(window.at("/timeline/ranks/hidden") == json{"1"});
    CHECK(group_tops("/timeline/rows").size() == 1);
    CHECK(group_tops("/timeline/rows") == group_tops("/candidate/timeline/rows"));
}

TEST_CASE("ranks that arrive in a comparison are called by their names before rows are laid out") {
    core::Session session{1};
    session.set_run(runs_of_numbers({0, 1}));
    session.set_run(runs_of_numbers({10, 11}), core::Side::Candidate);
    session.update();
    ui::TimelineRows rows;
    ui::RankSorting sorting;
    sorting.choices.hidden = {core::RankKey{1, 0}.packed()};
    rows.sort_ranks(sorting);
    const auto hidden = [&] {
        const core::Run& run = *session.run(core::Side::Candidate);
        rows.name_ranks(session, core::Side::Candidate);
        rows.update(run, 1, 400);
        std::vector<std::string> names;
        for (const std::uint32_t slot : rows.order().hidden) names.push_back(core::format_rank(run.rank(slot).key));
        return names;
    };
    CHECK(hidden() == std::vector<std::string>{"11"});  // the partner of rank 1
    session.set_run(runs_of_numbers({9, 10, 11}), core::Side::Candidate);
    session.update();
    const auto partner = session.alignment()->partner_of_rank(core::Side::Baseline, core::RankKey{1, 0});
    REQUIRE(partner);
    CHECK(hidden() == std::vector<std::string>{core::format_rank(*partner)});
}

TEST_CASE_FIXTURE(SampleWindow,
                  "a right click on a stream hides it for its rank or for every rank; the corner shows it") {
    choose_for_rank(*this, "timeline/track:rank 0:stream 7", "rank/hide-row");
    CHECK(at("/timeline/hidden_rows") == 1);
    CHECK_FALSE(driver->click("timeline/track:rank 0:stream 7"));
    choose_for_rank(*this, "timeline/track:rank 0:stream 20", "rank/hide-row-everywhere");
    CHECK(at("/timeline/hidden_rows") == 9);
    did(driver->key("ctrl+z"));
    did(driver->wait_idle());
    CHECK(at("/timeline/hidden_rows") == 1);
    did(driver->key("ctrl+z"));
    did(driver->wait_idle());
    CHECK(at("/timeline/hidden_rows") == 0);
    did(driver->key("ctrl+shift+z"));
    did(driver->wait_idle());
    CHECK(at("/timeline/hidden_rows") == 1);
    did(driver->click("timeline/hidden-ranks"));
    did(driver->wait_idle());
    CHECK(at("/timeline/hidden_rows") == 0);
    did(driver->hover("timeline/track:rank 0:stream 7"));
}

TEST_CASE_FIXTURE(SampleWindow,
                  "a pinned row stays above the ranks while these scroll, and its events are clicked there") {
    choose_for_rank(*this, "timeline/track:rank 0:stream 7", "rank/pin-row");
    CHECK(at("/timeline/pinned_rows") == json::array({"rank 0 \xC2\xB7 stream 7"}));
    did(driver->resize(1100, 620));
    did(driver->wait_idle());
    did(driver->scroll("timeline/plot@0.5,0.8", -200));
    did(driver->wait_idle());
    CHECK(at("/timeline/scroll_y").get<double>() > 0);
    did(driver->hover("timeline/track:rank 0 \xC2\xB7 stream 7"));
    for (const char* place : {"timeline/plot@0.3,0.02", "timeline/plot@0.4,0.02", "timeline/plot@0.5,0.02",
                              "timeline/plot@0.6,0.02", "timeline/plot@0.7,0.02"}) {
        did(driver->click(place));
        did(driver->wait_idle());
        if (driver->window().view().selected.valid()) break;
    }
    REQUIRE(driver->window().view().selected.valid());
    CHECK(at("/selected/rank") == "0");
    did(driver->key("k"));
    did(driver->wait_idle());
    CHECK(at("/timeline/pinned_rows").empty());
    did(driver->key("ctrl+z"));
    did(driver->wait_idle());
    CHECK(at("/timeline/pinned_rows").size() == 1);
}

TEST_CASE_FIXTURE(SampleWindow,
                  "the row of the selected event is hidden by a key; an event of it that is shown brings it back") {
    did(driver->click(ui::NamedEvent{"ncclDevKernel_AllReduce", "5", 0}));
    did(driver->wait_idle());
    const core::EventRef event = driver->window().view().selected;
    did(driver->key("h"));
    did(driver->wait_idle());
    CHECK(at("/timeline/hidden_rows") == 1);
    driver->window().post(ui::RevealEvent{event});
    did(driver->wait_idle());
    CHECK(at("/timeline/hidden_rows") == 0);
}

TEST_CASE_FIXTURE(SampleWindow, "a pinned rank stays above the others while these scroll, and opens there") {
    choose_for_rank(*this, "timeline/row:rank 6", "rank/pin");
    CHECK(at("/timeline/pinned_rows/0") == "rank 6");
    CHECK(tops_of_ranks(at("/timeline"), "6").empty());
    did(driver->resize(1100, 560));
    did(driver->wait_idle());
    did(driver->scroll("timeline/plot@0.5,0.8", -200));
    did(driver->wait_idle());
    CHECK(at("/timeline/scroll_y").get<double>() > 0);
    const std::size_t closed = at("/timeline/pinned_rows").size();
    did(driver->click("timeline/row:rank 6"));  // in the band
    did(driver->wait_idle());
    CHECK(at("/timeline/pinned_rows").size() != closed);
    did(driver->click(ui::NamedEvent{"ncclDevKernel_AllReduce", "6", 0}));
    did(driver->wait_idle());
    CHECK(at("/selected/rank") == "6");
    choose_for_rank(*this, "timeline/row:rank 6", "rank/pin");
    CHECK(at("/timeline/pinned_rows").empty());
}

TEST_CASE("a row of a counter is pinned by its menu, of its rank or of every rank") {
    ui::testing::DrivenWindow window;
    const core::testing::TempFolder folder;
    for (int rank = 0; rank < 2; ++rank) {
        std::ofstream out(folder.path() / ("rank" + std::to_string(rank) + ".json"));
        out << R"({"distributedInfo": {"rank": )" << rank << R"(, "world_size": 2}, "traceEvents": [
{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 10, "dur": 900, "args": {"device": 0, "stream": 7}},
{"ph": "C", "name": "memory", "pid": 0, "ts": 10, "args": {"bytes": 5}},
{"ph": "C", "name": "memory", "pid": 0, "ts": 500, "args": {"bytes": 9}}]})";
    }
    window.open(folder.path());
    did(window.driver->right_click("timeline/counter:rank 1:memory"));
    did(window.driver->click("rank/pin-row"));
    CHECK(window.at("/timeline/pinned_rows") == json::array({"rank 1 \xC2\xB7 memory"}));
    CHECK(window.driver->window().document().choices.ranks.pinned_rows.front().track == "counter memory");
    did(window.driver->right_click("timeline/counter:rank 1 \xC2\xB7 memory"));
    did(window.driver->click("rank/unpin-row"));
    CHECK(window.at("/timeline/pinned_rows").empty());
}
