#include "core/analysis/whatif/what_if_choice.hpp"
#include "core/query/filter_text.hpp"
#include "tests/core/trace_fixture.hpp"
#include "ui/model/intents/document_store.hpp"
#include "ui/model/panel.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <type_traits>

namespace {

using core::testing::run_of;
using core::testing::TraceFixture;

struct Reduced {
    core::Session session{1};
    ui::DocumentStore store;

    Reduced() {
        session.set_run(run_of({TraceFixture().kernel(0, 10, "gemm").rank(1).build(),
                                TraceFixture().kernel(0, 10, "relu").rank(3).build()}));
    }
    const ui::UiChoices& after(const ui::Intent& intent) {
        store.apply(intent, {.session = session});
        return store.choices();
    }
};

ui::EventListing listing_of(std::string title) {
    ui::EventListing listing;
    listing.title = std::move(title);
    return listing;
}

}  // namespace

// Panels and the timeline cannot write: the store only gives const access.
static_assert(std::is_same_v<decltype(std::declval<ui::DocumentStore&>().document()), const ui::Document&>);
static_assert(std::is_same_v<decltype(std::declval<ui::DocumentStore&>().choices()), const ui::UiChoices&>);
static_assert(std::is_same_v<decltype(ui::Frame::document), const ui::Document&>);

TEST_CASE_FIXTURE(Reduced, "each switch of the window is set by its intent") {
    CHECK(after(ui::FollowVisible{true}).follow_visible);
    CHECK(after(ui::FollowNewest{true}).follow_newest);
    CHECK_FALSE(after(ui::MarkUniqueEvents{false}).mark_unique_events);
    CHECK_FALSE(after(ui::ShowGhosts{false}).ghost_steps);
    CHECK(after(ui::ShowPath{true}).critical_path);
    CHECK(after(ui::ShowSeries{true}).series_lanes);
    core::Params params = core::standard_what_if();
    params.front() = 50;
    CHECK(after(ui::SetWhatIf{params}).what_if == params);
    CHECK(after(ui::SetWhatIf{{1, 2}}).what_if == params);  // of another analysis
    CHECK_FALSE(after(ui::LockViews{false}).locked);
    CHECK(after(ui::PlaceRuns{ui::Placement::SideBySide}).placement == ui::Placement::SideBySide);
    CHECK(after(ui::ColorEvents{ui::ColorBy::Rank}).color_by == ui::ColorBy::Rank);
    CHECK(after(ui::SetTheme{ui::Theme::Light}).theme == ui::Theme::Light);
    CHECK(after(ui::ChooseKernels{{"gemm"}}).chosen_kernels == std::vector<std::string>{"gemm"});
    CHECK_FALSE(after(ui::ToggleDrawer{}).drawer_open);
    CHECK(after(ui::ToggleDrawer{}).drawer_open);
}

TEST_CASE_FIXTURE(Reduced, "sizes stay within what can be used") {
    CHECK(after(ui::ResizeDrawer{0.5f}).drawer_share == 0.5f);
    CHECK(after(ui::ResizeDrawer{-3}).drawer_share == ui::kLeastDrawer);
    CHECK(after(ui::ResizeDrawer{9}).drawer_share == ui::kMostDrawer);
    CHECK(after(ui::ResizeDrawer{std::numeric_limits<float>::quiet_NaN()}).drawer_share == ui::kMostDrawer);
    CHECK(after(ui::ResizeTree{300}).tree_width == 300);
    CHECK(after(ui::ResizeTree{std::numeric_limits<float>::infinity()}).tree_width == 300);
    CHECK(after(ui::ResizeInterface{100}).interface_size == ui::kMostInterface);
    CHECK(after(ui::ResizeInterface{0}).interface_size == 1);
}

TEST_CASE_FIXTURE(Reduced, "the find bar opens, takes text and a switch, and is the first to be dismissed") {
    CHECK(after(ui::OpenFind{}).find_open);
    CHECK(after(ui::SetFindText{"gemm"}).find_text == "gemm");
    CHECK(after(ui::SearchArguments{true}).find_arguments);
    CHECK(ui::wants_find(store.choices()));
    CHECK_FALSE(after(ui::CloseFind{}).find_open);
    CHECK_FALSE(ui::wants_find(store.choices()));
    after(ui::OpenFind{});
    CHECK_FALSE(after(ui::Dismiss{}).find_open);
    CHECK(store.choices().find_text == "gemm");
}

TEST_CASE_FIXTURE(Reduced, "ranks are hidden, pinned and shown again from the selected event") {
    after(ui::SelectEvent{{1, core::EventId{0}}});
    CHECK(after(ui::ChangeRanks{ui::RankChange::PinSelected}).ranks.pinned.size() == 1);
    const auto& hidden = after(ui::ChangeRanks{ui::RankChange::HideOthers}).ranks.hidden;
    REQUIRE(hidden.size() == 1);
    CHECK(*hidden.begin() == session.run()->rank(0).key.packed());
    CHECK(after(ui::SetRanks{}).ranks.hidden.empty());
}

TEST_CASE_FIXTURE(Reduced, "an event that exists shows the details, another one nothing") {
    CHECK(after(ui::SelectEvent{{7, core::EventId{0}}}).right_tab == "overview");
    CHECK(after(ui::SelectEvent{{0, core::EventId{0}}}).right_tab == "details");
}

TEST_CASE_FIXTURE(Reduced, "another baseline forgets what was chosen in the last, not how the window looks") {
    after(ui::SetTheme{ui::Theme::Light});
    after(ui::ChooseKernels{{"gemm"}});
    ui::RankChoices ranks;
    ranks.grouping = "node";
    after(ui::SetRanks{ranks});
    after(ui::ListEvents{listing_of("gemm")});
    CHECK(store.choices().left_tab == "events");
    const ui::UiChoices& now = after(ui::ForgetChoices{});
    CHECK(now.chosen_kernels.empty());
    CHECK(now.ranks == ui::RankChoices{});
    CHECK_FALSE(now.listed);
    CHECK(now.theme == ui::Theme::Light);
}

TEST_CASE_FIXTURE(Reduced, "a list goes with its run when that is closed") {
    const core::RunPtr run = session.run();
    after(ui::ListEvents{listing_of("gemm")});
    CHECK(after(ui::CarryListing{.before = {run, nullptr}, .alignment = {}, .after = {run, nullptr}}).listed);
    CHECK_FALSE(after(ui::CarryListing{.before = {run, nullptr}, .alignment = {}, .after = {}}).listed);
}

TEST_CASE_FIXTURE(Reduced, "reducing leaves the document it was given as it is") {
    const ui::Document before = store.document();
    const ui::Document after_it = ui::reduce(before, ui::SetFindText{"relu"}, {.session = session});
    CHECK(after_it.choices.find_text == "relu");
    CHECK(before.choices.find_text.empty());
}

namespace {

// A session whose steps are in the store, with a run shown whole, as after a window's first frame.
struct Undone {
    ui::DocumentStore store;
    core::Session session{1};
    Undone() {
        session.set_run(run_of({TraceFixture().kernel(0, 10'000, "gemm").rank(1).build()}));
        apply(ui::CarryView{.before = nullptr, .after = session.run()});
        store.end_frame(true, 1);
    }

    void apply(const ui::Intent& intent, core::Side side = core::Side::Baseline) {
        store.record(session);
        store.apply(intent, {.session = session, .side = side});
    }
    const ui::View& view(core::Side side = core::Side::Baseline) const { return store.view(side); }
    void pan(double px, double seconds) {
        ui::TimeView time = view().time;
        time.pan(px);
        apply(ui::MoveView{.time = time, .whole = view().whole});
        store.end_frame(true, seconds);
    }
};

core::Filter rank_one() { return *core::parse_filter("rank:1"); }

}  // namespace

TEST_CASE_FIXTURE(Undone, "a motion of the mouse is one step of undo, after a rest another begins") {
    CHECK_FALSE(store.can_undo());
    CHECK(ui::shows_whole(view()));
    pan(10, 1);
    pan(10, 0.01);
    const ui::View first = view();
    pan(10, 1);
    store.undo(session);
    CHECK(ui::show_same_time(view(), first));
    store.undo(session);
    CHECK(ui::shows_whole(view()));
    CHECK_FALSE(store.can_undo());
    store.redo(session);
    store.redo(session);
    CHECK_FALSE(store.can_redo());
    CHECK_FALSE(ui::show_same_time(view(), first));
}

TEST_CASE_FIXTURE(Undone, "what moves together with another step is undone with it, whichever came first") {
    for (const bool filter_first : {true, false}) {
        if (filter_first) session.set_filter(rank_one());
        apply(ui::ShowRange{{core::run_time(100), core::run_time(200)}});
        if (!filter_first) session.set_filter(rank_one());
        store.record(session);
        store.end_frame(true, 1);
        store.undo(session);
        CHECK(session.filter().empty());
        CHECK(ui::shows_whole(view()));
        CHECK_FALSE(store.can_undo());
        CHECK(store.can_redo());
    }
}

TEST_CASE_FIXTURE(Undone, "a view that input did not move isn't an undo step") {
    apply(ui::ShowRange{{core::run_time(100), core::run_time(200)}});
    store.end_frame(false, 1);
    CHECK_FALSE(store.can_undo());
}

TEST_CASE_FIXTURE(Undone, "undo leaves choices, selection and area as they are") {
    session.set_filter(rank_one());
    store.record(session);
    store.end_frame(true, 1);
    apply(ui::SelectEvent{{0, core::EventId{0}}});
    apply(ui::SelectArea{.area = core::RunRange{core::run_time(1), core::run_time(2)}, .rows = {}});
    apply(ui::ShowPanel{"kernels"});
    store.undo(session);
    CHECK(session.filter().empty());
    CHECK(view().selected == core::EventRef{0, core::EventId{0}});
    CHECK(view().area == core::RunRange{core::run_time(1), core::run_time(2)});
    CHECK(store.choices().left_tab == "kernels");
}

TEST_CASE_FIXTURE(Undone, "views go with their runs, and a closed run comes back with the time it showed") {
    pan(50, 1);
    const ui::View moved = view();
    session.set_run(run_of({TraceFixture().kernel(0, 10, "relu").rank(1).build()}), core::Side::Candidate);
    apply(ui::CarryView{.before = nullptr, .after = session.run(core::Side::Candidate)}, core::Side::Candidate);
    store.end_frame(false, 1);
    session.swap_runs();
    store.record(session);
    CHECK(view(core::Side::Candidate).time == moved.time);
    store.end_frame(false, 1);
    session.close(core::Side::Candidate);
    store.record(session);
    CHECK_FALSE(view(core::Side::Candidate).fitted);
    store.end_frame(false, 1);
    store.undo(session);
    CHECK(ui::show_same_time(view(core::Side::Candidate), moved));
}

TEST_CASE("a window begins with what a session did before it, or with what is open") {
    core::Session session{1};
    session.set_filter(rank_one());
    {
        ui::DocumentStore store;
        store.begin(session);
        CHECK(store.can_undo());
        CHECK(store.document().query.filter == session.filter());
        store.undo(session);
        CHECK(session.filter().empty());
        store.redo(session);
    }
    ui::DocumentStore later;
    later.begin(session);
    CHECK(later.document().query.filter == rank_one());
    CHECK_FALSE(later.can_undo());
}
