#include "ui/model/panels/findings_model.hpp"

#include "core/analysis/catalogue/registry.hpp"
#include "core/analysis/run/run_analysis.hpp"
#include "tests/core/trace_fixture.hpp"
#include "ui/table/ask.hpp"

#include <doctest/doctest.h>

using core::testing::run_of;
using core::testing::TraceFixture;

TEST_CASE("findings of a run that was shown before point to no event that the run of now has not") {
    TraceFixture much, little;
    for (int i = 0; i < 50; ++i)
        much.kernel(i * 1'000'000, 100'000, "gemm")
            .kernel(i * 1'000'000 + 200'000, 700'000, "ncclDevKernel_AllReduce", 20);
    little.kernel(0, 10, "gemm");
    const core::RunPtr before = run_of({much.build()}), now = run_of({little.build()});
    const core::Analysis& analysis = *core::find_analysis("findings");
    const core::Result<core::Answer> findings =
        core::run_analysis(analysis, *before, {}, ui::standard_params(analysis), 1, {});
    REQUIRE(findings);
    REQUIRE(!findings->marks.empty());
    const ui::FindingsModel own = ui::FindingsModel::of(*before, *findings);
    REQUIRE(!own.cards.empty());
    CHECK(!own.cards.front().places.empty());
    const ui::FindingsModel stale = ui::FindingsModel::of(*now, *findings);
    for (const ui::FindingCard& card : stale.cards)
        for (const ui::EvidencePlace& place : card.places)
            if (place.event.valid()) CHECK(core::index_of(place.event.event) < 1);
    CHECK(stale.cards.size() == own.cards.size());
}

TEST_CASE("the places of an idle GPU are its gaps, the longest and all others") {
    TraceFixture fixture;
    fixture.kernel(0, 100, "a").kernel(110, 90, "b").kernel(240, 60, "c");
    const core::RunPtr run = run_of({fixture.build()});
    const core::Analysis& analysis = *core::find_analysis("findings");
    const core::Result<core::Answer> findings =
        core::run_analysis(analysis, *run, {}, ui::standard_params(analysis), 1, {});
    REQUIRE(findings);
    const ui::FindingsModel model = ui::FindingsModel::of(*run, *findings);
    REQUIRE(model.cards.size() == 1);
    double idle = 0;  // 50 of 300 ns
    for (const float share : model.cards.front().when) idle += static_cast<double>(share);
    CHECK(idle == doctest::Approx(static_cast<double>(ui::kWhenCells) / 6).epsilon(0.05));
    CHECK(model.cards.front().when[ui::kWhenCells * 105 / 300] == 1);
    CHECK(model.cards.front().when.front() == 0);
    REQUIRE(model.cards.front().places.size() == 2);
    CHECK(model.cards.front().places[0].range.begin - run->origin() == core::Duration{100});
    CHECK(model.cards.front().places[0].range.length() == core::Duration{10});
    CHECK(model.cards.front().places[1].range.begin - run->origin() == core::Duration{200});
    CHECK(model.cards.front().places[1].range.length() == core::Duration{40});
}

TEST_CASE("a card says what a replay with it fixed saves, of several rows the one that saves most") {
    TraceFixture fixture;
    fixture.kernel(0, 100, "a").kernel(110, 90, "b").kernel(240, 60, "c");
    const core::RunPtr run = run_of({fixture.build()});
    const core::Analysis& analysis = *core::find_analysis("findings");
    const core::Result<core::Answer> findings =
        core::run_analysis(analysis, *run, {}, ui::standard_params(analysis), 1, {});
    REQUIRE(findings);
    const auto saving = [&](std::initializer_list<std::pair<const char*, std::int64_t>> rows, const char* replayed) {
        core::Table deeds(core::find_analysis("what-to-do")->columns());
        for (const auto& [of, saved] : rows)
            deeds.add_row({std::string_view("idle"), std::string_view(of), saved, static_cast<double>(saved) / 300,
                           std::string_view(), std::string_view(), std::string_view(), std::string_view(replayed),
                           std::string_view(), core::Cell{}, core::Cell{}});
        core::Answer answer;
        answer.tables.push_back({"main", std::move(deeds)});
        const ui::FindingsModel model = ui::FindingsModel::of(*run, *findings, &answer);
        REQUIRE(model.cards.size() == 1);
        REQUIRE(model.cards.front().id == "idle");
        return model.cards.front().saves;
    };
    CHECK(saving({{"rank 0", 30}}, "no gaps") == "Up to 30 ns, 10.0 % of the window (simulated: no gaps)");
    CHECK(saving({{"rank 0", 3}, {"rank 1", 60}}, "no gaps") ==
          "Up to 60 ns, 20.0 % of the window (simulated for rank 1: no gaps)");
    CHECK(saving({{"rank 0", 0}}, "no gaps") ==
          "No gain on its own: something else limits the run (simulated: no gaps)");
    CHECK(saving({{"rank 0", 30}}, "").empty());
    CHECK(saving({}, "no gaps").empty());
    CHECK(ui::FindingsModel::of(*run, *findings).cards.front().saves.empty());
}
