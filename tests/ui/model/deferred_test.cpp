// Work on the pool for a panel: the newest request is answered, older work stops.

#include "ui/model/deferred.hpp"
#include "tests/core/trace_fixture.hpp"
#include "tests/ui/model/panels/gemm_and_relu.hpp"
#include "ui/model/panels/communication/siblings_model.hpp"
#include "ui/model/selected_links.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace {

using namespace std::chrono_literals;

// The value shown once the last request is answered.
template <class Ask>
auto last_answer_of(const Ask& ask, const auto& derived) {
    auto shown = ask();
    while (!derived.fresh()) {
        std::this_thread::yield();
        shown = ask();
    }
    return shown;
}

struct Stops {
    std::atomic<bool> began{false};
    std::atomic<bool> cancelled{false};
};

// Runs until cancelled; gives up after a long time, so that a failing test ends.
core::Result<int> wait_for_cancel(Stops& stops, const core::JobContext& job) {
    stops.began = true;
    const auto end = std::chrono::steady_clock::now() + 20s;
    while (!job.cancelled() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    stops.cancelled = job.cancelled();
    return 1;
}

core::JobContext stopped_job(std::stop_source& source) {
    source.request_stop();
    return core::JobContext{source.get_token()};
}

}  // namespace

TEST_CASE("a newer question stops the work of an older one, and its own answer is shown") {
    core::JobPool pool(1);
    Stops stops;
    ui::Deferred<int, int> derived;
    const auto older = [&stops](const core::JobContext& job) { return wait_for_cancel(stops, job); };
    CHECK_FALSE(derived.ask(pool, 1, older));
    while (!stops.began) std::this_thread::yield();
    const auto shown = last_answer_of([&] { return derived.ask(pool, 2, [] { return 2; }); }, derived);
    CHECK(stops.cancelled);  // the only worker was free for the newer question
    REQUIRE(shown);
    CHECK(*shown == 2);
}

TEST_CASE("work that is no longer requested stops") {
    core::JobPool pool(1);
    Stops stops;
    {
        ui::Deferred<int, int> derived;
        derived.ask(pool, 1, [&stops](const core::JobContext& job) { return wait_for_cancel(stops, job); });
        while (!stops.began) std::this_thread::yield();
    }
    ui::Deferred<int, int> next;
    last_answer_of([&] { return next.ask(pool, 1, [] { return 1; }); }, next);
    CHECK(stops.cancelled);
}

TEST_CASE("the last answer stays until the next is there; after a failure there is none") {
    core::JobPool pool(1);
    ui::Deferred<int, int> derived;
    CHECK(*last_answer_of([&] { return derived.ask(pool, 1, [] { return 1; }); }, derived) == 1);
    std::atomic<bool> go{false};
    const auto later = [&go] {
        while (!go) std::this_thread::yield();
        return 2;
    };
    CHECK(*derived.ask(pool, 2, later) == 1);
    CHECK_FALSE(derived.fresh());
    go = true;
    CHECK(*last_answer_of([&] { return derived.last(); }, derived) == 2);
    const auto failing = [](const core::JobContext&) -> core::Result<int> { return core::bad_input("no"); };
    CHECK_FALSE(last_answer_of([&] { return derived.ask(pool, 3, failing); }, derived));
}

TEST_CASE("work that a frame no longer requests isn't busy, done or not") {
    core::JobPool pool(1);
    std::atomic<bool> go{false};
    const auto later = [&go] {
        while (!go) std::this_thread::yield();
        return 1;
    };
    ui::Deferred<int, int> derived;
    ++ui::frame_count;
    derived.ask(pool, 1, later);
    CHECK(derived.busy());
    ++ui::frame_count;  // the context to show it with is gone
    CHECK_FALSE(derived.busy());
    CHECK_FALSE(derived.fresh());
    go = true;
    CHECK_FALSE(derived.busy());
    ++ui::frame_count;
    derived.ask(pool, 1, later);
    CHECK(derived.busy() == !derived.fresh());
    CHECK(*last_answer_of([&] { return derived.last(); }, derived) == 1);
    CHECK_FALSE(derived.busy());
}

TEST_CASE("what is made in a moment is there in the frame that asks") {
    core::JobPool pool(1);
    bool at_once = false;
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds{20};
    for (int key = 0; !at_once && std::chrono::steady_clock::now() < limit; ++key) {
        ui::Deferred<int, int> derived;
        derived.ask(pool, key, [key] { return key; });
        at_once = derived.fresh();
    }
    CHECK(at_once);  // the first one, if nothing else uses the processors
}

TEST_CASE("a frame waits a moment for small works, however many are asked for") {
    ui::FrameBudget patience;
    const auto now = std::chrono::steady_clock::now();
    for (int i = 0; i < 100; ++i) patience.spend(std::min(patience.left(now), std::chrono::microseconds{400}));
    CHECK(patience.left(now).count() == 0);
    CHECK(patience.left(now + std::chrono::milliseconds{15}).count() == 0);
    CHECK(patience.left(now + std::chrono::milliseconds{20}).count() > 0);
}

TEST_CASE("links of the selected event are computed once for all requests") {
    const core::RunPtr run = ui::testing::gemm_and_relu();
    const core::EventRef event{0, run->rank(0).trace().gpu_events.front()};
    core::JobPool pool(1);
    ui::SelectedLinks links;
    const auto ask = [&] { return links.ask(pool, run, event); };
    const ui::LinksPtr first = last_answer_of(ask, links);
    REQUIRE(first);
    CHECK(ask() == first);
    const ui::LinksPtr other = last_answer_of([&] { return links.ask(pool, run, {1, event.event}); }, links);
    REQUIRE(other);
    CHECK(other != first);
}

TEST_CASE("long looks at events stop when they are cancelled") {
    const core::RunPtr run = ui::testing::gemm_and_relu();
    const core::EventRef event{0, run->rank(0).trace().gpu_events.front()};
    std::stop_source source;
    const core::JobContext job = stopped_job(source);
    CHECK_FALSE(ui::collect_links(*run, event, job));
    CHECK(ui::collect_siblings(*run, event).run.count > 0);
    CHECK(ui::collect_siblings(*run, event, job).run.count == 0);
}
