// Filter text after a click on a row.

#include "ui/model/row_facets.hpp"
#include "core/query/filter_text.hpp"
#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

namespace {

using core::Facet;
using core::Role;
using core::Unit;
using core::testing::run_of;
using core::testing::TraceFixture;

core::Filter parsed_filter(std::string_view text) { return *core::parse_filter(text); }

core::Table table_of(const char* kernel, const char* kernel_class) {
    core::Table table({{"rank", Unit::Rank, Role::Key, Facet::Rank, {}},
                       {"class", Unit::Text, Role::Key, Facet::Class, {}},
                       {"kernel", Unit::Text, Role::Key, Facet::Kernel, {}},
                       {"stream", Unit::Stream, Role::Key, Facet::Stream, {}},
                       {"time", Unit::Ns, Role::Measure, Facet::None, {}}});
    const auto cell = [](const char* text) { return text ? core::Cell{std::string_view(text)} : core::Cell{}; };
    table.add_row({core::RankKey{3, 0}.packed(), cell(kernel_class), cell(kernel), std::int64_t{7}, std::int64_t{1}});
    return table;
}

std::string after_click(const core::Filter& before, const core::Table& table) {
    return core::format_filter(ui::with_facets(before, ui::facets_of(table, 0), ui::Click::Replace));
}

core::RunAlignment by_order() {
    core::RunAlignment alignment;
    alignment.ranks_by_number = false;
    alignment.steps_by_number = false;
    alignment.ranks = {{{0, 0}, {4, 0}}, {{1, 0}, {5, 0}}};
    alignment.steps = {{{10, {}}, {100, {}}}};
    alignment.lone_ranks.candidate = {{6, 0}};
    alignment.lone_steps.candidate = {101};
    return alignment;
}

}  // namespace

TEST_CASE("a click on a row filters by all its keys, again takes them all away") {
    const core::Table table = table_of("gemm", "compute");
    CHECK(after_click({}, table) == "rank:3 stream:7 name:gemm");
    CHECK(after_click(parsed_filter("rank:3 stream:7 name:gemm dur:>1ms"), table) == "dur:>1ms");
    CHECK(after_click(parsed_filter("rank:3 dur:>1ms"), table) == "rank:3 dur:>1ms stream:7 name:gemm");
    CHECK(after_click({}, table_of(nullptr, "communication")) == "rank:3 stream:7 class:communication");
    CHECK(after_click({}, table_of(nullptr, "compute+memory")) == "rank:3 stream:7 class:compute,memory");
}

TEST_CASE("a text that isn't a name is not filtered by") {
    CHECK(after_click({}, table_of("(unattributed)", "idle")) == "rank:3 stream:7");
    CHECK(ui::facets_of(table_of("(anonymous namespace)::f(int)", nullptr), 0).name == "(anonymous namespace)::f(int)");
}

TEST_CASE("with Ctrl a row of one key joins those that are chosen") {
    ui::RowFacets rank;
    rank.rank = core::RankKey{3, 0};
    CHECK(core::format_filter(ui::with_facets(parsed_filter("rank:1"), rank, ui::Click::Add)) == "rank:1,3");
    ui::RowFacets stream;
    stream.stream = 20;
    CHECK(core::format_filter(ui::with_facets(parsed_filter("stream:7"), stream, ui::Click::Add)) == "stream:7,20");
}

TEST_CASE("ranks and steps of the candidate are named by their partners, or refused") {
    const core::RunAlignment alignment = by_order();
    ui::RowFacets facets;
    facets.rank = core::RankKey{5, 0};
    facets.step = 100;
    const auto named = ui::named_by_baseline(facets, &alignment, core::Side::Candidate);
    REQUIRE(named);
    CHECK(named->rank == core::RankKey{1, 0});
    CHECK(named->step == 10);
    CHECK(ui::named_by_baseline(facets, &alignment, core::Side::Baseline)->rank == core::RankKey{5, 0});
    facets.rank = core::RankKey{6, 0};
    CHECK(ui::named_by_baseline(facets, &alignment, core::Side::Candidate)->rank == core::RankKey{6, 0});
    facets.rank = core::RankKey{7, 0};
    const auto lone = ui::named_by_baseline(facets, &alignment, core::Side::Candidate);
    REQUIRE_FALSE(lone);
    CHECK(lone.error().message.starts_with("rank 7 of the candidate has no counterpart"));
    facets.rank = core::RankKey{4, 0};
    facets.step = 101;
    CHECK_FALSE(ui::named_by_baseline(facets, &alignment, core::Side::Candidate));
}

TEST_CASE("a row with a rank and an event is about that event, if the run has it") {
    const core::RunPtr run = run_of({TraceFixture().rank(2).cpu(0, 10, "a").cpu(20, 10, "b").build()});
    const auto row = [&](core::RankKey rank, std::int64_t event) {
        core::Table table({{"rank", Unit::Rank, Role::Key, Facet::Rank, {}}, {"event", Unit::Event, Role::Key}});
        table.add_row({rank.packed(), event});
        return ui::event_of(*run, table, 0);
    };
    CHECK(row({2, 0}, 1) == core::EventRef{0, core::EventId{1}});
    CHECK_FALSE(row({2, 0}, 2).valid());
    CHECK_FALSE(row({2, 0}, -1).valid());
    CHECK_FALSE(row({3, 0}, 1).valid());
}

TEST_CASE("the range of a step is that of one rank, or of all") {
    const core::RunPtr run = run_of({TraceFixture().rank(0).step(100, 50, 7).cpu(110, 5, "a").build(),
                                     TraceFixture().rank(1).step(120, 60, 7).cpu(130, 5, "a").build()});
    const auto length = [&](std::optional<core::RankKey> rank) {
        return ui::range_of_step(*run, 7, rank).length().count();
    };
    CHECK(length(core::RankKey{0, 0}) == 50);
    CHECK(length(std::nullopt) == 80);
    CHECK(ui::range_of_step(*run, 8, std::nullopt).empty());
}
