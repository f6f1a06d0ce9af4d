#include "core/base/executor.hpp"

#include "core/base/jobs.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace core;

TEST_CASE("a shared loop calls every index once, with other threads or without") {
    for (const unsigned threads : {1U, 2U, 4U}) {
        Executor executor(threads);
        std::vector<std::atomic<int>> calls(100);
        executor.parallel_for(Priority::Answer, calls.size(), threads, [&](std::size_t i) { ++calls[i]; });
        for (const auto& count : calls) CHECK(count == 1);
        executor.parallel_for(Priority::Answer, 0, threads, [](std::size_t) { FAIL("nothing to do"); });
    }
}

TEST_CASE("a loop runs on several threads at once") {
    Executor executor(2);
    std::atomic<int> inside = 0;
    executor.parallel_for(Priority::Load, 2, 2, [&](std::size_t) {
        ++inside;
        while (inside < 2) std::this_thread::yield();
    });
    CHECK(inside == 2);
}

TEST_CASE("bodies share loops of their own, and several threads share at once") {
    Executor executor(3);
    std::atomic<int> calls = 0;
    const auto share_nested = [&] {
        executor.parallel_for(Priority::Load, 8, 3, [&](std::size_t) {
            executor.parallel_for(Priority::Load, 8, 3, [&](std::size_t) { ++calls; });
        });
    };
    std::thread other(share_nested);
    share_nested();
    other.join();
    CHECK(calls == 128);
}

TEST_CASE("the outermost loop's number of threads holds for the loops within it") {
    for (const unsigned most : {1U, 2U}) {
        Executor executor(4);
        executor.parallel_for(Priority::Load, 4, 4, [](std::size_t) {});  // there are idle threads
        std::atomic<unsigned> inside = 0;
        std::atomic<unsigned> highest = 0;
        executor.parallel_for(Priority::Load, most, most, [&](std::size_t) {
            executor.parallel_for(Priority::Load, 200, 4, [&](std::size_t) {
                const unsigned now = ++inside;
                for (unsigned seen = highest; seen < now && !highest.compare_exchange_weak(seen, now);) {}
                std::this_thread::yield();
                --inside;
            });
        });
        CHECK(highest <= most);
    }
}

TEST_CASE("a thread whose part of the outer loop is done helps with the inner loops") {
    Executor executor(2);
    std::atomic<int> inside = 0;
    executor.parallel_for(Priority::Load, 2, 2, [&](std::size_t part) {
        if (part == 0) return;
        executor.parallel_for(Priority::Load, 2, 2, [&](std::size_t) {
            ++inside;
            while (inside < 2) std::this_thread::yield();  // both threads, so also the one that had part 0
        });
    });
    CHECK(inside == 2);
}

TEST_CASE("an exception in a body arrives where the loop was shared, after all the others are done") {
    for (const unsigned threads : {1U, 3U}) {
        Executor executor(threads);
        std::atomic<int> calls = 0;
        CHECK_THROWS_AS(executor.parallel_for(Priority::Answer, 10, threads,
                                              [&](std::size_t i) {
                                                  ++calls;
                                                  if (i == 3) throw std::runtime_error("three");
                                              }),
                        std::runtime_error);
        CHECK(calls == 10);
    }
}

TEST_CASE("loops of a frame run only on threads that were prepared") {
    Executor executor(3);
    const auto threads_used = [&] {
        std::mutex mutex;
        std::set<std::thread::id> seen;
        executor.parallel_for(Priority::Frame, 64, 3, [&](std::size_t) {
            const std::lock_guard lock(mutex);
            seen.insert(std::this_thread::get_id());
        });
        return seen;
    };
    CHECK(threads_used() == std::set{std::this_thread::get_id()});
    executor.prepare(Priority::Frame);
    std::atomic<int> inside = 0;
    executor.parallel_for(Priority::Frame, 3, 3, [&](std::size_t) {
        ++inside;
        while (inside < 3) std::this_thread::yield();
    });
    CHECK(inside == 3);
}

TEST_CASE("a frame's loop does not wait for loads or answers") {
    std::atomic<bool> release = false;
    std::atomic<int> held = 0;
    Executor executor(2);
    executor.prepare(Priority::Frame);
    for (const Priority busy : {Priority::Answer, Priority::Load, Priority::Index})
        for (int i = 0; i < 4; ++i)
            executor.run(busy, [&] {
                ++held;
                while (!release) std::this_thread::yield();
            });
    while (held < 12) std::this_thread::yield();
    std::atomic<int> inside = 0;
    executor.parallel_for(Priority::Frame, 2, 2, [&](std::size_t) {
        ++inside;
        while (inside < 2) std::this_thread::yield();
    });
    CHECK(inside == 2);
    release = true;
}

TEST_CASE("two loads share their loops at once, each on threads of its own") {
    Executor executor(2);
    std::atomic<int> loads = 0;
    std::atomic<int> done = 0;
    for (int load = 0; load < 2; ++load)
        executor.run(Priority::Load, [&] {
            std::atomic<int> inside = 0;
            ++loads;
            while (loads < 2) std::this_thread::yield();
            executor.parallel_for(Priority::Load, 2, 2, [&](std::size_t) {
                ++inside;
                while (inside < 2) std::this_thread::yield();
            });
            ++done;
        });
    while (done < 2) std::this_thread::yield();
    CHECK(done == 2);
}

TEST_CASE("an executor that goes drops tasks that have not begun and waits for the others") {
    std::atomic<int> begun = 0;
    std::atomic<int> ended = 0;
    {
        Executor executor(1);
        for (int i = 0; i < 4; ++i)
            executor.run(Priority::Answer, [&] {
                ++begun;
                std::this_thread::sleep_for(std::chrono::milliseconds{5});
                ++ended;
            });
    }
    CHECK(begun == ended);
}

TEST_CASE("shared loops and checkpoints are signs of life, asking whether to stop is not") {
    std::atomic<std::uint64_t> pulse{0};
    JobContext job;
    job.pulse = &pulse;
    job.parallel_for(4, [](std::size_t) {});
    CHECK(pulse == 4);
    CHECK_FALSE(job.cancelled());
    CHECK(pulse == 4);
    CHECK_FALSE(job.checkpoint());
    CHECK(pulse == 5);
}

TEST_CASE("a job without an executor does its loops alone, in order") {
    std::vector<std::size_t> seen;
    JobContext{}.parallel_for(4, [&](std::size_t i) { seen.push_back(i); });
    CHECK(seen == std::vector<std::size_t>{0, 1, 2, 3});
}
