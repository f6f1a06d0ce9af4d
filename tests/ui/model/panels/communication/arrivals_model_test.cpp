// One collective as its members saw it.

#include "ui/model/panels/communication/arrivals_model.hpp"

#include "tests/core/analysis/engine/answers.hpp"
#include "tests/ui/model/panels/communication/waiting_fixture.hpp"

using core::testing::answer_of;
using ui::testing::run_with_late_rank;

namespace {

core::EventRef member_of(const core::Run& run, std::uint32_t slot, std::size_t nth) {
    const core::RankTrace& trace = run.rank(slot).trace();
    for (const core::EventId e : trace.gpu_events)
        if (trace.name_text(e).starts_with("nccl") && nth-- == 0) return {slot, e};
    return {};
}

std::string value_of(const std::vector<ui::ArrivalLine>& lines, std::string_view label) {
    for (const ui::ArrivalLine& line : lines)
        if (line.label == label) return line.value;
    return {};
}

}  // namespace

TEST_CASE("arrivals of a collective are those of the tables waits and collectives") {
    const core::RunPtr run = run_with_late_rank();
    const core::WaitsPtr waits = core::waits_of(*run);
    const core::Table collectives = answer_of(*run, "collectives").main();
    const core::Table members = answer_of(*run, "waits").main();
    REQUIRE(collectives.rows() == 6);
    std::size_t seen = 0;
    for (std::size_t row = 0; row < collectives.rows(); ++row) {
        const auto text = [&](std::string_view name) { return collectives.text(row, collectives.find_column(name)); };
        const std::int64_t sequence = collectives.integer(row, collectives.find_column("sequence"));
        const auto number = ui::find_collective(*run, waits, text("group"), text("operation"), sequence);
        REQUIRE(number);
        const ui::ArrivalsModel model = ui::describe_arrivals(*run, *waits, *number);
        CHECK((model.last - model.first).count() == collectives.integer(row, collectives.find_column("skew")));
        REQUIRE(model.culprit);
        CHECK(model.arrivals[*model.culprit].rank == core::RankKey{2, 0});
        CHECK(model.counts);
        for (std::size_t m = 0; m < members.rows(); ++m) {
            const auto cell = [&](std::string_view name) { return members.integer(m, members.find_column(name)); };
            if (cell("sequence") != sequence) continue;
            const auto key = core::RankKey::unpacked(cell("rank"));
            const auto arrival = std::ranges::find(model.arrivals, key, &ui::Arrival::rank);
            REQUIRE(arrival != model.arrivals.end());
            REQUIRE(arrival->wait);
            CHECK(arrival->wait->count() == cell("wait"));
            CHECK(arrival->transfer->count() == cell("transfer"));
            CHECK(arrival->wait->count() + arrival->transfer->count() == cell("duration"));
            ++seen;
        }
    }
    CHECK(seen == 18);
    CHECK_FALSE(ui::find_collective(*run, waits, "none", "all_reduce", 0));
}

TEST_CASE("a member's lines name the awaited rank, its place and the match's certainty; the last does not wait") {
    const core::RunPtr run = run_with_late_rank();
    const core::WaitsPtr waits = core::waits_of(*run);
    const core::EventRef early = member_of(*run, 0, 1), late = member_of(*run, 2, 1);
    const auto model = ui::describe_arrivals(*run, *waits, early);
    REQUIRE(model);
    const auto lines = ui::describe_member(*model, early);
    CHECK(value_of(lines, "waits") == "150 \xC2\xB5s for rank 2");
    CHECK(value_of(lines, "arrived") == "1 of 3, 0 ns after the first");
    CHECK(value_of(lines, "match") == "certain, by number");
    CHECK(value_of(ui::describe_member(*model, late), "waits") == "none: it arrived last");
    CHECK_FALSE(ui::describe_arrivals(*run, *waits, core::EventRef{0, run->rank(0).trace().gpu_events.front()}));
}

TEST_CASE("from a member one goes to the next of its group on the same rank, and to the rank it waits for") {
    const core::RunPtr run = run_with_late_rank();
    const core::WaitsPtr waits = core::waits_of(*run);
    const core::EventRef second = member_of(*run, 0, 1);
    CHECK(ui::find_neighbour_in_group(*waits, second, true) == member_of(*run, 0, 2));
    CHECK(ui::find_neighbour_in_group(*waits, second, false) == member_of(*run, 0, 0));
    CHECK_FALSE(ui::find_neighbour_in_group(*waits, member_of(*run, 0, 5), true).valid());
    CHECK(ui::find_awaited(*run, *waits, second) == member_of(*run, 2, 1));
    CHECK_FALSE(ui::find_awaited(*run, *waits, member_of(*run, 2, 1)).valid());
}

TEST_CASE("members of a broadcast wait for its root, whoever arrives last") {
    using core::Arg;
    std::vector<core::RankTracePtr> traces;
    for (int r = 0; r < 3; ++r) {
        core::testing::TraceFixture fixture;
        const std::int64_t start = r == 0 ? 0 : r == 1 ? 300'000 : 350'000;  // rank 1 is the root
        fixture.kernel(start, 400'000 - start, "ncclDevKernel_Broadcast", 9)
            .arg(Arg::CollectiveName, "broadcast")
            .arg(Arg::GroupName, "dp")
            .arg(Arg::GroupRanks, "[0, 1, 2]")
            .arg(Arg::GroupRank, 1)
            .arg(Arg::Seq, 0);
        traces.push_back(fixture.rank(r).build());
    }
    const core::RunPtr run = core::testing::run_of(traces);
    const core::WaitsPtr waits = core::waits_of(*run);
    const auto waits_line = [&](std::uint32_t slot) {
        const core::EventRef event = member_of(*run, slot, 0);
        const auto model = ui::describe_arrivals(*run, *waits, event);
        REQUIRE(model);
        REQUIRE(model->culprit);
        CHECK(model->arrivals[*model->culprit].rank == core::RankKey{1, 0});
        return value_of(ui::describe_member(*model, event), "waits");
    };
    CHECK(waits_line(0) == "300 \xC2\xB5s for rank 1");
    CHECK(waits_line(1) == "none: the others wait for it");
    CHECK(waits_line(2) == "0 ns");
}
