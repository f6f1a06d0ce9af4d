// The chosen event of a name, against brute force.

#include "ui/model/named_event.hpp"
#include "core/query/filter_text.hpp"
#include "tests/core/trace_fixture.hpp"
#include "tests/ui/model/panels/gemm_and_relu.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

namespace {

using core::testing::run_of;
using core::testing::TraceFixture;
using ui::testing::duration_of;
using ui::testing::gemm_and_relu;
using ui::testing::kernels_named;

core::Filter filter_of(const char* text) { return *core::parse_filter(text); }

}  // namespace

TEST_CASE("the longest event of a name is looked for where the filter allows it") {
    const core::RunPtr run = gemm_and_relu();
    const core::EventRef longest = ui::find_named_event({run, {"relu"}, {}});
    REQUIRE(longest.valid());
    for (const core::EventRef other : kernels_named(*run, "relu"))
        CHECK(duration_of(*run, other) <= duration_of(*run, longest));
    CHECK(ui::find_named_event({run, {"relu"}, filter_of("rank:1")}).slot == 1);
    const core::Filter brief = filter_of("dur:<20ns");
    CHECK(duration_of(*run, ui::find_named_event({run, {"relu"}, brief})) <= 20);
    std::vector<core::SelectionPtr> selections;
    for (std::size_t slot = 0; slot < 3; ++slot) selections.push_back(*core::Selection::build(*run, slot, brief, {}));
    CHECK(ui::find_named_event({run, {"relu"}, brief, selections}) == ui::find_named_event({run, {"relu"}, brief}));
    const core::EventRef late = ui::find_named_event({run, {"relu"}, filter_of("time:20us..40us")});
    CHECK(run->range_of(late).end > run->origin() + core::Duration{20'000});
    CHECK(run->range_of(late).begin < run->origin() + core::Duration{40'000});
    CHECK_FALSE(ui::find_named_event({run, {"not there"}, {}}).valid());
}

TEST_CASE("the first event of any of the names from a moment on, else the first of all") {
    const core::RunPtr run = gemm_and_relu();
    std::vector<core::EventRef> all = kernels_named(*run, "relu");
    for (const core::EventRef event : kernels_named(*run, "gemm")) all.push_back(event);
    const auto begin = [&](core::EventRef event) { return run->range_of(event).begin; };
    std::ranges::sort(all, {}, begin);
    ui::NamedEventQuery query{run, {"relu", "gemm"}, {}};
    for (std::int64_t from = 0; from < 60'000; from += 777) {
        query.from = run->origin() + core::Duration{from};
        const auto expected = std::ranges::lower_bound(all, *query.from, {}, begin);
        const core::EventRef found = ui::find_named_event(query);
        CHECK(begin(found) == begin(expected == all.end() ? all.front() : *expected));
    }
    query.from = run->origin();
    query.slot = 2;
    CHECK(ui::find_named_event(query).slot == 2);
}

TEST_CASE("a name that only the CPU has is found there") {
    const core::RunPtr run = gemm_and_relu();
    const core::EventRef found = ui::find_named_event({run, {"aten::mm"}, {}});
    REQUIRE(found.valid());
    CHECK_FALSE(run->rank(found.slot).trace().has(found.event, core::kGpuEvent));
}
