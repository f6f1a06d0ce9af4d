// What a row's events are asked for with, and which of its keys that leaves unsaid.

#include "ui/view_models/event_listing.hpp"
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

TEST_CASE("keys that no filter can say are told by name and value") {
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
