#include "core/base/jobs.hpp"

#include <doctest/doctest.h>

#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace core;

namespace {

template <class T>
const Result<T>& wait_for(const Job<T>& job) {
    while (!job.poll()) std::this_thread::yield();
    return *job.poll();
}

// Holds a worker until it is opened.
class Gate {
public:
    void open() {
        const std::lock_guard lock(mutex_);
        open_ = true;
        changed_.notify_all();
    }
    void pass() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return open_; });
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool open_ = false;
};

}  // namespace

TEST_CASE("a job's value is there once it is done") {
    JobPool pool{2};
    const auto job = Job<int>::start(pool, [](const JobContext&) -> Result<int> { return 42; });
    CHECK(*wait_for(job) == 42);
}

TEST_CASE("a job that throws becomes an error, not a crash") {
    JobPool pool{1};
    const auto job = Job<int>::start(pool, [](const JobContext&) -> Result<int> { throw std::runtime_error("boom"); });
    CHECK(wait_for(job).error().message == "boom");
}

TEST_CASE("dropping the last handle asks the work to stop") {
    std::atomic<bool> running{false};
    std::atomic<bool> stopped{false};
    JobPool pool{1};
    auto job = Job<int>::start(pool, [&](const JobContext& context) -> Result<int> {
        running = true;
        while (!context.cancelled()) std::this_thread::yield();
        stopped = true;
        return Error{ErrorCode::Cancelled, "cancelled"};
    });
    while (!running) std::this_thread::yield();
    job = {};
    while (!stopped) std::this_thread::yield();
    CHECK(stopped);
}

TEST_CASE("work that is cancelled before it begins is never called") {
    Gate gate;
    JobPool pool{1};
    pool.run([&] { gate.pass(); });
    bool called = false;
    const auto job = Job<int>::start(pool, [&](const JobContext&) -> Result<int> {
        called = true;
        return 1;
    });
    job.cancel();
    gate.open();
    CHECK(wait_for(job).error().code == ErrorCode::Cancelled);
    CHECK_FALSE(called);
}

TEST_CASE("the newest work is taken first") {
    Gate gate;
    std::mutex mutex;
    std::vector<int> order;
    std::atomic<int> done{0};
    JobPool pool{1};
    std::atomic<bool> held{false};
    pool.run([&] {
        held = true;
        gate.pass();
    });
    while (!held) std::this_thread::yield();
    const auto note = [&](int which) {
        return [&, which] {
            const std::lock_guard lock(mutex);
            order.push_back(which);
            ++done;
        };
    };
    pool.run(note(1));
    pool.run(note(2));
    gate.open();
    while (done < 2) std::this_thread::yield();
    CHECK(order == std::vector<int>{2, 1});
}

TEST_CASE("a pool tells once that all is done, not at each piece of work") {
    JobPool pool{2};
    std::atomic<int> rests{0};
    std::atomic<int> done{0};
    pool.set_on_rest([&] { ++rests; });
    Gate gate;
    pool.run([&] { gate.pass(); });
    for (int i = 0; i < 20; ++i) pool.run([&] { ++done; });
    while (done < 20) std::this_thread::yield();
    CHECK(rests == 0);  // one is still at work
    gate.open();
    while (rests == 0) std::this_thread::yield();
    CHECK(rests == 1);
    pool.run([&] { ++done; });
    while (rests == 1) std::this_thread::yield();
    CHECK(done == 21);
}
