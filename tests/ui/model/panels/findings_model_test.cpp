#include "ui/model/panels/findings_model.hpp"

#include "core/analysis/engine/analysis.hpp"
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
