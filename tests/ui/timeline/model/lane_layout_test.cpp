#include "ui/timeline/model/lane_layout.hpp"

#include "tests/core/trace_fixture.hpp"
#include "ui/timeline/rows/rows.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using core::testing::run_of;
using core::testing::TraceFixture;

namespace {

const ui::RowSizes kSizes{};

core::RankTracePtr small_rank(int number) {
    return TraceFixture()
        .rank(number)
        .cpu(0, 100, "aten::mm")
        .cpu(10, 50, "aten::mm_inner")
        .launch(20, 5, 1)
        .kernel(40, 30, "gemm", 7, 1)
        .kernel(50, 30, "copy", 20)
        .cpu(0, 10, "other", 200)
        .build();
}

core::RunPtr run_with_ranks(int count) {
    std::vector<core::RankTracePtr> traces;
    for (int i = 0; i < count; ++i) traces.push_back(small_rank(i));
    return run_of(traces);
}

std::vector<std::string> labels(const core::Run& run, const ui::LaneLayout& layout) {
    std::vector<std::string> texts;
    for (const ui::LayoutRow& row : layout.rows()) texts.push_back(ui::format_row_label(run, row));
    return texts;
}

std::size_t count_kind(const ui::LaneLayout& layout, const ui::RowKind& kind) {
    return static_cast<std::size_t>(std::count_if(layout.rows().begin(), layout.rows().end(),
                                                  [&](const ui::LayoutRow& row) { return row.kind == &kind; }));
}

}  // namespace

TEST_CASE("a closed rank is one row") {
    const core::RunPtr run = run_with_ranks(3);
    const ui::LaneLayout layout(*run, {}, ui::Opening::Closed, kSizes);
    CHECK(labels(*run, layout) == std::vector<std::string>{"rank 0", "rank 1", "rank 2"});
    CHECK(layout.height() == 3 * kSizes.rank);
}

TEST_CASE("an open rank shows GPU streams first; closed groups take no row and are counted in the rank's") {
    const core::RunPtr run = run_with_ranks(1);
    const ui::LaneLayout layout(*run, {}, ui::Opening::Streams, kSizes);
    REQUIRE(layout.rows().size() == 3);
    CHECK(layout.rows()[0].kind == &ui::rank_kind());
    REQUIRE(layout.rows()[0].closed.size() == 1);
    CHECK(layout.rows()[0].closed[0].kind == &ui::cpu_kind());
    CHECK(layout.rows()[0].closed[0].members == 2);
    CHECK(layout.rows()[1].kind == &ui::lane_kind());
    CHECK(layout.rows()[2].kind == &ui::lane_kind());
    const core::RankTrace& trace = run->rank(0).trace();
    CHECK(trace.tracks[layout.rows()[1].track].stream == 7);
    CHECK(trace.tracks[layout.rows()[2].track].stream == 20);
}

TEST_CASE("everything open shows CPU threads below the streams, nested calls in rows of their own") {
    const core::RunPtr run = run_with_ranks(1);
    const ui::LaneLayout layout(*run, {}, ui::Opening::Everything, kSizes);
    const auto cpu = std::find_if(layout.rows().begin(), layout.rows().end(),
                                  [](const ui::LayoutRow& row) { return row.kind == &ui::cpu_kind(); });
    REQUIRE(cpu != layout.rows().end());
    CHECK(cpu->count == 2);
    CHECK(ui::format_row_label(*run, *cpu) == "CPU \xC2\xB7 2 threads");
    std::size_t lanes_below = 0;
    for (auto row = cpu + 1; row != layout.rows().end(); ++row) {
        CHECK(row->kind == &ui::lane_kind());
        CHECK(run->rank(0).trace().tracks[row->track].kind == core::TrackKind::Thread);
        ++lanes_below;
    }
    CHECK(lanes_below == 4);  // aten::mm, aten::mm_inner, the launch in it, and the other thread
}

TEST_CASE("rows follow one another without a gap inside a rank") {
    const core::RunPtr run = run_with_ranks(4);
    const ui::LaneLayout layout(*run, {}, ui::Opening::Everything, kSizes);
    float y = 0;
    for (const ui::LayoutRow& row : layout.rows()) {
        if (row.kind == &ui::rank_kind() && row.slot > 0) y += kSizes.rank_gap;
        CHECK(row.y == y);
        CHECK(row.height > 0);
        y += row.height;
    }
    CHECK(layout.height() == y + kSizes.rank_gap);
}

TEST_CASE("what the user opened or closed wins over the opening") {
    const core::RunPtr run = run_with_ranks(3);
    const ui::RowChoices choices{{{run->rank(0).key.packed(), &ui::rank_kind(), 0}, false},
                                 {{run->rank(2).key.packed(), &ui::cpu_kind(), 0}, true}};
    const ui::LaneLayout layout(*run, choices, ui::Opening::Streams, kSizes);
    CHECK(layout.rows()[0].open == false);
    CHECK(layout.rows()[1].slot == 1);
    CHECK(count_kind(layout, ui::cpu_kind()) == 1);
}

TEST_CASE("deep call stacks show their first rows until they are opened, and say how many are hidden") {
    TraceFixture fixture;
    for (int depth = 0; depth < 40; ++depth) fixture.cpu(depth, 1000 - 2 * depth, "frame" + std::to_string(depth));
    const core::RunPtr run = run_of({fixture.build()});
    const ui::LaneLayout closed(*run, {}, ui::Opening::Everything, kSizes);
    const auto first = std::find_if(closed.rows().begin(), closed.rows().end(),
                                    [](const ui::LayoutRow& row) { return row.kind == &ui::lane_kind(); });
    REQUIRE(first != closed.rows().end());
    const std::size_t shown = count_kind(closed, ui::lane_kind());
    CHECK(shown < 40);
    CHECK(first->opens);
    CHECK(first->count == 40 - shown);
    const ui::LaneLayout open(*run, {{ui::key_of(*run, *first), true}}, ui::Opening::Everything, kSizes);
    CHECK(count_kind(open, ui::lane_kind()) == 40);
}

TEST_CASE("visible rows are exactly those that overlap the window") {
    const core::RunPtr run = run_with_ranks(5);
    const ui::LaneLayout layout(*run, {}, ui::Opening::Everything, kSizes);
    for (float top = -50; top < layout.height() + 50; top += 7) {
        const float bottom = top + 100;
        const auto [first, last] = layout.find_visible(top, bottom);
        for (std::size_t i = 0; i < layout.rows().size(); ++i) {
            const ui::LayoutRow& row = layout.rows()[i];
            const bool overlaps = row.y < bottom && row.y + row.height > top;
            CHECK((i >= first && i < last) == overlaps);
        }
    }
}

TEST_CASE("a row is found by its position, nothing between ranks") {
    const core::RunPtr run = run_with_ranks(2);
    const ui::LaneLayout layout(*run, {}, ui::Opening::Streams, kSizes);
    for (std::size_t i = 0; i < layout.rows().size(); ++i) CHECK(layout.find_row_at(layout.rows()[i].y + 1) == i);
    const ui::LayoutRow& second_rank = *std::find_if(layout.rows().begin(), layout.rows().end(),
                                                     [](const ui::LayoutRow& row) { return row.slot == 1; });
    CHECK_FALSE(layout.find_row_at(second_rank.y - 1).has_value());
    CHECK_FALSE(layout.find_row_at(-5).has_value());
    CHECK_FALSE(layout.find_row_at(layout.height() + 5).has_value());
}

TEST_CASE("every lane is found in its row, and once its ancestors are open, in a row of its own") {
    const core::RunPtr run = run_with_ranks(3);
    const ui::LaneLayout closed(*run, {}, ui::Opening::Closed, kSizes);
    for (std::uint32_t slot = 0; slot < 3; ++slot) {
        for (std::uint32_t lane = 0; lane < run->rank(slot).trace().lanes.size(); ++lane) {
            const ui::LayoutRow& hidden = closed.rows()[closed.find_lane_row(*run, slot, lane).value()];
            CHECK(hidden.kind == &ui::rank_kind());
            CHECK(hidden.slot == slot);
            ui::RowChoices choices;
            for (const ui::NodeKey& key : ui::collect_ancestors(*run, slot, lane)) choices[key] = true;
            const ui::LaneLayout open(*run, choices, ui::Opening::Closed, kSizes);
            const ui::LayoutRow& shown = open.rows()[open.find_lane_row(*run, slot, lane).value()];
            CHECK(shown.kind == &ui::lane_kind());
            CHECK(shown.item == lane);
            CHECK(shown.slot == slot);
        }
    }
}

TEST_CASE("few ranks open fully, eight to their streams, hundreds stay closed but the first") {
    CHECK(ui::choose_arrangement(*run_with_ranks(1), 1, 500).opening == ui::Opening::Unfolded);
    CHECK(ui::choose_arrangement(*run_with_ranks(1), 1, 20).opening == ui::Opening::Everything);
    CHECK(ui::choose_arrangement(*run_with_ranks(8), 1, 560).opening == ui::Opening::Streams);
    CHECK(ui::choose_arrangement(*run_with_ranks(8), 1, 560).compact == false);
    CHECK(ui::choose_arrangement(*run_with_ranks(8), 1, 400).compact == true);
    CHECK(ui::choose_arrangement(*run_with_ranks(8), 1, 100).opening == ui::Opening::FirstStreams);
    CHECK(ui::choose_arrangement(*run_with_ranks(64), 1, 5000).opening == ui::Opening::FirstStreams);
}

TEST_CASE("rows of bars grow to half as high again where everything fits") {
    const core::RunPtr run = run_with_ranks(2);
    const float all = ui::LaneLayout(*run, {}, ui::Opening::Unfolded, ui::RowSizes::comfortable(1)).height();
    CHECK(ui::choose_arrangement(*run, 1, all).grow == 1);
    const ui::Arrangement some = ui::choose_arrangement(*run, 1, all * 1.2f);
    CHECK(some.grow > 1.1f);
    CHECK(some.grow < 1.3f);
    CHECK(ui::LaneLayout(*run, {}, some.opening, some.sizes(1)).height() <= all * 1.2f);
    CHECK(ui::choose_arrangement(*run, 1, 10 * all).grow == 1.5f);
    CHECK(ui::choose_arrangement(*run, 1, 10 * all).sizes(1).stream == 27);
}

TEST_CASE("frames that every Python stack shares are one row, until the user opens the thread") {
    TraceFixture fixture;
    for (int depth = 0; depth < 5; ++depth)
        fixture.event(depth, 1000 - 2 * depth, "start" + std::to_string(depth), "python_function", {});
    for (int i = 0; i < 4; ++i) fixture.event(20 + 100 * i, 50, "step", "python_function", {});
    const core::RunPtr run = run_of({fixture.build()});
    const ui::LaneLayout folded(*run, {}, ui::Opening::Everything, kSizes);
    REQUIRE(count_kind(folded, ui::lane_kind()) == 2);
    const auto first = std::ranges::find(folded.rows(), &ui::lane_kind(), &ui::LayoutRow::kind);
    CHECK(first->skipped == 4);
    CHECK(first->opens);
    CHECK_FALSE(ui::format_row_label(*run, *first).empty());
    const core::RankTrace& trace = run->rank(0).trace();
    CHECK(folded.rows()[*folded.find_lane_row(*run, 0, first->item)].kind->lane_of(*first) == first->item);
    CHECK(ui::lane_kind().find_holder(trace, trace.tracks[first->track].first_lane) == first->track);
    const ui::LaneLayout open(*run, {{ui::key_of(*run, *first), true}}, ui::Opening::Everything, kSizes);
    CHECK(count_kind(open, ui::lane_kind()) == 6);
}

TEST_CASE("of a thousand ranks only the rows in sight are handed out") {
    const core::RankTracePtr one = small_rank(0);
    core::RunParts parts;
    parts.names = std::make_shared<core::InternedNames>();
    const auto index = std::make_shared<const core::RankIndex>(one, parts.rules);
    for (int i = 0; i < 1000; ++i) {
        core::RankSlot slot;
        slot.key.number = i;
        slot.index = index;
        parts.ranks.push_back(slot);
    }
    const core::Run run(std::move(parts));
    const ui::LaneLayout layout(run, {}, ui::Opening::Everything, kSizes);
    CHECK(layout.rows().size() > 7000);
    const auto [first, last] = layout.find_visible(layout.height() / 2, layout.height() / 2 + 500);
    CHECK(last - first < 500 / 16 + 3);
}

TEST_CASE("ranks without GPU events open to their threads, so that something is seen") {
    std::vector<core::RankTracePtr> traces;
    for (int i = 0; i < 8; ++i)
        traces.push_back(TraceFixture().rank(i).cpu(0, 100, "forward").cpu(10, 50, "mm").build());
    const core::RunPtr run = run_of(traces);
    for (const float height : {4000.0f, 500.0f, 200.0f}) {
        CAPTURE(height);
        const ui::Arrangement arrangement = ui::choose_arrangement(*run, 1, height);
        const ui::LaneLayout layout(*run, {}, arrangement.opening, arrangement.sizes(1));
        CHECK(count_kind(layout, ui::lane_kind()) == 16);
    }
    const ui::Arrangement low = ui::choose_arrangement(*run, 1, 60);
    CHECK(low.opening == ui::Opening::FirstThreads);
    const ui::LaneLayout layout(*run, {}, low.opening, low.sizes(1));
    CHECK(count_kind(layout, ui::lane_kind()) == 2);
}

TEST_CASE("a few ranks unfold where everything fits") {
    const core::RunPtr run = run_with_ranks(4);
    const float all = ui::LaneLayout(*run, {}, ui::Opening::Unfolded, ui::RowSizes::comfortable(1)).height();
    CHECK(ui::choose_arrangement(*run, 1, all).opening == ui::Opening::Unfolded);
    CHECK(ui::choose_arrangement(*run, 1, all - 1).opening == ui::Opening::Streams);
}

TEST_CASE("a thread of instants at one moment is one row, and an open one stays bounded") {
    TraceFixture fixture;
    fixture.kernel(0, 10, "gemm").cpu(0, 100, "work");
    for (int i = 0; i < 500; ++i) fixture.cpu(1'000, 0, "block", 300).phase(core::Phase::Instant);
    const core::RunPtr run = run_of({fixture.build()});
    const core::RankTrace& trace = run->rank(0).trace();
    const auto pile =
        std::ranges::find_if(trace.tracks, [](const core::Track& track) { return track.lane_count > 400; });
    REQUIRE(pile != trace.tracks.end());
    const auto index = static_cast<std::uint32_t>(pile - trace.tracks.begin());
    const auto count_rows = [&](const ui::LaneLayout& layout) {
        return std::ranges::count_if(layout.rows(), [&](const ui::LayoutRow& row) {
            return row.kind == &ui::lane_kind() && row.track == index;
        });
    };
    const ui::LaneLayout folded(*run, {}, ui::Opening::Everything, kSizes);
    CHECK(count_rows(folded) == 1);
    const auto first = std::ranges::find_if(
        folded.rows(), [&](const ui::LayoutRow& row) { return row.kind == &ui::lane_kind() && row.track == index; });
    CHECK(first->opens);
    CHECK(first->count == pile->lane_count - 1);
    const ui::LaneLayout open(*run, {{ui::key_of(*run, *first), true}}, ui::Opening::Everything, kSizes);
    CHECK(count_rows(open) == 32);
}
