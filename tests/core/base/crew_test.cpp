#include "core/base/crew.hpp"

#include "core/base/jobs.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace core;

namespace {

// A crew with threads that do nothing but help.
class Helped {
public:
    explicit Helped(unsigned helpers) {
        for (unsigned i = 0; i < helpers; ++i) threads_.emplace_back([this] { crew.help(); });
    }
    ~Helped() {
        crew.dismiss();
        for (std::thread& thread : threads_) thread.join();
    }
    Helped(const Helped&) = delete;
    Helped& operator=(const Helped&) = delete;

    Crew crew;

private:
    std::vector<std::thread> threads_;
};

}  // namespace

TEST_CASE("a shared loop calls every index once, with helpers or without") {
    for (const unsigned helpers : {0U, 1U, 3U}) {
        Helped helped(helpers);
        std::vector<std::atomic<int>> calls(100);
        helped.crew.share(calls.size(), [&](std::size_t i) { ++calls[i]; });
        for (const auto& count : calls) CHECK(count == 1);
        helped.crew.share(0, [](std::size_t) { FAIL("nothing to do"); });
    }
}

TEST_CASE("a helper takes part") {
    Helped helped(1);
    std::atomic<int> inside = 0;
    helped.crew.share(2, [&](std::size_t) {
        ++inside;
        while (inside < 2) std::this_thread::yield();  // both at once, so on two threads
    });
    CHECK(inside == 2);
}

TEST_CASE("bodies may share loops of their own, and several threads may share at once") {
    Helped helped(2);
    std::atomic<int> calls = 0;
    const auto share_nested = [&] {
        helped.crew.share(8, [&](std::size_t) { helped.crew.share(8, [&](std::size_t) { ++calls; }); });
    };
    std::thread other(share_nested);
    share_nested();
    other.join();
    CHECK(calls == 128);
}

TEST_CASE("an exception in a body arrives where the loop was shared, after all the others are done") {
    Helped helped(2);
    std::atomic<int> calls = 0;
    CHECK_THROWS_AS(helped.crew.share(10,
                                      [&](std::size_t i) {
                                          ++calls;
                                          if (i == 3) throw std::runtime_error("three");
                                      }),
                    std::runtime_error);
    CHECK(calls == 10);
}

TEST_CASE("shared loops and looks whether to stop are signs of life") {
    std::atomic<std::uint64_t> pulse{0};
    JobContext job;
    job.pulse = &pulse;
    job.share(4, [](std::size_t) {});
    CHECK(pulse == 4);
    CHECK_FALSE(job.cancelled());
    CHECK(pulse == 5);
}

TEST_CASE("a job without a crew does its loops alone, in order") {
    std::vector<std::size_t> seen;
    JobContext{}.share(4, [&](std::size_t i) { seen.push_back(i); });
    CHECK(seen == std::vector<std::size_t>{0, 1, 2, 3});
}
