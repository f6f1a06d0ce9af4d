#include "core/cluster/team.hpp"

#include "tests/core/cluster/thread_channels.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <set>

using namespace core;
using core::testing::ThreadChannels;

TEST_CASE("every process gets what the first one passes, and the first one gets what all passed") {
    for (const int count : {1, 2, 3, 5, 8, 13}) {
        CAPTURE(count);
        std::atomic<int> right{0};
        std::string all;
        ThreadChannels::run(count, [&](Team& team) {
            for (const std::string text : {"one", "two"}) {
                const Result<std::string> got = team.broadcast(team.is_first() ? text : "ignored", {});
                if (got && *got == text) ++right;
            }
            const auto join = [](std::string& into, std::string_view more) { into += more; };
            const Result<std::string> joined =
                team.reduce(std::string(1, static_cast<char>('a' + team.index())), join, {});
            if (joined && team.is_first()) all = *joined;
            if (joined && !team.is_first() && joined->empty()) ++right;
        });
        CHECK(right == 3 * count - 1);
        std::ranges::sort(all);
        CHECK(all == std::string("abcdefghijklm").substr(0, static_cast<std::size_t>(count)));
    }
}

TEST_CASE("every number is handed out once, whatever the processes, their threads and the numbers at once") {
    for (const int count : {1, 2, 5}) {
        for (const std::size_t items : {0U, 1U, 7U, 1000U}) {
            for (const std::size_t at_once : {1U, 64U}) {
                CAPTURE(count);
                CAPTURE(items);
                CAPTURE(at_once);
                std::mutex mutex;
                std::multiset<std::size_t> taken;
                bool rising = true;
                ThreadChannels::run(count, [&](Team& team) {
                    for (int round = 0; round < 2; ++round) {
                        CHECK(team.broadcast("begin", {}).has_value());
                        Handout handout(team, items, at_once, {});
                        std::array<std::thread, 2> threads;
                        for (std::thread& thread : threads)
                            thread = std::thread([&] {
                                std::size_t last = 0;
                                while (const std::optional<std::size_t> item = handout.take()) {
                                    const std::lock_guard lock(mutex);
                                    rising = rising && *item >= last;
                                    last = *item;
                                    taken.insert(*item);
                                }
                            });
                        for (std::thread& thread : threads) thread.join();
                        CHECK_FALSE(handout.take());
                    }
                });
                CHECK(rising);
                CHECK(taken.size() == 2 * items);
                for (std::size_t item = 0; item < items; ++item) CHECK(taken.count(item) == 2);
            }
        }
    }
}

TEST_CASE("a process that is asked to stop waits for nobody") {
    std::stop_source stop;
    stop.request_stop();
    std::atomic<int> stopped{0};
    ThreadChannels::run(3, [&](Team& team) {
        if (team.index() == 2) return;  // never comes
        Handout handout(team, 10, 1, stop.get_token());
        if (!handout.take()) ++stopped;
        const auto join = [](std::string& into, std::string_view more) { into += more; };
        if (team.is_first() && !team.reduce("", join, stop.get_token())) ++stopped;
    });
    CHECK(stopped == 3);
}
