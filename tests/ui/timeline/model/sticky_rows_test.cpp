#include "ui/timeline/model/sticky_rows.hpp"

#include "tests/core/trace_fixture.hpp"
#include "ui/timeline/model/area_rows.hpp"
#include "ui/timeline/rows/rows.hpp"

#include <doctest/doctest.h>

using core::testing::run_of;
using core::testing::TraceFixture;

namespace {

// Ranks with one stream each, open, in an order with headings: 22 + 18 + 6 a rank, 18 a heading.
struct Grouped {
    core::RunPtr run;
    ui::LaneLayout layout;
    explicit Grouped(const ui::RankOrder& order) {
        std::vector<core::RankTracePtr> traces;
        for (int i = 0; i < 4; ++i) traces.push_back(TraceFixture().rank(i).kernel(0, 10, "gemm").build());
        run = run_of(traces);
        layout = ui::LaneLayout(*run, {}, ui::Opening::Streams, ui::RowSizes{}, {},
                                std::make_shared<const ui::RankOrder>(order));
    }
    // "label@top" of each heading.
    std::vector<std::string> sticky(float scroll_y) const {
        std::vector<std::string> lines;
        for (const ui::StickyRow& row : collect_sticky(layout, scroll_y))
            lines.push_back(format_row_label(*run, layout.rows()[row.row]) + "@" +
                            std::to_string(static_cast<int>(row.top)));
        return lines;
    }
};

using StickyLines = std::vector<std::string>;

const ui::RankOrder kTwoGroups{0, {{"a", {2, 0}, false}, {"b", {1}, false}}, {3}};
const ui::RankOrder kFolded{0, {{"a", {2, 0}, false, true}, {"b", {1}, false, false}}, {3}};
const ui::RankOrder kPinned{0, {{"", {3}, true}, {"", {0, 1, 2}, false}}, {}};

}  // namespace

TEST_CASE("rows follow the order, with headings; hidden ranks have none") {
    const Grouped grouped(kTwoGroups);
    StickyLines labels;
    for (const ui::LayoutRow& row : grouped.layout.rows())
        if (row.kind != &ui::lane_kind()) labels.push_back(format_row_label(*grouped.run, row));
    CHECK(labels == StickyLines{"a", "rank 2", "rank 0", "b", "rank 1"});
    CHECK(grouped.layout.find_lane_row(*grouped.run, 3, 0) == std::nullopt);
    CHECK(grouped.layout.find_rank_rows(3).first == grouped.layout.find_rank_rows(3).second);
    const auto row = grouped.layout.find_lane_row(*grouped.run, 0, 0);
    REQUIRE(row);
    CHECK(grouped.layout.rows()[*row].slot == 0);
    CHECK(grouped.layout.rows()[*row].kind == &ui::lane_kind());
}

TEST_CASE("pinned ranks have their rows in the band, and none among those that scroll") {
    const Grouped grouped(kPinned);
    REQUIRE(grouped.layout.rows().size() == 6);
    CHECK(grouped.layout.rows()[0].slot == 0);
    CHECK(grouped.layout.find_lane_row(*grouped.run, 3, 0) == std::nullopt);
    const auto order = std::make_shared<const ui::RankOrder>(kPinned);
    const ui::LaneLayout band =
        ui::LaneLayout::of_pinned(*grouped.run, {}, ui::Opening::Streams, ui::RowSizes{}, {}, order, {}, {});
    REQUIRE(band.rows().size() == 2);
    CHECK(band.rows()[0].slot == 3);
    CHECK(band.rows()[0].kind == &ui::rank_kind());
    CHECK(band.find_lane_row(*grouped.run, 3, 0) == 1);
    CHECK(band.find_lane_row(*grouped.run, 0, 0) == std::nullopt);
}

TEST_CASE("nothing sticks while everything is in view") {
    CHECK(Grouped(kTwoGroups).sticky(0).empty());
    CHECK(Grouped(kPinned).sticky(0).empty());
}

TEST_CASE("headings of a group and of an open rank stay at the top while their rows are below it") {
    const Grouped grouped(kTwoGroups);
    // a 0–18, rank 2 18–40, stream 40–58, gap, rank 0 64–86, stream 86–104, gap, b 110–128, rank 1 128–150, stream –168
    CHECK(grouped.sticky(10) == StickyLines{"a@0", "rank 2@18"});
    CHECK(grouped.sticky(20) == StickyLines{"a@0", "rank 2@16"});
    CHECK(grouped.sticky(66) == StickyLines{"a@0", "rank 0@16"});
    CHECK(grouped.sticky(112) == StickyLines{"b@0", "rank 1@18"});
}

TEST_CASE("a heading is pushed out by the next") {
    const Grouped grouped(kTwoGroups);
    CHECK(grouped.sticky(100).front() == "a@-8");
    CHECK(sticky_height(grouped.layout, collect_sticky(grouped.layout, 100)) == 10);
    const Grouped pinned(kPinned);  // rank 0 0–22, stream 22–40, gap, rank 1 46–68
    CHECK(pinned.sticky(10) == StickyLines{"rank 0@0"});
    CHECK(pinned.sticky(25) == StickyLines{"rank 0@-7"});
}

TEST_CASE("many ranks get rows so low that their names can just be read") {
    std::vector<core::RankTracePtr> traces;
    for (int i = 0; i < 64; ++i) traces.push_back(TraceFixture().rank(i).kernel(0, 10, "gemm").build());
    const core::RunPtr run = run_of(traces);
    const auto height = [&](float room) { return ui::choose_arrangement(*run, 1, room).sizes(1).rank; };
    CHECK(height(2000) == 22);
    CHECK(height(64 * 15 + 24) == 15);
    CHECK(height(300) == 12);
    const ui::Arrangement arrangement = ui::choose_arrangement(*run, 1, 64 * 15 + 24);
    const ui::LaneLayout layout(*run, {}, arrangement.opening, arrangement.sizes(1));
    CHECK(layout.height() <= 64 * 15 + 24);
    CHECK(arrangement.sizes(2).rank == 30);
    CHECK(ui::choose_arrangement(*run, 2, 2 * (64 * 15 + 24)).sizes(1).rank == 15);
}

TEST_CASE("a rank scrolled to the top is below the heading of its group") {
    const Grouped grouped(kTwoGroups);
    for (const std::uint32_t slot : {0u, 1u, 2u}) {
        const float room = room_for_heading(grouped.layout, slot);
        CHECK(room == 18);
        const float top = grouped.layout.rows()[grouped.layout.find_rank_rows(slot).first].y;
        CHECK(sticky_height(grouped.layout, collect_sticky(grouped.layout, top - room)) <= room);
    }
    CHECK(room_for_heading(grouped.layout, 3) == 0);  // hidden
    CHECK(room_for_heading(Grouped(kPinned).layout, 0) == 0);
}

TEST_CASE("the heading of a group is in no area") {
    const Grouped grouped(kTwoGroups);
    const ui::LayoutRow& heading = grouped.layout.rows()[0];
    REQUIRE(heading.kind == &ui::group_kind());
    const core::TrackRows whole_rank{grouped.run->rank(heading.slot).key, true, {}, {}, {}, 0, 0};
    CHECK_FALSE(is_in_area(*grouped.run, heading, {whole_rank}));
    CHECK(is_in_area(*grouped.run, grouped.layout.rows()[1], {whole_rank}));
}

TEST_CASE("a folded group is one row in place of its ranks, and contains their events") {
    const Grouped grouped(kFolded);
    StickyLines labels;
    for (const ui::LayoutRow& row : grouped.layout.rows())
        if (row.kind != &ui::lane_kind()) labels.push_back(format_row_label(*grouped.run, row));
    CHECK(labels == StickyLines{"a", "b", "rank 1"});
    const ui::LayoutRow& folded = grouped.layout.rows()[0];
    CHECK(is_folded(folded));
    CHECK(folded.height == 22);  // as a rank's
    CHECK(*folded.slots == std::vector<std::uint32_t>{2, 0});
    CHECK_FALSE(is_folded(grouped.layout.rows()[1]));
    for (const std::uint32_t slot : {0u, 2u}) {
        CHECK(grouped.layout.find_lane_row(*grouped.run, slot, 0) == 0);
        CHECK(grouped.layout.find_folded(slot) == 0);
        CHECK(grouped.layout.find_rank_rows(slot).first == grouped.layout.find_rank_rows(slot).second);
        CHECK(room_for_heading(grouped.layout, slot) == 0);
    }
    CHECK_FALSE(grouped.layout.find_folded(1));
    CHECK_FALSE(grouped.layout.find_folded(3));  // hidden
}

TEST_CASE("the row of a folded group never stays at the top") {
    const Grouped grouped(kFolded);
    CHECK(grouped.sticky(5).empty());
    CHECK(grouped.sticky(30).front() == "b@0");
}

TEST_CASE("an area over a folded group is of all of its ranks") {
    const Grouped grouped(kFolded);
    const std::vector<core::TrackRows> rows = collect_area_rows(*grouped.run, grouped.layout, 2, 10);
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].rank == grouped.run->rank(2).key);
    CHECK(rows[1].rank == grouped.run->rank(0).key);
    CHECK(rows[0].whole_rank);
    CHECK(is_in_area(*grouped.run, grouped.layout.rows()[0], rows));
    CHECK_FALSE(is_in_area(*grouped.run, grouped.layout.rows()[1], rows));
}

TEST_CASE("rows that are looked up among those of an area are the ones that are in it") {
    for (const ui::RankOrder& order : {kTwoGroups, kFolded}) {
        const Grouped grouped(order);
        ui::AreaLook look;
        for (float top = 0; top < grouped.layout.height(); top += 7) {
            const auto rows = collect_area_rows(*grouped.run, grouped.layout, top, top + 31);
            look.update(grouped.run, rows);
            for (const ui::LayoutRow& row : grouped.layout.rows())
                CHECK(look.has(row) == is_in_area(*grouped.run, row, rows));
        }
    }
}
