#include "core/session/result_cache.hpp"

#include "core/query/filter_text.hpp"
#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

namespace {

using namespace core;
using core::testing::run_of;
using core::testing::TraceFixture;

std::atomic<int> g_ranks_done{0};
std::atomic<bool> g_gate{false};
std::atomic<int> g_waiting{0};
std::atomic<int> g_stopped{0};

std::vector<Column> columns() {
    return {{"rank", Unit::Rank, Role::Key, Facet::Rank, {}}, {"events", Unit::Count, Role::Measure, Facet::None, {}}};
}

Partial count_of(const RankView& view) {
    Partial partial{{{"main", Table(columns())}}, {}, {}, {}};
    partial.tables.front().table.add_row({view.key(), static_cast<std::int64_t>(view.gpu_events().size())});
    return partial;
}

Result<Partial> count_rank(const RankView& view, const Params&, const JobContext&) {
    ++g_ranks_done;
    return count_of(view);
}

// Runs until the gate opens or the job is cancelled.
Result<Partial> wait_rank(const RankView& view, const Params&, const JobContext& context) {
    ++g_waiting;
    while (!g_gate && !context.cancelled()) std::this_thread::yield();
    if (!g_gate) {
        ++g_stopped;
        return Error{ErrorCode::Cancelled, "cancelled"};
    }
    ++g_ranks_done;
    return count_of(view);
}

Result<Partial> mark_rank(const RankView& view, const Params&, const JobContext&) {
    Partial partial = count_of(view);
    partial.marks.push_back({{static_cast<std::uint32_t>(view.slot), view.gpu_events().front()}, {}});
    return partial;
}

Result<Partial> throw_rank(const RankView&, const Params&, const JobContext&) {
    throw std::runtime_error("the sky is falling");
}

constexpr Param kParams[] = {{"least", "", Unit::Count, 0, 0, 100, {}}};
const Analysis kCount{"count", "Count", "", "", kParams, {}, true, count_rank, nullptr, columns};
const Analysis kWait{"wait", "Wait", "", "", {}, {}, true, wait_rank, nullptr, columns};
const Analysis kMark{"mark", "Mark", "", "", {}, {}, true, mark_rank, nullptr, columns};
const Analysis kThrow{"throw", "Throw", "", "", {}, {}, true, throw_rank, nullptr, columns};

RankTracePtr trace_of(int rank, int kernels = 2) {
    TraceFixture fixture;
    for (int k = 0; k < kernels; ++k) fixture.kernel(100 + 20 * k, 10, "gemm");
    return fixture.rank(rank).build();
}

RunPtr with_rank(const RunPtr& run, const RankTracePtr& trace) {
    RunParts parts = run->parts();
    RankSlot slot;
    slot.key.number = *trace->info.rank;
    slot.index = std::make_shared<const RankIndex>(trace, parts.rules);
    slot.names = parts.names->build_table(trace->names);
    parts.ranks.push_back(std::move(slot));
    return std::make_shared<const Run>(std::move(parts));
}

Filter filter_of(std::string_view text) {
    Result<Filter> filter = parse_filter(text);
    REQUIRE(filter);
    return *filter;
}

struct Fixture {
    Fixture() {
        g_ranks_done = 0;
        g_gate = false;
        g_waiting = 0;
        g_stopped = 0;
    }
    ~Fixture() { g_gate = true; }

    // Requests once per frame, like a window, until the answer is fresh.
    Request settle(std::uint64_t slot, const Analysis& analysis, const RunPtr& of, const Filter& filter = {},
                   const Params& params = {0}) {
        Request request;
        do {
            request = cache.request(slot, analysis, of, filter, params);
            cache.end_frame();
            std::this_thread::yield();
        } while (request.pending());
        return request;
    }
    static void wait_for(const std::atomic<int>& counter, int value) {
        while (counter < value) std::this_thread::yield();
    }

    JobPool pool{2};
    ResultCache cache{pool};
    RunPtr run = run_of({trace_of(0), trace_of(1)});
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "a request returns at once, and its answer stays") {
    const Request first = cache.request(1, kCount, run, {}, {0});
    CHECK(first.error.empty());
    const Request done = settle(1, kCount, run);
    REQUIRE(done.answer);
    CHECK(done.answer->main().rows() == 2);
    CHECK(g_ranks_done == 2);
    CHECK(cache.request(1, kCount, run, {}, {0}).answer == done.answer);
    CHECK(settle(2, kCount, run).answer == done.answer);
    CHECK(g_ranks_done == 2);
    CHECK(cache.running() == 0);
}

TEST_CASE_FIXTURE(Fixture, "an arriving rank costs only that rank's work") {
    settle(1, kCount, run);
    const RunPtr more = with_rank(run, trace_of(2, 3));
    const Request request = cache.request(1, kCount, more, {}, {0});
    CHECK(request.answer->main().rows() == 2);   // the last answer while the next is computed
    CHECK_FALSE(request.fresh);
    const Request done = settle(1, kCount, more);
    REQUIRE(done.answer->main().rows() == 3);
    CHECK(done.answer->main().integer(2, 1) == 3);
    CHECK(g_ranks_done == 3);
}

TEST_CASE_FIXTURE(Fixture, "marks stay with their rank when an earlier rank arrives") {
    run = run_of({trace_of(4), trace_of(5)});
    REQUIRE(settle(1, kMark, run).answer);
    const Request request = settle(1, kMark, with_rank(run, trace_of(2)));
    REQUIRE(request.answer->marks.size() == 3);
    for (std::uint32_t slot = 0; slot < 3; ++slot) CHECK(request.answer->marks[slot].event.slot == slot);
}

TEST_CASE_FIXTURE(Fixture, "parameters and filters are part of the key, and returning to one is instant") {
    const AnswerPtr plain = settle(1, kCount, run).answer;
    const Request filtered = settle(1, kCount, run, filter_of("rank:1"));
    REQUIRE(filtered.answer->main().rows() == 1);
    settle(1, kCount, run, {}, {5});
    const int before = g_ranks_done;
    const Request back = cache.request(1, kCount, run, {}, {0});
    CHECK(back.fresh);
    CHECK(back.answer == plain);
    CHECK(g_ranks_done == before);
}

TEST_CASE_FIXTURE(Fixture, "a new key in a slot cancels the old job if no other slot wants it") {
    cache.request(1, kWait, run, {}, {});
    wait_for(g_waiting, 2);
    CHECK(cache.running() == 1);
    cache.request(1, kCount, run, {}, {0});
    wait_for(g_stopped, 2);
    CHECK(settle(1, kCount, run).fresh);
    CHECK(cache.running() == 0);
}

TEST_CASE_FIXTURE(Fixture, "a job that another slot wants continues") {
    cache.request(1, kWait, run, {}, {});
    cache.request(2, kWait, run, {}, {});
    wait_for(g_waiting, 2);
    cache.request(1, kCount, run, {}, {0});
    CHECK(cache.running() == 2);
    g_gate = true;
    CHECK(settle(2, kWait, run, {}, {}).fresh);
    CHECK(g_stopped == 0);
}

TEST_CASE_FIXTURE(Fixture, "a slot without requests releases its job") {
    cache.request(1, kWait, run, {}, {});
    wait_for(g_waiting, 2);
    for (int frame = 0; frame < 10; ++frame) cache.end_frame();
    wait_for(g_stopped, 2);
    CHECK(cache.running() == 0);
}

TEST_CASE_FIXTURE(Fixture, "an analysis that throws fails with its message and can be requested again") {
    const Request failed = settle(1, kThrow, run);
    CHECK(failed.error == "the sky is falling");
    CHECK_FALSE(failed.fresh);
    CHECK_FALSE(failed.answer);
    CHECK(settle(1, kCount, run).fresh);
}

TEST_CASE_FIXTURE(Fixture, "without a matching rank the answer is an empty table") {
    const Request none = settle(1, kCount, run, filter_of("rank:7"));
    REQUIRE(none.answer);
    CHECK(none.answer->main().rows() == 0);
}

TEST_CASE_FIXTURE(Fixture, "without a run a request is empty") {
    CHECK_FALSE(cache.request(1, kCount, nullptr, {}, {0}).error.empty());
}

TEST_CASE_FIXTURE(Fixture, "selections can be found after an answer built them") {
    const Filter filter = filter_of("name:gemm");
    CHECK_FALSE(cache.find_selection(run, 0, filter));
    settle(1, kCount, run, filter);
    REQUIRE(cache.find_selection(run, 0, filter));
    CHECK(cache.find_selection(run, 0, filter)->gpu_events().size() == 2);
    CHECK(cache.find_selection(run, 0, filter_of("name:gemm time:..1s")) == cache.find_selection(run, 0, filter));
}

TEST_CASE_FIXTURE(Fixture,
                  "selections are built on request, without an answer, for the ranks that the filter accepts") {
    const Filter filter = filter_of("name:gemm rank:0");
    const auto ask = [&] { return cache.request_selection(1, run, filter); };
    CHECK(cache.request_selection(1, nullptr, filter).error == "nothing is open");
    Request request = ask();
    CHECK(cache.running() == (request.fresh ? 0 : 1));
    for (; request.pending(); request = ask()) {
        std::this_thread::yield();
        cache.end_frame();
    }
    CHECK(request.fresh);
    CHECK(request.progress == 1);
    CHECK_FALSE(request.answer);
    CHECK(cache.running() == 0);
    REQUIRE(cache.find_selection(run, 0, filter));
    CHECK(cache.find_selection(run, 0, filter)->gpu_events().size() == 2);
    CHECK_FALSE(cache.find_selection(run, 1, filter));
}

TEST_CASE_FIXTURE(Fixture, "a full cache evicts the least recently requested entries") {
    ResultCache small(pool, 20'000);
    const auto ask = [&](std::int64_t least) {
        Request request;
        do {
            request = small.request(1, kCount, run, {}, {least});
            small.end_frame();
            std::this_thread::yield();
        } while (request.pending());
    };
    for (std::int64_t least = 0; least < 40; ++least) ask(least);
    for (int frame = 0; frame < 40; ++frame) small.end_frame();
    CHECK(small.resident_bytes() <= 20'000);
    const int before = g_ranks_done;
    CHECK(small.request(1, kCount, run, {}, {39}).fresh);   // the newest entry is kept
    CHECK(g_ranks_done == before);
    ask(0);
    CHECK(g_ranks_done == before + 2);
}

TEST_CASE_FIXTURE(Fixture, "ranks of a closed run are released") {
    settle(1, kCount, run);
    const std::weak_ptr<const RankIndex> index = run->rank(0).index;
    run = nullptr;
    for (int frame = 0; frame < 100'000 && !index.expired(); ++frame) {
        cache.end_frame();
        std::this_thread::yield();   // a worker may still be releasing its copy
    }
    CHECK(index.expired());
}
