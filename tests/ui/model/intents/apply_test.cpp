#include "ui/model/intents/apply.hpp"
#include "core/query/filter_text.hpp"
#include "tests/core/trace_fixture.hpp"
#include "ui/model/intents/document_store.hpp"

#include <doctest/doctest.h>

namespace {

using core::testing::run_of;
using core::testing::TraceFixture;

core::RankTracePtr trace(int rank) {
    return TraceFixture().cpu(1000, 50, "aten::mm").kernel(2000, 10, "gemm").rank(rank).build();
}

struct Fixture {
    core::Session session{1};
    ui::DocumentStore store;
    ui::Ephemera ephemera;
    Fixture() {
        session.set_run(run_of({trace(1), trace(3)}));
        store.record(session);
        carry_over(nullptr, session.run());
    }
    const ui::View& view() const { return store.view(core::Side::Baseline); }
    void carry_over(core::RunPtr before, core::RunPtr after) {
        apply(ui::CarryView{.before = std::move(before), .after = std::move(after)});
    }
    ui::Applied apply(ui::Intent intent) {
        return ui::apply(std::span<const ui::Intent>(&intent, 1), session, store, ephemera);
    }
    core::Filter filter(std::string_view text) { return *core::parse_filter(text); }
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "a filter is set, undone and redone") {
    apply(ui::SetFilter{filter("rank:1")});
    CHECK(core::format_filter(session.filter()) == "rank:1");
    apply(ui::Undo{});
    CHECK(session.filter().empty());
    apply(ui::Redo{});
    CHECK(core::format_filter(session.filter()) == "rank:1");
}

TEST_CASE_FIXTURE(Fixture, "filters of one gesture are one undo step") {
    apply(ui::SetFilter{filter("time:..1us"), 7});
    apply(ui::SetFilter{filter("time:..2us"), 7});
    apply(ui::Undo{});
    CHECK(session.filter().empty());
}

TEST_CASE_FIXTURE(Fixture, "selecting shows the details and, if wished, brings the event into view") {
    const core::EventRef gemm{1, core::testing::find_named(session.run()->rank(1).trace(), "gemm")};
    apply(ui::SelectEvent{gemm});
    CHECK(view().selected == gemm);
    CHECK(store.choices().right_tab == "details");
    apply(ui::ShowRange{{core::run_time(0), core::run_time(100)}});
    CHECK(apply(ui::SelectEvent{gemm, true}).reveal == gemm);
    CHECK(view().time.range().begin <= core::run_time(2000));
    CHECK(view().time.range().end >= core::run_time(2010));
    apply(ui::SelectEvent{});
    CHECK_FALSE(view().selected.valid());
}

TEST_CASE_FIXTURE(Fixture, "an event that does not exist is not selected") {
    apply(ui::SelectEvent{{7, core::EventId{0}}});
    CHECK_FALSE(view().selected.valid());
    apply(ui::SelectEvent{{0, core::EventId{999}}});
    CHECK_FALSE(view().selected.valid());
}

TEST_CASE_FIXTURE(Fixture, "a rank that arrives before the selected one moves the selection along") {
    apply(ui::SelectEvent{{1, core::EventId{0}}});
    core::RunParts parts = session.run()->parts();
    core::RankSlot slot = parts.ranks[0];
    slot.key.number = 0;
    slot.index = std::make_shared<const core::RankIndex>(trace(0), parts.rules);
    parts.ranks.push_back(slot);
    const auto more = std::make_shared<const core::Run>(std::move(parts));
    carry_over(session.run(), more);
    CHECK(view().selected == core::EventRef{2, core::EventId{0}});
    CHECK(more->rank(view().selected.slot).key.number == 3);
}

TEST_CASE_FIXTURE(Fixture, "a view of the whole run stays one until it is moved") {
    const core::RunPtr longer = run_of({TraceFixture().cpu(0, 1'000'000, "long").build()});
    carry_over(session.run(), longer);
    CHECK(view().time.range().end >= core::run_time(1'000'000));
    ui::TimeView moved = view().time;
    moved.pan(10);
    apply(ui::MoveView{.time = moved, .whole = view().whole});
    carry_over(longer, session.run());
    CHECK(view().time == moved);
    apply(ui::ShowRun{});
    CHECK_FALSE(view().time == moved);
}

TEST_CASE_FIXTURE(Fixture, "panels and drawers are shown by id, unknown ones ignored") {
    apply(ui::ShowPanel{"kernels"});
    CHECK(store.choices().left_tab == "kernels");
    apply(ui::ShowPanel{"details"});
    CHECK(store.choices().right_tab == "details");
    apply(ui::ShowPanel{"nothing"});
    CHECK(store.choices().left_tab == "kernels");
    apply(ui::ToggleDrawer{});
    CHECK_FALSE(store.choices().drawer_open);
    apply(ui::ShowPanel{"kernels"});
    CHECK(store.choices().drawer_open);
    CHECK(apply(ui::Quit{}).quit);
}

TEST_CASE_FIXTURE(Fixture, "opening another run forgets what was chosen in the last") {
    apply(ui::SelectEvent{{0, core::EventId{0}}});
    apply(ui::ChooseKernels{{"gemm"}});
    apply(ui::OpenPaths{{"/nowhere/at/all"}});
    CHECK_FALSE(view().selected.valid());
    CHECK(store.choices().chosen_kernels.empty());
    CHECK_FALSE(session.run());
}

TEST_CASE("the whole run is shown from its first to its last work, moments far away are left to the strip") {
    core::Session session{1};
    ui::DocumentStore store;
    ui::Ephemera ephemera;
    session.set_run(core::testing::run_of({core::testing::TraceFixture()
                                               .kernel(1000, 500, "k")
                                               .event(900'000, 0, "Record Window End", "Trace", {"", ""})
                                               .phase(core::Phase::Instant)
                                               .build()}));
    store.record(session);
    const ui::Intent show = ui::ShowRun{};
    ui::apply({&show, 1}, session, store, ephemera);
    CHECK(store.view(core::Side::Baseline).time.range().end < core::run_time(1600));
    CHECK(store.view(core::Side::Baseline).time.range().begin > core::run_time(900));
}
