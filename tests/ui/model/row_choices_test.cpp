#include "ui/model/row_choices.hpp"

#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using core::testing::run_of;
using core::testing::TraceFixture;
using ui::kEveryRank;
using ui::RowName;

namespace {

core::RankTracePtr rank_with_streams(int rank) {
    return TraceFixture()
        .rank(rank)
        .kernel(0, 10, "gemm", 7)
        .kernel(20, 10, "copy", 20)
        .cpu(0, 5, "aten::mm", 100 + rank)
        .build();
}

std::uint32_t find_track_of_stream(const core::RankTrace& trace, std::int64_t stream) {
    for (std::uint32_t i = 0; i < trace.tracks.size(); ++i)
        if (trace.tracks[i].stream == stream) return i;
    return 0;
}

}  // namespace

TEST_CASE("tracks have names of their own that no process or thread number is part of") {
    const std::vector<std::string> first = ui::name_tracks(*rank_with_streams(1));
    CHECK(first == ui::name_tracks(*rank_with_streams(2)));
    CHECK(std::ranges::find(first, "stream 7") != first.end());
    CHECK(std::ranges::find(first, "stream 20") != first.end());
    const std::vector<std::string> twice =
        ui::name_tracks(*TraceFixture().cpu(0, 5, "a", 100).cpu(0, 5, "b", 101).build());
    REQUIRE(twice.size() == 2);
    CHECK(twice[0] != twice[1]);
}

TEST_CASE("a row is chosen of one rank or of every rank, by what choices call the rank") {
    const core::RunPtr run = run_of({rank_with_streams(1), rank_with_streams(3)});
    const std::uint32_t track = find_track_of_stream(run->rank(0).trace(), 7);
    const std::int64_t three = run->rank(1).key.packed();
    const ui::TrackChoice one = ui::choose_tracks(*run, std::vector<RowName>{{three, "stream 7"}}, {});
    CHECK(one.count == 1);
    CHECK_FALSE(one.has(0, track));
    CHECK(one.has(1, track));
    const ui::TrackChoice every = ui::choose_tracks(*run, std::vector<RowName>{{kEveryRank, "stream 7"}}, {});
    CHECK(every.count == 2);
    CHECK(every.has(0, track));
    // The candidate's ranks go by the names of their partners.
    const ui::TrackChoice renamed =
        ui::choose_tracks(*run, std::vector<RowName>{{three, "stream 7"}}, std::vector<std::int64_t>{three, 77});
    CHECK(renamed.has(0, track));
    CHECK_FALSE(renamed.has(1, track));
    CHECK(ui::choose_tracks(*run, std::vector<RowName>{{three, "stream 9"}}, {}).count == 0);
}

TEST_CASE("a row of every rank takes the place of rows of single ranks, and goes as a whole") {
    std::vector<RowName> rows;
    ui::add_row(rows, {3, "stream 7"});
    ui::add_row(rows, {1, "stream 7"});
    ui::add_row(rows, {1, "stream 7"});
    CHECK(rows == std::vector<RowName>{{1, "stream 7"}, {3, "stream 7"}});
    ui::add_row(rows, {kEveryRank, "stream 7"});
    ui::add_row(rows, {3, "stream 7"});
    CHECK(rows == std::vector<RowName>{{kEveryRank, "stream 7"}});
    CHECK(ui::has_track(rows, 5, "stream 7"));
    ui::remove_row(rows, 5, "stream 7");
    CHECK(rows.empty());
}
