#include "ui/model/rank_order.hpp"

#include "tests/core/captures.hpp"

#include <doctest/doctest.h>

using core::testing::run_of;
using core::testing::TraceFixture;
using ui::RankChoices;
using ui::RankOrder;
using ui::RankSort;
using ui::RankSorting;

namespace {

constexpr std::int64_t kRank = 1024;  // RankKey::packed() of rank 1

// Two nodes of two ranks; tensor groups are neighbours.
core::RunPtr four_grouped_ranks() {
    std::vector<core::RankTracePtr> traces;
    for (int i = 0; i < 4; ++i) {
        TraceFixture fixture;
        fixture.rank(i).kernel(0, 10 + i, "gemm");
        const int first = i / 2 * 2;
        fixture.info().host = i % 2 == 0 ? "alpha" : "beta";
        fixture.info().groups = {{"0", "default_pg", "nccl", 4, {0, 1, 2, 3}},
                                 {"1", "TENSOR_MODEL_PARALLEL_GROUP", "nccl", 2, {first, first + 1}},
                                 {"2", "mesh_dp", "nccl", 2, {i % 2, i % 2 + 2}}};
        traces.push_back(fixture.build());
    }
    return run_of(traces);
}

core::RunPtr ranks_numbered(const std::vector<int>& numbers) {
    std::vector<core::RankTracePtr> traces;
    for (const int number : numbers) traces.push_back(TraceFixture().rank(number).kernel(0, 10, "gemm").build());
    return run_of(traces);
}

// "pinned: 3 | tensor: 0 1": titles with the slots below.
std::vector<std::string> lines_of(const RankOrder& order) {
    std::vector<std::string> lines;
    for (const RankOrder::Section& section : order.sections) {
        std::string line = (section.pinned ? "pinned" : section.title) + ":";
        for (const std::uint32_t slot : section.slots) line += " " + std::to_string(slot);
        lines.push_back(line);
    }
    return lines;
}

using Lines = std::vector<std::string>;

RankChoices by(RankSort sort, const char* kernel = "", const char* measure = "") {
    RankChoices choices = ui::sorted_by({}, sort);
    choices.kernel = kernel;
    choices.measure = measure;
    return choices;
}

RankSorting by_idle(const ui::RankMeasures& measures, bool descending) {
    RankSorting sorting;
    sorting.choices.sort = RankSort::Idle;
    sorting.choices.descending = descending;
    sorting.measures = std::make_shared<const ui::RankMeasures>(measures);
    return sorting;
}

}  // namespace

TEST_CASE("ranks come by number unless something else is chosen") {
    const core::RunPtr run = ranks_numbered({7, 3, 5});
    CHECK(lines_of(ui::order_ranks(*run, {})) == Lines{": 0 1 2"});
    RankSorting down;
    down.choices.descending = true;
    CHECK(lines_of(ui::order_ranks(*run, down)) == Lines{": 2 1 0"});
}

TEST_CASE("ranks are sorted by a measure; equal ones by number, those without it last either way") {
    const core::RunPtr run = ranks_numbered({0, 1, 2, 3});
    const ui::RankMeasures idle{{0, 0.2}, {kRank, 0.5}, {3 * kRank, 0.2}};
    CHECK(lines_of(ui::order_ranks(*run, by_idle(idle, true))) == Lines{": 1 0 3 2"});
    CHECK(lines_of(ui::order_ranks(*run, by_idle(idle, false))) == Lines{": 0 3 1 2"});
}

TEST_CASE("pinned ranks come first, sorted among themselves; hidden ones are left out") {
    const core::RunPtr run = ranks_numbered({0, 1, 2, 3});
    RankSorting sorting = by_idle({{0, 1}, {kRank, 2}, {2 * kRank, 3}, {3 * kRank, 4}}, true);
    sorting.choices.pinned = {0, 2 * kRank};
    sorting.choices.hidden = {3 * kRank};
    const RankOrder order = ui::order_ranks(*run, sorting);
    CHECK(lines_of(order) == Lines{"pinned: 2 0", ": 1"});
    CHECK(order.hidden == std::vector<std::uint32_t>{3});
}

TEST_CASE("choices name ranks, so they stay right while ranks arrive") {
    RankSorting sorting;
    sorting.choices.pinned = {5 * kRank};
    sorting.choices.hidden = {3 * kRank};
    CHECK(lines_of(ui::order_ranks(*ranks_numbered({5}), sorting)) == Lines{"pinned: 0"});
    CHECK(lines_of(ui::order_ranks(*ranks_numbered({1, 3, 5}), sorting)) == Lines{"pinned: 2", ": 0"});
}

TEST_CASE("ranks are grouped by node and by the process groups that part them") {
    const core::RunPtr run = four_grouped_ranks();
    std::vector<std::string> ways;
    for (const ui::RankGrouping& way : ui::collect_groupings(*run)) ways.push_back(way.id + "=" + way.title);
    CHECK(ways == Lines{"node=node", "TENSOR_MODEL_PARALLEL_GROUP=tensor model parallel", "mesh_dp=data"});
    RankSorting sorting;
    sorting.choices.grouping = "node";
    CHECK(lines_of(ui::order_ranks(*run, sorting)) == Lines{"node alpha: 0 2", "node beta: 1 3"});
    sorting.choices.grouping = "TENSOR_MODEL_PARALLEL_GROUP";
    CHECK(lines_of(ui::order_ranks(*run, sorting)) == Lines{"tensor model parallel \xC2\xB7 ranks 0\xE2\x80\x93"
                                                            "1: 0 1",
                                                            "tensor model parallel \xC2\xB7 ranks 2\xE2\x80\x93"
                                                            "3: 2 3"});
    sorting.choices.grouping = "mesh_dp";
    CHECK(lines_of(ui::order_ranks(*run, sorting)) ==
          Lines{"data \xC2\xB7 ranks 0, 2: 0 2", "data \xC2\xB7 ranks 1, 3: 1 3"});
    sorting.choices.grouping = "of another run";
    CHECK(lines_of(ui::order_ranks(*run, sorting)) == Lines{": 0 1 2 3"});
}

TEST_CASE("groups stay in the order of their first ranks whatever sorts within them") {
    const core::RunPtr run = four_grouped_ranks();
    RankSorting sorting = by_idle({{0, 1}, {kRank, 2}, {2 * kRank, 3}, {3 * kRank, 4}}, true);
    sorting.choices.grouping = "node";
    CHECK(lines_of(ui::order_ranks(*run, sorting)) == Lines{"node alpha: 2 0", "node beta: 3 1"});
}

TEST_CASE("measures are read from the answers of analyses") {
    using core::Column;
    using core::Facet;
    using core::Role;
    using core::Unit;
    core::Table steps({{"rank", Unit::Rank, Role::Key, Facet::Rank, ""},
                       {"step", Unit::Count, Role::Key, Facet::None, ""},
                       {"duration", Unit::Ns, Role::Measure, Facet::None, ""}});
    for (const std::int64_t duration : {10, 30, 20}) steps.add_row({kRank, std::int64_t{1}, duration});
    CHECK(ui::measure_ranks(steps, by(RankSort::StepTime)) == ui::RankMeasures{{kRank, 20}});
    core::Table breakdown({{"rank", Unit::Rank, Role::Key, Facet::Rank, ""},
                           {"window", Unit::Ns, Role::Measure, Facet::None, ""},
                           {"exposed_communication", Unit::Ns, Role::Measure, Facet::None, ""},
                           {"idle", Unit::Ns, Role::Measure, Facet::None, ""}});
    breakdown.add_row({kRank, std::int64_t{200}, std::int64_t{20}, std::int64_t{50}});
    CHECK(ui::measure_ranks(breakdown, by(RankSort::Idle)) == ui::RankMeasures{{kRank, 0.25}});
    CHECK(ui::measure_ranks(breakdown, by(RankSort::Exposed)) == ui::RankMeasures{{kRank, 0.1}});
    core::Table kernels({{"rank", Unit::Rank, Role::Key, Facet::Rank, ""},
                         {"kernel", Unit::Text, Role::Key, Facet::Kernel, ""},
                         {"mean", Unit::Ns, Role::Measure, Facet::None, ""}});
    kernels.add_row({std::int64_t{0}, std::string_view("gemm"), std::int64_t{7}});
    kernels.add_row({kRank, std::string_view("relu"), std::int64_t{9}});
    CHECK(ui::measure_ranks(kernels, by(RankSort::Kernel, "gemm")) == ui::RankMeasures{{0, 7}});
    CHECK(ui::measure_ranks(steps, by(RankSort::Idle)).empty());
}

TEST_CASE("the selected event's rank is pinned, hidden or left alone, and its kernel sorts") {
    using ui::RankChange;
    const core::RunPtr run = four_grouped_ranks();
    const core::EventRef selected{2, core::testing::find_named(run->rank(2).trace(), "gemm")};
    const auto change = [&](RankChange what, core::EventRef event = {}) {
        return ui::change_ranks({}, what, *run, event, {});
    };
    CHECK(change(RankChange::PinSelected, selected).pinned == std::set<std::int64_t>{2 * kRank});
    CHECK(change(RankChange::HideSelected, selected).hidden == std::set<std::int64_t>{2 * kRank});
    CHECK(change(RankChange::HideOthers, selected).hidden == std::set<std::int64_t>{0, kRank, 3 * kRank});
    CHECK(change(RankChange::SortBySelected, selected).kernel == "gemm");
    CHECK(change(RankChange::SortBySelected, selected).descending);
    CHECK(change(RankChange::PinSelected) == RankChoices{});
    CHECK(change(RankChange::SortBySelected) == RankChoices{});
    CHECK(ui::change_ranks({}, RankChange::SortBySelected, *run, {}, {"relu"}).kernel == "relu");
    RankChoices grouped = change(RankChange::NextGrouping);
    CHECK(grouped.grouping == "node");
    for (int i = 0; i < 3; ++i) grouped = ui::change_ranks(grouped, RankChange::NextGrouping, *run, {}, {});
    CHECK(grouped.grouping.empty());
}

TEST_CASE("the candidate's ranks follow their partners; a rank of its own comes at the end") {
    const core::RunPtr baseline = ranks_numbered({0, 1, 2});
    const core::RunPtr candidate = ranks_numbered({0, 1, 2, 3});
    const core::RunAlignment alignment = core::align_runs(*baseline, *candidate);
    const RankOrder first = ui::order_ranks(*baseline, by_idle({{0, 1}, {kRank, 3}, {2 * kRank, 2}}, true));
    RankSorting own;
    own.names = ui::names_of_ranks(*candidate, core::Side::Candidate, alignment);
    const RankOrder order = ui::order_like(first, {baseline.get(), candidate.get()}, alignment, own);
    CHECK(lines_of(order) == Lines{": 1 2 0 3"});
    CHECK(order.run == candidate->id());
    own.choices.hidden = {kRank};
    CHECK(lines_of(ui::order_like(first, {baseline.get(), candidate.get()}, alignment, own)) == Lines{": 2 0 3"});
}

TEST_CASE("choices call a rank of the candidate as its partner") {
    const core::RunPtr baseline = ranks_numbered({4, 5});
    const core::RunPtr candidate = ranks_numbered({0, 1});  // pair by order
    const core::RunAlignment alignment = core::align_runs(*baseline, *candidate);
    REQUIRE_FALSE(alignment.ranks_by_number);
    CHECK(ui::names_of_ranks(*candidate, core::Side::Candidate, alignment) ==
          std::vector<std::int64_t>{4 * kRank, 5 * kRank});
    CHECK(ui::names_of_ranks(*baseline, core::Side::Baseline, alignment) ==
          std::vector<std::int64_t>{4 * kRank, 5 * kRank});
}

TEST_CASE("groups are folded one by one or all at once, those of ranks that come later, too") {
    const core::RunPtr run = four_grouped_ranks();
    RankSorting sorting;
    sorting.choices.grouping = "node";
    const auto folded = [&] {
        Lines titles;
        for (const RankOrder::Section& section : ui::order_ranks(*run, sorting).sections)
            if (section.folded) titles.push_back(section.title);
        return titles;
    };
    CHECK(folded().empty());
    ui::fold_group(sorting.choices, "node beta", true);
    CHECK(folded() == Lines{"node beta"});
    sorting.choices = ui::fold_all_groups(sorting.choices, true);
    CHECK(folded() == Lines{"node alpha", "node beta"});
    ui::fold_group(sorting.choices, "node alpha", false);
    ui::fold_group(sorting.choices, "node alpha", false);
    CHECK(folded() == Lines{"node beta"});
    sorting.choices.pinned = {run->rank(1).key.packed()};
    sorting.choices.hidden = {run->rank(3).key.packed()};
    CHECK(folded().empty());  // nothing is left of it, and pinned ranks are in no group
    sorting.choices = ui::fold_all_groups(sorting.choices, true);
    CHECK(folded() == Lines{"node alpha"});
    sorting.choices.grouping.clear();
    CHECK(folded().empty());
}

TEST_CASE("a rank of a folded group can be shown all the same, in both runs of a comparison") {
    const core::RunPtr run = four_grouped_ranks();
    RankSorting sorting;
    sorting.choices.grouping = "node";
    sorting.choices.fold_groups = true;
    sorting.choices.singled = {run->rank(2).key.packed()};
    const RankOrder order = ui::order_ranks(*run, sorting);
    std::vector<std::uint32_t> shown;
    for (const RankOrder::Section& section : order.sections)
        shown.insert(shown.end(), section.shown.begin(), section.shown.end());
    CHECK(shown == std::vector<std::uint32_t>{2});
    const core::RunAlignment alignment = core::align_runs(*run, *run);
    CHECK(ui::order_like(order, {run.get(), run.get()}, alignment, sorting).sections == order.sections);
    sorting.choices.fold_groups = false;
    for (const RankOrder::Section& section : ui::order_ranks(*run, sorting).sections) CHECK(section.shown.empty());
}

TEST_CASE("groups of the candidate are folded as those of the baseline that its ranks follow") {
    const core::RunPtr run = four_grouped_ranks();
    const core::RunAlignment alignment = core::align_runs(*run, *run);
    RankSorting sorting;
    sorting.choices.grouping = "node";
    sorting.choices.fold_groups = true;
    const RankOrder first = ui::order_ranks(*run, sorting);
    CHECK(ui::order_like(first, {run.get(), run.get()}, alignment, sorting).sections == first.sections);
}

TEST_CASE("hiding all others hides the lone ranks of the other run, too") {
    core::Session session{1};
    session.set_run(ranks_numbered({0, 1, 2}));
    session.set_run(ranks_numbered({0, 1, 2, 3}), core::Side::Candidate);
    session.update();
    const std::vector<std::int64_t> all = ui::collect_rank_names(session);
    const ui::RankChoices choices = ui::hide_others({}, all, kRank);
    RankSorting sorting;
    sorting.choices = choices;
    for (const core::Side side : core::kSides) {
        sorting.names = ui::names_of_ranks(session, side);
        CHECK(lines_of(ui::order_ranks(*session.run(side), sorting)) == Lines{": 1"});
    }
}

TEST_CASE("any number that an analysis has for each rank can sort them") {
    using core::Column;
    using core::Facet;
    using core::Role;
    using core::Unit;
    core::Table table({{"rank", Unit::Rank, Role::Key, Facet::Rank, ""},
                       {"name", Unit::Text, Role::Key, Facet::None, ""},
                       Column{"total", Unit::Ns, Role::Measure, Facet::None, "", true},
                       {"mean", Unit::Ns, Role::Measure, Facet::None, ""}});
    table.add_row({std::int64_t{0}, std::string_view("a"), std::int64_t{10}, std::int64_t{4}});
    table.add_row({std::int64_t{0}, std::string_view("b"), std::int64_t{20}, std::int64_t{6}});
    table.add_row({kRank, std::string_view("a"), std::int64_t{7}, core::Cell{}});
    CHECK(ui::measure_ranks(table, by(RankSort::Measure, "", "x/total")) == ui::RankMeasures{{0, 30}, {kRank, 7}});
    CHECK(ui::measure_ranks(table, by(RankSort::Measure, "", "x/mean")) == ui::RankMeasures{{0, 5}});
    CHECK(ui::measure_ranks(table, by(RankSort::Measure, "", "x/other")).empty());
    CHECK(ui::measure_ranks(table, by(RankSort::Measure, "", "")).empty());
    CHECK(ui::analysis_of(by(RankSort::Measure, "", "steps/duration")) == "steps");
    CHECK(ui::analysis_of(by(RankSort::Measure, "", "nothing/duration")).empty());
    CHECK(ui::name_of_sort(by(RankSort::Measure, "", "steps/duration")) == "steps: duration");
    const std::vector<ui::OtherMeasure> measures = ui::other_measures();
    for (const char* id : {"stragglers/own_wait", "steps/duration", "temporal-breakdown/idle"})
        CHECK(std::ranges::find(measures, id, &ui::OtherMeasure::id) != measures.end());
    for (const ui::OtherMeasure& one : measures)
        CHECK_FALSE(ui::analysis_of(by(RankSort::Measure, "", one.id.c_str())).empty());
}

namespace {

core::RunPtr many_ranks(int count) {
    std::vector<core::RankTracePtr> traces;
    for (int rank = 0; rank < count; ++rank) traces.push_back(TraceFixture().rank(rank).kernel(0, 10, "gemm").build());
    return run_of(traces);
}

}  // namespace

TEST_CASE("many ranks are folded into about a hundred groups; a few stay as they are") {
    CHECK(ui::group_at_first(*four_grouped_ranks()) == RankChoices{});
    const core::RunPtr run = many_ranks(600);
    const RankChoices choices = ui::group_at_first(*run);
    CHECK(choices.grouping == "block");
    CHECK(choices.fold_groups);
    RankSorting sorting;
    sorting.choices = choices;
    const RankOrder order = ui::order_ranks(*run, sorting);
    CHECK(order.sections.size() == 75);
    CHECK(order.sections[1].title ==
          "ranks 8\xE2\x80\x93"
          "15");
    CHECK(order.sections[1].folded);
    CHECK(order.sections[1].slots == std::vector<std::uint32_t>{8, 9, 10, 11, 12, 13, 14, 15});
}

TEST_CASE("windows of a rank, one after another, are one row with gaps; captures that overlap are not") {
    const auto captures = [](std::int64_t second, const std::vector<int>& ranks) {
        std::vector<core::RankTracePtr> traces;
        for (const int rank : ranks) {
            traces.push_back(TraceFixture().rank(rank).kernel(0, 10, "gemm").build());
            if (rank == 7) continue;  // has one window
            traces.push_back(TraceFixture().rank(rank).kernel(second, 10, "gemm").build());
        }
        return core::testing::run_of_captures(traces);
    };
    const core::RunPtr run = captures(1000, {0, 1, 7});
    RankSorting sorting;
    sorting.choices = ui::group_at_first(*run);
    CHECK(sorting.choices.grouping == "rank");
    CHECK(sorting.choices.fold_groups);
    const RankOrder order = ui::order_ranks(*run, sorting);
    CHECK(lines_of(order) == Lines{"rank 0: 0 1", "rank 1: 2 3", ": 4"});
    CHECK(order.sections[1].folded);
    // One side of two compared captures has no windows to merge.
    sorting.only = {{0, 1}, {1, 1}};
    CHECK(lines_of(ui::order_ranks(*run, sorting)) == Lines{": 1 3"});
    CHECK_FALSE(ui::group_at_first(*captures(1000, {0})).fold_groups);  // its streams stay in view
    CHECK(ui::group_at_first(*captures(1000, {0})).grouping == "rank");
    CHECK(ui::group_at_first(*captures(5, {0, 1})) == RankChoices{});
    CHECK(ui::collect_groupings(*captures(5, {0, 1})).front().id == "rank");
    const auto steps = [](int first, int second) {
        return ui::group_at_first(*core::testing::run_of_captures(
            {TraceFixture().rank(0).step(0, 20, first).kernel(0, 10, "gemm").build(),
             TraceFixture().rank(0).step(900, 20, second).kernel(900, 10, "gemm").build()}));
    };
    CHECK(steps(4, 5).grouping == "rank");
    CHECK(steps(4, 4) == RankChoices{});  // two runs in one folder
}

TEST_CASE("of folded groups the ranks that others wait for most are on top, and in their groups as well") {
    const core::RunPtr run = many_ranks(320);
    RankSorting sorting;
    sorting.choices = ui::group_at_first(*run);
    ui::RankMeasures caused;
    for (int rank = 0; rank < 320; ++rank) caused[rank * kRank] = rank % 40 == 7 ? 1000 - rank : 0;
    sorting.worst = std::make_shared<const ui::RankMeasures>(caused);
    const RankOrder order = ui::order_ranks(*run, sorting);
    REQUIRE(order.sections.front().worst);
    CHECK(order.sections.front().title == "worst 8 ranks \xC2\xB7 waiting caused");
    CHECK(order.sections.front().slots == std::vector<std::uint32_t>{7, 47, 87, 127, 167, 207, 247, 287});
    CHECK_FALSE(order.sections.front().folded);
    CHECK(std::ranges::find(order.sections[1].slots, 7U) != order.sections[1].slots.end());
    sorting.choices.worst_on_top = false;
    CHECK_FALSE(ui::order_ranks(*run, sorting).sections.front().worst);
    sorting.choices = ui::fold_all_groups(sorting.choices, false);
    sorting.choices.worst_on_top = true;
    CHECK_FALSE(ui::order_ranks(*run, sorting).sections.front().worst);  // all have rows of their own
}

TEST_CASE("folded groups follow the measure that sorts the ranks") {
    const core::RunPtr run = four_grouped_ranks();
    RankSorting sorting = by_idle({{0, 1}, {kRank, 2}, {2 * kRank, 3}, {3 * kRank, 4}}, true);
    sorting.choices.grouping = "node";
    sorting.choices.fold_groups = true;
    CHECK(lines_of(ui::order_ranks(*run, sorting)) == Lines{"node beta: 3 1", "node alpha: 2 0"});
}
