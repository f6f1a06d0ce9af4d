#include "ui/timeline/parts/area_box.hpp"

#include "core/query/filter_text.hpp"
#include "tests/core/trace_fixture.hpp"
#include "tests/ui/timeline/parts/timeline_bench.hpp"
#include "ui/model/panels/area_filter.hpp"

#include <doctest/doctest.h>

using core::testing::run_of;
using core::testing::TraceFixture;
using ui::testing::Bench;

namespace {

core::RunPtr kernels() {
    return run_of({TraceFixture().kernel(0, 1000, "ka").kernel(1000, 500, "kb").kernel(2500, 500, "kc").build()});
}

const core::RunRange kArea{core::run_time(500), core::run_time(1500)};

}  // namespace

TEST_CASE("the area's time replaces the filter's time terms and keeps its other terms") {
    const core::RunPtr run = kernels();
    const core::Filter before = core::parse_filter("rank:0 time:1us..2us -name:kc").value();
    CHECK(core::format_filter(ui::filter_to_time(before, {kArea.begin - run->origin(), kArea.end - run->origin()})) ==
          "rank:0 -name:kc time:+500ns..+1.5us");
}

TEST_CASE("a box next to the area shows its sums") {
    Bench bench(kernels());
    bench.change_view([&](ui::View& view) { view.area = kArea; });
    bench.settle();
    const nlohmann::json area = bench.described()["area"];
    CHECK(area["length_ns"] == 1000);
    CHECK(area["events"] == 2);
    CHECK(area["busy"]["compute_ns"] == 1000);
    CHECK(area["longest"].size() == 2);
}

TEST_CASE("an empty area shows no numbers of another area and waits for none") {
    Bench bench(kernels());
    bench.change_view([&](ui::View& view) { view.area = kArea; });
    bench.settle();
    REQUIRE(bench.ephemeral().area_summary);
    bench.change_view([&](ui::View& view) { view.area = core::RunRange{kArea.begin, kArea.begin}; });
    bench.settle();
    CHECK_FALSE(bench.ephemeral().area_summary);
}

TEST_CASE("Enter makes the area the filter in one undoable step") {
    Bench bench(kernels());
    bench.change_view([&](ui::View& view) { view.area = kArea; });
    bench.settle();
    bench.press(GLFW_KEY_ENTER);
    CHECK(core::format_filter(bench.session().filter()) == "time:+500ns..+1.5us");
    CHECK_FALSE(bench.view().area.has_value());
    bench.press({GLFW_KEY_LEFT_CONTROL, GLFW_KEY_Z});
    CHECK(bench.session().filter().empty());
}

TEST_CASE("Z and the button zoom to the area, which stays") {
    for (const bool by_key : {true, false}) {
        Bench bench(kernels());
        bench.change_view([&](ui::View& view) { view.area = kArea; });
        bench.settle();
        if (by_key) {
            bench.press(GLFW_KEY_Z);
        } else {
            const ui::Item& zoom = bench.item("zoom");
            bench.point_at((zoom.min.x + zoom.max.x) / 2, (zoom.min.y + zoom.max.y) / 2);
            bench.click();
        }
        CHECK(bench.view().time.t0 == core::run_time(500));
        CHECK(bench.view().area.has_value());
    }
}

namespace {

core::RunPtr two_ranks_of_streams() {
    std::vector<core::RankTracePtr> traces;
    for (int rank = 0; rank < 2; ++rank)
        traces.push_back(TraceFixture()
                             .rank(rank)
                             .kernel(0, 1000, "ka", 7)
                             .kernel(500, 1000, "kb", 9)
                             .cpu(0, 2000, "aten::mm")
                             .build());
    return run_of(traces);
}

// Vertical position of a lane on the screen.
float middle_of_stream(const Bench& bench, std::string_view rank, std::string_view title) {
    const nlohmann::json shown = bench.described();
    for (const nlohmann::json& row : shown["rows"])
        if (row["rank"] == std::string(rank) && row["kind"] == "lane" &&
            row["title"].get<std::string>().find(title) != std::string::npos)
            return bench.item("plot").min.y + row["y"].get<float>() + 8;
    FAIL("no such row");
    return 0;
}

void drag(Bench& bench, ImVec2 from, ImVec2 to) {
    bench.point_at(from.x, from.y);
    bench.input.buttons[0] = true;
    bench.frames(2);
    bench.point_at((from.x + to.x) / 2, (from.y + to.y) / 2);
    bench.point_at(to.x, to.y);
    bench.input.buttons[0] = false;
    bench.frames(2);
    bench.settle();
}

}  // namespace

TEST_CASE("a drag down over rows selects those rows; a drag along a row or the ruler selects all") {
    Bench bench(two_ranks_of_streams());
    const float first = middle_of_stream(bench, "0", "7");
    const float second = middle_of_stream(bench, "0", "9");
    drag(bench, {400, first - 4}, {700, second});
    REQUIRE(bench.view().area_rows.size() == 2);
    CHECK(bench.view().area_rows[0].kind == core::TrackKind::Stream);
    CHECK(bench.view().area_rows[0].thread == "7");
    CHECK(bench.described()["area"]["rows"] == 2);
    CHECK(bench.described()["area"]["events"] == 2);
    drag(bench, {400, second - 4}, {700, second + 4});
    CHECK(bench.described()["area"]["events"] == 1);
    drag(bench, {400, first}, {700, first + 1});
    CHECK(bench.view().area_rows.empty());
    CHECK(bench.described()["area"]["events"] == 6);
    drag(bench, {400, second - 4}, {700, second + 4});
    const float ruler = bench.item("plot").min.y - 10;
    drag(bench, {400, ruler}, {700, second});
    CHECK(bench.view().area_rows.empty());
    CHECK(bench.view().area.has_value());
}

TEST_CASE("an area's filter has its time, ranks and streams, and a note names what it cannot express") {
    core::Session session{1};
    const core::RunPtr run = two_ranks_of_streams();
    session.set_run(run);
    const auto rows = [&](std::uint32_t slot, auto wanted) {
        std::vector<core::TrackRows> chosen;
        const core::RankTrace& trace = run->rank(slot).trace();
        for (std::uint32_t track = 0; track < trace.tracks.size(); ++track)
            if (wanted(trace.tracks[track]))
                chosen.push_back(core::name_rows(run->rank(slot), track, 0, trace.tracks[track].lane_count));
        return chosen;
    };
    const auto text = [&](const std::vector<core::TrackRows>& of) {
        const ui::AreaFilter filter = ui::filter_of_area(session, core::Side::Baseline, kArea, of);
        return core::format_filter(filter.filter) + (filter.unsaid.empty() ? "" : " | " + filter.unsaid);
    };
    const std::string time = "time:+500ns..+1.5us";
    CHECK(text({}) == time);
    CHECK(text({{core::RankKey{1, 0}, true, {}, {}, {}, 0, 0}}) == time + " rank:1");
    CHECK(text(rows(0, [](const core::Track& t) { return t.stream == 9; })) == time + " rank:0 stream:9");
    std::vector<core::TrackRows> both = rows(0, [](const core::Track& t) { return t.stream == 9; });
    for (const core::TrackRows& row : rows(1, [](const core::Track& t) { return t.stream == 7; })) both.push_back(row);
    CHECK(text(both) == time + " stream:7-9 | A filter selects the same streams on every rank");
    CHECK(text(rows(1, [](const core::Track& t) { return t.kind == core::TrackKind::Thread; })) ==
          time + " rank:1 | A filter cannot select threads: it selects all events of these ranks");
}

TEST_CASE("an area of rows is drawn over those rows only") {
    Bench bench(two_ranks_of_streams());
    const float second = middle_of_stream(bench, "0", "9");
    const int x = 790;  // right of every bar
    const int y_inside = static_cast<int>(second);
    const int y_outside = static_cast<int>(middle_of_stream(bench, "1", "9"));
    const std::uint32_t before = bench.pixel(x, y_inside);
    drag(bench, {400, second - 4}, {795, second + 4});
    bench.point_at(10, 5);
    CHECK(bench.pixel(x, y_inside) != before);
    CHECK(bench.pixel(x, y_outside) == before);
}

TEST_CASE("a click on an event in the area keeps the area, a click elsewhere clears it") {
    Bench bench(kernels());
    bench.change_view([&](ui::View& view) { view.area = core::RunRange{core::run_time(0), core::run_time(300)}; });
    bench.settle();
    const ui::Item plot = bench.item("plot");
    const auto x_of = [&](std::int64_t ns) {
        return plot.min.x + static_cast<float>(bench.view().time.to_px(core::run_time(ns)));
    };
    const float lane = middle_of_stream(bench, "0", "7");
    bench.point_at(x_of(100), lane);
    bench.click();
    bench.frames(2);
    CHECK(bench.view().selected.valid());
    CHECK(bench.view().area.has_value());
    bench.point_at(x_of(2700), lane);
    bench.click();
    bench.frames(2);
    CHECK(bench.view().selected.valid());
    CHECK_FALSE(bench.view().area.has_value());
}
