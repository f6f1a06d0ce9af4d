#include "ui/timeline/model/row_pairs.hpp"

#include "tests/core/trace_fixture.hpp"
#include "ui/timeline/rows/rows.hpp"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

using core::Side;
using core::testing::run_of;
using core::testing::TraceFixture;
using ui::LaneLayout;
using ui::NodeKey;
using ui::RowKind;
using ui::RowPairs;

namespace {

const ui::RowSizes kPairedSizes = ui::RowSizes::comfortable(1);

core::RankTracePtr rank(std::initializer_list<int> streams, std::initializer_list<int> threads, int number = 0) {
    TraceFixture fixture;
    fixture.rank(number);
    for (const int stream : streams) fixture.kernel(stream, 10, "k", stream);
    for (const int thread : threads) fixture.cpu(0, 100, "op", thread);
    return fixture.build();
}

struct Two {
    core::BySide<core::RunPtr> runs;
    RowPairs pairs;
    Two(const std::vector<core::RankTracePtr>& baseline, const std::vector<core::RankTracePtr>& candidate)
        : runs{run_of(baseline), run_of(candidate)}, pairs(runs, core::align_runs(*runs.baseline, *runs.candidate)) {}

    // "stream 7=stream 7", rows without a partner alone, sorted by height; both sides with all rows, laid out by their
    // choices.
    std::vector<std::string> rows(const core::BySide<ui::RowChoices>& choices = {}) const {
        core::BySide<LaneLayout> layouts;
        for (const Side side : core::kSides)
            layouts[side] = LaneLayout(*runs[side], choices[side], ui::Opening::Everything, kPairedSizes);
        const RowPairs::Places places = pairs.place({&layouts.baseline, &layouts.candidate});
        std::map<float, core::BySide<std::string>> by_height;
        for (const Side side : core::kSides) {
            layouts[side].place(places.tops[side], places.height);
            CHECK(layouts[side].height() == places.height);
            float free_from = 0;
            for (const ui::LayoutRow& row : layouts[side].rows()) {
                CHECK(row.y >= free_from);
                free_from = row.y + row.height;
                by_height[row.y][side] = format_row_label(*runs[side], row);
                CHECK(layouts[side].find_row_at(row.y + 1) ==
                      static_cast<std::size_t>(&row - layouts[side].rows().data()));
            }
            CHECK(free_from <= places.height);
        }
        std::vector<std::string> lines;
        for (const auto& [y, labels] : by_height) lines.push_back(labels.baseline + "=" + labels.candidate);
        return lines;
    }
};

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("streams pair by number, what only one side has leaves a gap") {
    const Two two({rank({7, 20, 24}, {})}, {rank({7, 24, 28}, {})});
    CHECK(two.rows() == Lines{"rank 0=rank 0", "stream 7=stream 7", "stream 20=", "stream 24=stream 24", "=stream 28"});
}

TEST_CASE("streams that share no number pair by order") {
    const Two two({rank({7, 20}, {})}, {rank({0, 3, 4}, {})});
    CHECK(two.rows() == Lines{"rank 0=rank 0", "stream 7=stream 0", "stream 20=stream 3", "=stream 4"});
}

TEST_CASE("ranks pair as the runs are aligned, each with its own number") {
    const Two two({rank({7}, {}, 0), rank({7}, {}, 1)}, {rank({7}, {}, 4), rank({7}, {}, 5), rank({7}, {}, 6)});
    CHECK(two.rows() ==
          Lines{"rank 0=rank 4", "stream 7=stream 7", "rank 1=rank 5", "stream 7=stream 7", "=rank 6", "=stream 7"});
}

TEST_CASE("runs that grow keep the pairs of ranks they have, and end as if they were paired at once") {
    core::BySide<std::vector<core::RankTracePtr>> traces;
    for (int number = 0; number < 12; ++number) {
        traces.baseline.push_back(rank({7, 20, number + 30}, {100, 101}, number));
        traces.candidate.push_back(rank({20, 7}, {200, 201 + number}, number));
    }
    const auto runs_of = [&](std::size_t ranks) {
        core::BySide<core::RunPtr> runs;
        for (const Side side : core::kSides)
            runs[side] = run_of({traces[side].begin(), traces[side].begin() + static_cast<std::ptrdiff_t>(ranks)});
        return runs;
    };
    RowPairs pairs;
    std::size_t paired = 0;
    for (std::size_t ranks = 1; ranks <= 12; ++ranks) {
        const core::BySide<core::RunPtr> runs = runs_of(ranks);
        paired += pairs.update(runs, core::align_runs(*runs.baseline, *runs.candidate));
    }
    CHECK(paired == 12);
    const core::BySide<core::RunPtr> runs = runs_of(12);
    const RowPairs at_once(runs, core::align_runs(*runs.baseline, *runs.candidate));
    for (int number = 0; number < 12; ++number) {
        for (std::uint32_t item = 0; item < 6; ++item) {
            const NodeKey key{core::RankKey{number, 0}.packed(), &ui::lane_kind(), item};
            for (const Side side : core::kSides) CHECK(pairs.partner(side, key) == at_once.partner(side, key));
        }
    }
    // Another run of the same ranks is paired again.
    traces.candidate[3] = rank({7}, {}, 3);
    const core::BySide<core::RunPtr> others = runs_of(12);
    CHECK(pairs.update(others, core::align_runs(*others.baseline, *others.candidate)) == 1);
    CHECK_FALSE(pairs.partner(Side::Baseline, {core::RankKey{3, 0}.packed(), &ui::lane_kind(), 1}));
}

TEST_CASE("lines of what is known over time pair by name, whatever there is on each side") {
    const Two two({rank({7, 20}, {})}, {rank({7}, {})});
    core::BySide<LaneLayout> layouts;
    for (const Side side : core::kSides) {
        auto series = std::make_shared<ui::RankSeries>();
        series->rank = two.runs[side]->rank(0).index;
        const auto add = [&](const char* name) {
            ui::SeriesLine::Content line;
            line.name = name;
            series->lines.emplace_back(std::move(line));
        };
        if (side == Side::Baseline) add("Queue length, stream 7");
        add("Memory bandwidth, HtoD");
        if (side == Side::Candidate) add("Memory bandwidth, DtoD");
        layouts[side] = LaneLayout(*two.runs[side], {}, ui::Opening::Everything, kPairedSizes,
                                   {{series->rank.get(), std::move(series)}});
    }
    const RowPairs::Places places = two.pairs.place({&layouts.baseline, &layouts.candidate});
    const auto top_of = [&](Side side, std::string_view label) {
        for (std::size_t i = 0; i < layouts[side].rows().size(); ++i)
            if (format_row_label(*two.runs[side], layouts[side].rows()[i]) == label) return places.tops[side][i];
        return -1.0f;
    };
    const float copies = top_of(Side::Baseline, "Memory bandwidth, HtoD");
    CHECK(copies > top_of(Side::Baseline, "Queue length, stream 7"));
    CHECK(top_of(Side::Candidate, "Memory bandwidth, HtoD") == copies);
    CHECK(top_of(Side::Candidate, "Memory bandwidth, DtoD") > copies);
}

TEST_CASE("threads pair by name and order whatever their numbers") {
    const Two two({rank({}, {100, 101})}, {rank({}, {903, 904})});
    CHECK(two.rows() == Lines{"rank 0=rank 0", "CPU \xC2\xB7 2 threads=CPU \xC2\xB7 2 threads", "thread 100=thread 903",
                              "thread 101=thread 904"});
}

TEST_CASE("partners are found from either side; what only one side has has none") {
    const Two two({rank({7, 20}, {}, 3)}, {rank({7}, {}, 3), rank({7}, {}, 9)});
    const auto key = [&](Side side, std::uint32_t slot, const RowKind* kind, std::uint32_t item) {
        return NodeKey{two.runs[side]->rank(slot).key.packed(), kind, item};
    };
    CHECK(two.pairs.partner(Side::Baseline, key(Side::Baseline, 0, &ui::rank_kind(), 0)) ==
          key(Side::Candidate, 0, &ui::rank_kind(), 0));
    CHECK(two.pairs.partner(Side::Candidate, key(Side::Candidate, 0, &ui::lane_kind(), 0)) ==
          key(Side::Baseline, 0, &ui::lane_kind(), 0));
    CHECK_FALSE(two.pairs.partner(Side::Baseline, key(Side::Baseline, 0, &ui::lane_kind(), 1)));
    CHECK_FALSE(two.pairs.partner(Side::Candidate, key(Side::Candidate, 1, &ui::rank_kind(), 0)));
}

TEST_CASE("the candidate opens what the baseline has open, and keeps its choices where it stands alone") {
    const Two two({rank({7}, {}, 1), rank({7}, {}, 2)}, {rank({7}, {}, 0), rank({7}, {}, 1), rank({7}, {}, 2)});
    const auto rank_key = [](int number) { return NodeKey{core::RankKey{number, 0}.packed(), &ui::rank_kind(), 0}; };
    // The first rank opens by itself, which would be another one in the candidate.
    const ui::RowChoices choices =
        two.pairs.mirror_baseline({}, ui::Opening::FirstStreams, {{rank_key(0), false}, {rank_key(2), true}});
    CHECK(choices.at(rank_key(0)) == false);
    CHECK(choices.at(rank_key(1)) == true);
    CHECK(choices.at(rank_key(2)) == false);
}

TEST_CASE("any two sets of rows: no row overlaps another, order is kept, partners in the same order meet") {
    std::mt19937 random(3);
    for (int round = 0; round < 50; ++round) {
        core::BySide<std::vector<core::RankTracePtr>> ranks;
        for (const Side side : core::kSides) {
            for (int number = 0; number < 4; ++number) {
                if (number > 0 && random() % 4 == 0) continue;  // one that both have: they pair by number
                TraceFixture fixture;
                fixture.rank(number);
                for (int stream = 1; stream < 9; ++stream)
                    if (random() % 2 == 0) fixture.kernel(0, 5, "k", stream);
                fixture.cpu(0, 5, "op", 50 + static_cast<int>(random() % 3));
                ranks[side].push_back(fixture.build());
            }
        }
        const Two two(ranks.baseline, ranks.candidate);
        core::BySide<ui::RowChoices> choices;
        for (const Side side : core::kSides)
            for (int number = 0; number < 4; ++number)
                if (random() % 3 == 0) choices[side][{core::RankKey{number, 0}.packed(), &ui::rank_kind(), 0}] = false;
        for (const std::string& line : two.rows(choices)) {
            const std::string first = line.substr(0, line.find('='));
            const std::string second = line.substr(line.find('=') + 1);
            if (first.starts_with("rank") && !second.empty()) CHECK(first == second);
        }
    }
}

TEST_CASE("rows of an area are those of the partner on the other side, whatever number a thread has there") {
    const Two two({rank({7}, {100, 200})}, {rank({7}, {301, 302})});
    const auto rows_of = [&](Side side, std::string_view thread) {
        const core::RankSlot& slot = two.runs[side]->rank(0);
        for (std::uint32_t i = 0; i < slot.trace().tracks.size(); ++i)
            if (slot.trace().text(slot.trace().tracks[i].tid) == thread) return core::name_rows(slot, i, 0, 1);
        FAIL("no such thread");
        return core::TrackRows{};
    };
    const auto [baseline, candidate] = core::kSides;
    CHECK(two.pairs.partner(baseline, rows_of(baseline, "100")) == rows_of(candidate, "301"));
    CHECK(two.pairs.partner(candidate, rows_of(candidate, "302")) == rows_of(baseline, "200"));
    CHECK(two.pairs.partner(baseline, rows_of(baseline, "7")) == rows_of(candidate, "7"));
    const core::TrackRows whole{core::RankKey{0, 0}, true, {}, {}, {}, 0, 0};
    CHECK(two.pairs.partner(baseline, whole) == whole);
    CHECK_FALSE(two.pairs.partner(baseline, core::TrackRows{core::RankKey{5, 0}, true, {}, {}, {}, 0, 0}));
}
