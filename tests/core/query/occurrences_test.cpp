#include "core/query/occurrences.hpp"

#include "core/query/filter_text.hpp"
#include "tests/core/query/random_run.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <tuple>

using namespace core;
using core::testing::random_run;
using core::testing::run_of;
using core::testing::TraceFixture;

namespace {

EventRef find(const RunPtr& run, EventRef from, Occurrence which, std::string_view filter = "") {
    OccurrenceQuery query{run, from, which};
    query.filter = parse_filter(filter).value();
    return find_occurrence(query, {}).value();
}

// All events with the name in the order of next and previous.
std::vector<EventRef> list_in_order(const Run& run, EventRef like, const Filter& filter) {
    using Key = std::tuple<std::uint32_t, std::uint32_t, RankTime, EventId>;
    std::vector<Key> keys;
    const RankTrace& own = run.rank(like.slot).trace();
    const auto time = filter.time_range(run);
    for (std::uint32_t slot = 0; slot < run.ranks().size(); ++slot) {
        const RankTrace& trace = run.rank(slot).trace();
        if (!filter.accepts_rank(run.rank(slot).key)) continue;
        const SelectionPtr selection = Selection::build(run, slot, filter, {}).value();
        for (std::uint32_t e = 0; e < trace.size(); ++e) {
            const EventId event{e};
            const RunRange range = run.rank(slot).range_of(event);
            const bool inside =
                !time || (range.begin < time->end && (range.end > time->begin || range.begin >= time->begin));
            if (inside && selection->passes(event) && trace.name_text(event) == own.name_text(like.event) &&
                trace.has(event, kGpuEvent) == own.has(like.event, kGpuEvent))
                keys.emplace_back(slot, trace.lanes[trace.find_lane(event)].track, trace.start[e], event);
        }
    }
    std::ranges::sort(keys);
    std::vector<EventRef> refs;
    for (const auto& [slot, track, start, event] : keys) refs.push_back({slot, event});
    return refs;
}

}  // namespace

TEST_CASE("next and previous walk all occurrences of a name, track by track and rank by rank, and wrap around") {
    for (std::uint32_t seed = 1; seed <= 4; ++seed) {
        const RunPtr run = random_run(seed, 3, 120);
        for (const char* filter : {"", "rank:0,2", "time:300ns..1200ns", "dur:>10ns"}) {
            for (const std::uint32_t e : {5u, 60u, 110u}) {
                const EventRef from{1, EventId{e}};
                const std::vector<EventRef> order = list_in_order(*run, from, parse_filter(filter).value());
                if (order.empty()) {
                    CHECK_FALSE(find(run, from, Occurrence::Next, filter).valid());
                    continue;
                }
                for (std::size_t i = 0; i < order.size(); ++i) {
                    const std::size_t n = order.size();
                    CHECK(find(run, order[i], Occurrence::Next, filter) == order[(i + 1) % n]);
                    CHECK(find(run, order[i], Occurrence::Previous, filter) == order[(i + n - 1) % n]);
                }
            }
        }
    }
}

TEST_CASE("the longest occurrence is that of all ranks, or of the rank with the largest total for the name") {
    const RunPtr run = run_of({TraceFixture().kernel(0, 10, "a").kernel(20, 90, "a").cpu(0, 500, "a").build(),
                               TraceFixture().kernel(0, 60, "a").kernel(100, 70, "a").kernel(200, 99, "b").build()});
    const auto duration = [&](EventRef ref) { return run->rank(ref.slot).trace().duration[index_of(ref.event)]; };
    const EventRef from = find(run, {1, run->rank(1).trace().gpu_events[0]}, Occurrence::Next);
    CHECK(duration(find(run, from, Occurrence::Longest)) == Duration{90});
    CHECK(duration(find(run, from, Occurrence::LongestOfWorstRank)) == Duration{70});
    CHECK(duration(find(run, from, Occurrence::Longest, "rank:1")) == Duration{70});
    CHECK_FALSE(find(run, from, Occurrence::Longest, "rank:5").valid());
    CHECK_FALSE(find(run, {}, Occurrence::Longest).valid());
}
