// Ranks are pinned, hidden, sorted and grouped with the mouse and by commands; both runs of a comparison go along.

#include "tests/ui/driver/comparing_window.hpp"
#include "ui/commands.hpp"

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
    window.driver->window().post(command->intent(window.driver->window().state()));
    did(window.driver->wait_idle());
}

// Of the truth's mean durations of a kernel, how many differ along this order, which must have them fall.
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
    CHECK(at("/timeline/rows/0/title") == "rank 3");
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
    const core::EventRef event = driver->window().state().selected;
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
    window.post(ui::SetRanks{sorted_by(window.driver->window().state().ranks, ui::RankSort::Idle)});
    const json order = window.at("/timeline/ranks/order");
    REQUIRE(order.size() == 3);
    CHECK(window.at("/candidate/timeline/ranks/order") == order);
    const json state = window.driver->state();
    for (const char* rank : {"0", "2", "3"})
        CHECK(tops_of_ranks(state["timeline"], rank) == tops_of_ranks(state["candidate"]["timeline"], rank));
}
