// The places on the timeline that rows are about.

#include "ui/model/row_place.hpp"

#include "tests/core/trace_fixture.hpp"
#include "ui/model/intent_value.hpp"

#include <doctest/doctest.h>

namespace {

using core::Facet;
using core::Role;
using core::Unit;

core::Table gaps_table() {
    return core::Table({{"rank", Unit::Rank, Role::Key, Facet::Rank, {}},
                        {"gap", Unit::Count, Role::Key, Facet::None, {}},
                        {"stream", Unit::Stream, Role::Info, Facet::Stream, {}},
                        {"begin", Unit::Ns, Role::Info, Facet::None, {}},
                        {"length", Unit::Ns, Role::Measure, Facet::None, {}},
                        {"event", Unit::Event, Role::Info, Facet::None, {}}});
}

}  // namespace

TEST_CASE("a row with a begin and a length is a place, on the streams of its rank or the one that it names") {
    const core::RunPtr run = core::testing::run_of({core::testing::TraceFixture()
                                                        .cpu(5, 1, "op")
                                                        .kernel(10, 5, "a", 7)
                                                        .kernel(40, 5, "b", 7)
                                                        .kernel(40, 5, "c", 8)
                                                        .build()});
    const core::EventId next = run->rank(0).trace().gpu_events[1];
    core::Table table = gaps_table();
    const std::int64_t rank = run->rank(0).key.packed();
    table.add_row({rank, std::int64_t{1}, {}, std::int64_t{10}, std::int64_t{25}, static_cast<std::int64_t>(next)});
    table.add_row({rank, std::int64_t{2}, std::int64_t{8}, std::int64_t{10}, std::int64_t{25}, {}});
    table.add_row({rank, std::int64_t{3}, {}, std::int64_t{10}, std::int64_t{0}, {}});
    const std::optional<ui::RowPlace> all = ui::place_of(*run, table, 0);
    REQUIRE(all);
    CHECK(all->range.begin == run->origin() + core::Duration{10});
    CHECK(all->range.length().count() == 25);
    CHECK(all->event.event == next);
    CHECK(all->rows.size() == 2);
    const std::optional<ui::RowPlace> one = ui::place_of(*run, table, 1);
    REQUIRE(one);
    CHECK_FALSE(one->event.valid());
    REQUIRE(one->rows.size() == 1);
    CHECK(one->rows.front().thread == "8");
    CHECK_FALSE(ui::place_of(*run, table, 2));
    CHECK(ui::is_one_place(table));
}

TEST_CASE("showing a place selects its event, marks it and leaves room around it; marking it leaves the time shown") {
    ui::RowPlace place;
    place.range = {core::run_time(10'000), core::run_time(20'000)};
    place.event = {0, core::EventId{3}};
    std::vector<ui::Intent> intents;
    ui::show_place(place, intents);
    REQUIRE(intents.size() == 3);
    REQUIRE(intents[0].find<ui::SelectEvent>());
    CHECK(intents[0].find<ui::SelectEvent>()->show);
    REQUIRE(intents[1].find<ui::SelectArea>());
    CHECK(intents[1].find<ui::SelectArea>()->area == place.range);
    REQUIRE(intents[2].find<ui::ShowRange>());
    CHECK(intents[2].find<ui::ShowRange>()->range == core::RunRange{core::run_time(5'000), core::run_time(25'000)});
    intents.clear();
    ui::mark_place(place, intents);
    REQUIRE(intents.size() == 2);
    REQUIRE(intents[0].find<ui::SelectEvent>());
    CHECK_FALSE(intents[0].find<ui::SelectEvent>()->show);
}
