#include "ui/timeline/parts/find_bar.hpp"

#include "core/query/filter_text.hpp"
#include "tests/core/trace_fixture.hpp"
#include "tests/ui/timeline/parts/timeline_bench.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using core::testing::run_of;
using core::testing::TraceFixture;
using ui::testing::Bench;

namespace {

core::RunPtr two_ranks() {
    return run_of({TraceFixture().kernel(0, 1000, "gemm_a").kernel(2000, 500, "relu").build(),
                   TraceFixture().kernel(1000, 500, "gemm_b").kernel(4000, 900, "gemm_c").build()});
}

void open_and_type(Bench& bench, const std::string& text) {
    bench.press(GLFW_KEY_SLASH);
    REQUIRE(bench.choices().find_open);
    bench.frames(2);
    bench.type(text);
}

}  // namespace

TEST_CASE("the slash key opens the find bar, which counts the results of its text") {
    Bench bench(two_ranks());
    open_and_type(bench, "gemm");
    const nlohmann::json find = bench.described()["find"];
    CHECK(find["text"] == "gemm");
    CHECK(find["found"] == 3);
    CHECK(find["total_ns"] == 2400);
    CHECK_FALSE(find.contains("index"));
    CHECK_FALSE(find["searching"]);
}

TEST_CASE("Enter and F3 go to the next result, with Shift to the previous one, and wrap around") {
    Bench bench(two_ranks());
    open_and_type(bench, "gemm");
    const auto selected = [&] {
        const core::EventRef ref = bench.view().selected;
        return ref.valid() ? std::string(bench.session().run()->rank(ref.slot).trace().name_text(ref.event)) : "";
    };
    bench.press(GLFW_KEY_ENTER);
    bench.frames(3);
    CHECK(selected() == "gemm_a");
    CHECK(bench.described()["find"]["index"] == 0);
    bench.press(GLFW_KEY_ENTER);
    bench.frames(3);
    CHECK(selected() == "gemm_b");
    bench.press({GLFW_KEY_LEFT_SHIFT, GLFW_KEY_ENTER});
    bench.frames(3);
    bench.press({GLFW_KEY_LEFT_SHIFT, GLFW_KEY_ENTER});
    bench.frames(3);
    CHECK(selected() == "gemm_c");
    bench.point_at(20, 10);
    bench.click();  // elsewhere, which leaves the text field
    bench.frames(2);
    bench.press(GLFW_KEY_F3);
    bench.frames(3);
    CHECK(selected() == "gemm_a");
    bench.press({GLFW_KEY_LEFT_SHIFT, GLFW_KEY_F3});
    bench.frames(3);
    CHECK(selected() == "gemm_c");
}

TEST_CASE("the search finds only events that pass the filter") {
    Bench bench(two_ranks());
    open_and_type(bench, "gemm");
    bench.session().set_filter(core::parse_filter("rank:1 -name:gemm_b").value());
    bench.settle();
    CHECK(bench.described()["find"]["found"] == 1);
    bench.store().undo(bench.session());
    bench.settle();
    CHECK(bench.described()["find"]["found"] == 3);
}

TEST_CASE("an invalid regular expression is an error without results") {
    Bench bench(two_ranks());
    open_and_type(bench, "/gem(/");
    CHECK(bench.described()["find"].contains("error"));
    CHECK_FALSE(bench.described()["find"].contains("found"));
}

TEST_CASE("Escape closes the find bar and keeps the selection") {
    Bench bench(two_ranks());
    open_and_type(bench, "relu");
    bench.press(GLFW_KEY_ENTER);
    bench.frames(3);
    bench.press(GLFW_KEY_ESCAPE);
    CHECK_FALSE(bench.choices().find_open);
    CHECK(bench.view().selected.valid());
    CHECK_FALSE(bench.described().contains("find"));
    bench.press(GLFW_KEY_ESCAPE);
    CHECK_FALSE(bench.view().selected.valid());
}

TEST_CASE("found events are marked below their bars and on the overview, others are not") {
    Bench bench(two_ranks());
    open_and_type(bench, "gemm_b");
    const ui::Item plot = bench.item("plot");
    const auto x_of = [&](std::int64_t ns) {
        return static_cast<int>(plot.min.x) + static_cast<int>(bench.view().time.to_px(core::run_time(ns)));
    };
    const nlohmann::json shown = bench.described();
    const auto lane = std::ranges::find_if(shown["rows"],
                                           [](const auto& row) { return row["rank"] == "1" && row["kind"] == "lane"; });
    REQUIRE(lane != shown["rows"].end());
    constexpr int kGrownLane = 27;  // rows have grown: there is room for more than all
    const int bottom = static_cast<int>(plot.min.y) + (*lane)["y"].get<int>() + kGrownLane - 2;
    CHECK(bench.pixel(x_of(1200), bottom) == ui::color::palette().found);
    CHECK(bench.pixel(x_of(4400), bottom) != ui::color::palette().found);
    const ui::Item strip = bench.item("overview");
    const auto strip_pixel = [&](double share) {
        return bench.pixel(static_cast<int>(strip.min.x + (strip.max.x - strip.min.x) * static_cast<float>(share)),
                           static_cast<int>(strip.max.y) - 2);
    };
    CHECK(strip_pixel(0.25) == ui::color::palette().found);
    CHECK(strip_pixel(0.5) != ui::color::palette().found);
}

TEST_CASE("Ctrl+Enter opens the results panel, which keeps the search when the bar closes") {
    Bench bench(two_ranks());
    open_and_type(bench, "gemm");
    bench.press({GLFW_KEY_LEFT_CONTROL, GLFW_KEY_ENTER});
    bench.frames(2);
    CHECK(bench.choices().left_tab == "found");
    CHECK_FALSE(bench.view().selected.valid());
    bench.press(GLFW_KEY_ESCAPE);
    CHECK_FALSE(bench.choices().find_open);
    REQUIRE(bench.ephemeral().search.found);
    CHECK(bench.ephemeral().search.found->count() == 3);
    bench.choose([](ui::UiChoices& choices) { choices.left_tab = "kernels"; });
    bench.settle();
    CHECK_FALSE(bench.ephemeral().search.found);
}

TEST_CASE("searching arguments can be switched on in the bar or requested by arg:") {
    Bench bench(two_ranks());
    open_and_type(bench, "gemm");
    CHECK(bench.described()["find"]["arguments"] == false);
    bench.choose([](ui::UiChoices& choices) { choices.find_arguments = true; });
    bench.settle();
    CHECK(bench.described()["find"]["arguments"] == true);
    CHECK(bench.described()["find"]["found"] == 3);
}

TEST_CASE("arguments are searched if the text asks for them") {
    Bench bench(two_ranks());
    open_and_type(bench, "gemm arg:Seq=1");
    CHECK(bench.described()["find"]["arguments"] == true);
    CHECK(bench.described()["find"]["found"] == 0);
}

TEST_CASE("a stopped search restarts with another text, not with another filter") {
    Bench bench(two_ranks());
    open_and_type(bench, "gemm");
    bench.ephemera().asked.baseline.stop_find = true;
    for (const char* filter : {"rank:1", "rank:0"}) {  // the first starts a search, which is stopped
        bench.session().set_filter(core::parse_filter(filter).value());
        bench.settle();
        CHECK(bench.described()["find"]["stopped"] == true);
        CHECK_FALSE(bench.described()["find"].contains("found"));
    }
    bench.choose([](ui::UiChoices& choices) { choices.find_text = "relu"; });
    bench.settle();
    CHECK(bench.described()["find"]["stopped"] == false);
    CHECK(bench.described()["find"]["found"] == 1);
}

TEST_CASE("next, previous and longest occurrence of the selected event's name are selected and shown") {
    Bench bench(
        run_of({TraceFixture().kernel(0, 1000, "gemm").kernel(2000, 500, "gemm").kernel(3000, 10, "relu").build(),
                TraceFixture().kernel(1000, 900, "gemm").kernel(4000, 800, "gemm").build()}));
    const auto go = [&](core::Occurrence which) {
        const std::vector<ui::Intent> intents{ui::GoToOccurrence{which}};
        ui::apply(intents, bench.session(), bench.store(), bench.ephemera());
        bench.settle();
        const core::EventRef ref = bench.view().selected;
        const core::RankTrace& trace = bench.session().run()->rank(ref.slot).trace();
        return std::pair{ref.slot, core::ns_of(trace.start[core::index_of(ref.event)])};
    };
    bench.change_view([&](ui::View& view) {
        view.selected = {0, bench.session().run()->rank(0).trace().gpu_events[0]};
    });
    CHECK(go(core::Occurrence::Next) == std::pair{0u, std::int64_t{2000}});
    CHECK(go(core::Occurrence::Next) == std::pair{1u, std::int64_t{1000}});
    CHECK(go(core::Occurrence::Previous) == std::pair{0u, std::int64_t{2000}});
    CHECK(go(core::Occurrence::Longest) == std::pair{0u, std::int64_t{0}});
    CHECK(go(core::Occurrence::LongestOfWorstRank) == std::pair{1u, std::int64_t{1000}});
}
