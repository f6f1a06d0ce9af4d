// Filter of a row's event list, and the keys that it cannot express.

#include "ui/model/event_listing.hpp"
#include "core/query/filter_edit.hpp"
#include "core/query/filter_text.hpp"
#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

namespace {

using core::Facet;
using core::Role;
using core::Unit;
using core::testing::run_of;
using core::testing::TraceFixture;

core::Table keyed_table(const char* key, Facet facet, const char* value) {
    core::Table table({{"rank", Unit::Rank, Role::Key, Facet::Rank},
                       {key, Unit::Text, Role::Key, facet},
                       {"kernel", Unit::Text, Role::Key, Facet::Kernel},
                       {"time", Unit::Ns}});
    table.add_row({core::RankKey{3, 0}.packed(), std::string_view(value), "gemm", std::int64_t{1}});
    table.add_row({core::RankKey{3, 0}.packed(), std::string_view(value), core::Cell{}, std::int64_t{1}});
    return table;
}

}  // namespace

TEST_CASE("keys that no filter can express are stated by name and value") {
    CHECK(ui::find_unsaid_keys(keyed_table("class", Facet::Class, "compute"), 0).empty());
    CHECK(ui::find_unsaid_keys(keyed_table("cause", Facet::None, "host_wait"), 0) == "cause host_wait");
    CHECK(ui::find_unsaid_keys(keyed_table("annotation", Facet::Annotation, "forward"), 0) == "annotation forward");
    CHECK(ui::find_unsaid_keys(keyed_table("operator", Facet::Operator, "aten::mm"), 0) == "operator aten::mm");
    CHECK(ui::find_unsaid_keys(keyed_table("operator", Facet::Operator, "aten::mm"), 1).empty());
    CHECK(ui::find_unsaid_keys(keyed_table("operator", Facet::Operator, "(unattributed)"), 1) ==
          "operator (unattributed)");
}

TEST_CASE("a row's name is a kernel's if it has one, else an operator's") {
    const core::Table table = keyed_table("operator", Facet::Operator, "aten::mm");
    CHECK_FALSE(ui::is_named_on_threads(table, 0));
    CHECK(ui::is_named_on_threads(table, 1));
    CHECK_FALSE(ui::is_named_on_threads(keyed_table("class", Facet::Class, "compute"), 1));
}

TEST_CASE("a listing narrows whatever the filter is") {
    core::Session session(1);
    session.set_run(run_of({TraceFixture().kernel(0, 5, "gemm").build()}));
    session.set_filter(*core::parse_filter("rank:0-7 dur:>1us"));
    ui::EventListing listing;
    listing.narrowing = *core::parse_filter("rank:3 class:compute");
    CHECK(core::format_filter(ui::filter_of(listing, session)) == "rank:3 dur:>1us class:compute");
    session.set_filter({});
    CHECK(core::format_filter(ui::filter_of(listing, session)) == "rank:3 class:compute");
}

TEST_CASE("a list goes with its run, in the numbers of what is the baseline by then") {
    const auto run_with = [](std::initializer_list<int> ranks) {
        std::vector<core::RankTracePtr> traces;
        for (const int rank : ranks)
            traces.push_back(TraceFixture().step(100, 900, 0).kernel(200, 5, "gemm").rank(rank).build());
        return run_of(traces);
    };
    const core::BySide<core::RunPtr> runs{run_with({0, 1}), run_with({4, 5})};  // ranks pair by order
    const core::RunAlignment alignment = core::align_runs(*runs.baseline, *runs.candidate);
    const core::BySide<core::RunPtr> swapped{runs.candidate, runs.baseline};
    ui::EventListing listing;
    listing.side = core::Side::Candidate;
    listing.narrowing = *core::parse_filter("rank:1 time:0ns..50ns");
    const auto after = ui::carry_over_listing(listing, runs, &alignment, swapped);
    REQUIRE(after);
    CHECK(after->side == core::Side::Baseline);
    CHECK(after->narrowing == *core::parse_filter("rank:5 time:0ns..50ns"));
    const core::RunAlignment back = core::align_runs(*runs.candidate, *runs.baseline);
    const auto again = ui::carry_over_listing(*after, swapped, &back, runs);
    REQUIRE(again);
    CHECK(again->side == core::Side::Candidate);
    CHECK(again->narrowing == listing.narrowing);

    const auto alone = ui::carry_over_listing(listing, runs, &alignment, {runs.candidate, nullptr});
    REQUIRE(alone);
    const core::Duration zero = alignment.anchor.candidate - runs.candidate->origin();
    CHECK(alone->narrowing == core::moved_in_time(*core::parse_filter("rank:5 time:0ns..50ns"), zero));
    CHECK_FALSE(ui::carry_over_listing(listing, runs, &alignment, {runs.baseline, nullptr}));
    CHECK_FALSE(ui::carry_over_listing(listing, runs, nullptr, swapped));  // its numbering is unknown
}
