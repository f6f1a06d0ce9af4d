#include "core/query/find_events.hpp"

#include "core/query/filter_text.hpp"
#include "core/query/name_matcher.hpp"
#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

using namespace core;
using core::testing::run_of;
using core::testing::TraceFixture;

namespace {

Result<FoundEventsPtr> search(const RunPtr& run, std::string_view text, std::string_view filter = "") {
    FindQuery query{run, parse_find_text(text), {}, {}};
    if (!filter.empty()) query.filter = parse_filter(filter).value();
    return FoundEvents::search(query, {});
}

FoundEventsPtr find(const RunPtr& run, std::string_view text, std::string_view filter = "") {
    const Result<FoundEventsPtr> found = search(run, text, filter);
    REQUIRE(found);
    return *found;
}

std::string name_of(const Run& run, EventRef ref) {
    return ref.valid() ? std::string(run.rank(ref.slot).trace().name_text(ref.event)) : "nothing";
}

RunPtr ranks_with_names() {
    return run_of({TraceFixture()
                       .rank(0)
                       .cpu(0, 50, "aten::mm")
                       .launch(10, 5, 1)
                       .kernel(100, 40, "gemm_a", 7, 1)
                       .kernel(300, 20, "Gemm_b")
                       .build(),
                   TraceFixture().rank(1).kernel(200, 30, "gemm_c").kernel(200, 10, "relu", 8).build()});
}

RunPtr run_of_random_names(std::uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<RankTracePtr> traces;
    for (int rank = 0; rank < 3; ++rank) {
        TraceFixture fixture;
        fixture.rank(rank);
        for (int i = 0; i < 300; ++i) {
            const auto start = static_cast<std::int64_t>(random() % 2000);
            const auto length = static_cast<std::int64_t>(random() % 30);
            const std::string name = "k" + std::to_string(random() % 12);
            if (random() % 2 == 0)
                fixture.kernel(start, length, name, static_cast<int>(random() % 4));
            else
                fixture.cpu(start, length, name, static_cast<int>(100 + random() % 3));
        }
        traces.push_back(fixture.build());
    }
    return run_of(traces);
}

// Naive search: expected results in the run's order.
std::vector<EventRef> find_slowly(const Run& run, std::string_view text, const Filter& filter) {
    const NameMatcher matcher = NameMatcher::make(parse_find_text(text).name).value();
    const auto time = filter.time_range(run);
    std::vector<std::pair<RunTime, EventRef>> all;
    for (std::uint32_t slot = 0; slot < run.ranks().size(); ++slot) {
        const RankTrace& trace = run.rank(slot).trace();
        if (!filter.accepts_rank(run.rank(slot).key)) continue;
        const SelectionPtr selection = Selection::build(run, slot, filter, {}).value();
        for (std::uint32_t e = 0; e < trace.size(); ++e) {
            const RunRange range = run.rank(slot).range_of(EventId{e});
            const bool inside =
                !time || (range.begin < time->end && (range.end > time->begin || range.begin >= time->begin));
            if (inside && selection->passes(EventId{e}) && matcher.matches(trace.name_text(EventId{e})))
                all.push_back({range.begin, {slot, EventId{e}}});
        }
    }
    std::ranges::sort(all);
    std::vector<EventRef> refs;
    for (const auto& [start, ref] : all) refs.push_back(ref);
    return refs;
}

}  // namespace

TEST_CASE("events are found by text in their name, case-insensitive, on CPU and GPU") {
    const RunPtr run = ranks_with_names();
    const FoundEventsPtr found = find(run, "GEMM");
    CHECK(found->count() == 3);
    CHECK(found->total() == Duration{90});
    CHECK(find(run, "mm")->count() == 4);
    CHECK(find(run, "nowhere")->count() == 0);
    CHECK_FALSE(find(run, "nowhere")->first_from(run->origin()).valid());
}

TEST_CASE("text between slashes is a regular expression; an invalid one is an error") {
    const RunPtr run = ranks_with_names();
    CHECK(find(run, "/^gemm_[ab]$/")->count() == 1);
    CHECK(find(run, "/")->count() == 0);
    CHECK_FALSE(search(run, "/(/"));
}

TEST_CASE("results are walked by start over all ranks, wrapping at both ends") {
    const RunPtr run = ranks_with_names();
    const FoundEventsPtr found = find(run, "gemm");
    const EventRef first = found->first_from(run->origin());
    CHECK(name_of(*run, first) == "gemm_a");
    const EventRef second = found->next_after(first);
    CHECK(name_of(*run, second) == "gemm_c");
    const EventRef third = found->next_after(second);
    CHECK(name_of(*run, third) == "Gemm_b");
    CHECK(found->next_after(third) == first);
    CHECK(found->previous_before(first) == third);
    CHECK(found->position_of(third) == 2);
    CHECK(name_of(*run, found->first_from(run_time(150))) == "gemm_c");
    CHECK(found->first_from(run_time(1000)) == first);
}

TEST_CASE("a walk may start at an event that is not a result") {
    const RunPtr run = ranks_with_names();
    const FoundEventsPtr found = find(run, "gemm");
    const EventRef relu{1, core::testing::find_named(run->rank(1).trace(), "relu")};
    CHECK_FALSE(found->contains(relu));
    CHECK(name_of(*run, found->next_after(relu)) == "Gemm_b");
    CHECK(name_of(*run, found->previous_before(relu)) == "gemm_c");
}

TEST_CASE("results pass the filter, and their durations are cut by the time filter") {
    const RunPtr run = ranks_with_names();
    const FoundEventsPtr one_rank = find(run, "gemm", "rank:1");
    CHECK(one_rank->count() == 1);
    CHECK_FALSE(one_rank->contains({0, EventId{2}}));
    CHECK_FALSE(one_rank->contains({0, EventId{100'000}}));
    CHECK(find(run, "m", "class:compute")->count() == 3);
    const FoundEventsPtr cut = find(run, "gemm", "time:120ns..210ns");
    CHECK(cut->count() == 2);
    CHECK(cut->total() == Duration{20 + 10});
}

TEST_CASE("cells show where in the run results are") {
    const RunPtr run = ranks_with_names();
    const auto cells = find(run, "gemm_b")->cells();
    const auto cell = [](std::int64_t ns) { return static_cast<std::size_t>(ns) * FoundEvents::kCells / 320; };
    CHECK(cells.test(cell(300)));
    CHECK(cells.test(cell(319)));
    CHECK_FALSE(cells.test(cell(298)));
    CHECK_FALSE(cells.test(cell(100)));
}

TEST_CASE("a cancelled search returns an error") {
    std::stop_source stop;
    stop.request_stop();
    std::vector<RankTracePtr> traces;
    TraceFixture fixture;
    for (int i = 0; i < 300; ++i) fixture.kernel(i, 1, "k" + std::to_string(i));
    const FindQuery query{run_of({fixture.build()}), parse_find_text("k"), {}, {}};
    const auto found = FoundEvents::search(query, {stop.get_token(), nullptr});
    REQUIRE_FALSE(found);
    CHECK(found.error().code == ErrorCode::Cancelled);
}

TEST_CASE("random runs: the search agrees with testing every event, in the same order") {
    for (std::uint32_t seed = 1; seed <= 12; ++seed) {
        const RunPtr run = run_of_random_names(seed);
        for (const char* filter :
             {"", "rank:0,2", "time:300ns..900ns", "dur:>10ns -name:k3", "stream:1-2 time:..1us"}) {
            const Filter parsed = parse_filter(filter).value();
            const std::vector<EventRef> expected = find_slowly(*run, "k1", parsed);
            const FoundEventsPtr found = find(run, "k1", filter);
            REQUIRE(found->count() == expected.size());
            if (expected.empty()) continue;
            EventRef at = found->first_from(run->origin());
            for (std::size_t i = 0; i < expected.size(); ++i) {
                REQUIRE(at == expected[i]);
                CHECK(found->contains(at));
                CHECK(found->position_of(at) == i);
                CHECK(found->previous_before(at) == expected[(i + expected.size() - 1) % expected.size()]);
                at = found->next_after(at);
            }
            CHECK(at == expected.front());
        }
    }
}

TEST_CASE("a search is refused unread when it is too long, and when it has too many terms") {
    const RunPtr run = ranks_with_names();
    const Result<FoundEventsPtr> too_long = search(run, "arg:a=/" + std::string(std::size_t{1} << 20, '/'));
    REQUIRE_FALSE(too_long);
    CHECK(too_long.error().message == "search: 1048583 bytes; at most 65536 are read");
    CHECK(find(run, std::string(kMostSearchBytes, 'x'))->count() == 0);
    std::string terms;
    for (std::size_t i = 0; i < kMostSearchTerms; ++i) terms += "arg:x ";
    CHECK(search(run, terms));
    const Result<FoundEventsPtr> too_many = search(run, terms + "arg:x");
    REQUIRE_FALSE(too_many);
    CHECK(too_many.error().message == "search: 257 terms; at most 256 are looked for");
}
