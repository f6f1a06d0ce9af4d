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

TEST_CASE("a process that is asked to stop does not wait for others") {
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

TEST_CASE("each process gets what each other one has for it, and what all have, in messages of bounded size") {
    constexpr std::size_t kLarge = 2 * Team::kMostExchanged + 7;
    const auto text_of = [](int from, int to) {
        const std::size_t size = from == 1 && to != 1 ? kLarge : static_cast<std::size_t>(from * to);
        return std::string(size, static_cast<char>('a' + from)) + std::to_string(to);
    };
    for (const int count : {1, 2, 3, 5, 8}) {
        CAPTURE(count);
        std::atomic<int> right{0};
        std::size_t largest = 0;
        const auto body = [&](Team& team) {
            for (int round = 0; round < 2; ++round) {
                std::vector<std::string> own, expected, everywhere;
                for (int other = 0; other < count; ++other) {
                    own.push_back(text_of(team.index(), other));
                    expected.push_back(text_of(other, team.index()));
                    everywhere.push_back(text_of(other, 0));
                }
                const Result<std::vector<std::string>> got = team.exchange(own, {});
                if (got && *got == expected) ++right;
                const Result<std::vector<std::string>> all = team.gather(own[0], {});
                if (all && *all == everywhere) ++right;
            }
        };
        ThreadChannels::run(count, body, [&](int, MessageKind, const std::string& bytes) {
            largest = std::max(largest, bytes.size());
        });
        CHECK(right == 4 * count);
        CHECK(largest <= Team::kMostExchanged + 16);
        CHECK((largest > Team::kMostExchanged) == (count > 1));
    }
}

TEST_CASE("an exchange with a process that ended waits until it is stopped, and not longer") {
    for (const bool gathers : {false, true}) {
        std::stop_source stop;
        std::atomic<int> stopped{0}, begun{0};
        ThreadChannels::run(4, [&](Team& team) {
            if (team.index() == 2) {  // ends before the second one
                static_cast<void>(team.gather("x", {}));
                while (begun < 3) std::this_thread::yield();
                stop.request_stop();
                return;
            }
            const Result<std::vector<std::string>> first = team.gather("x", {});
            CHECK((first && first->size() == 4));
            ++begun;
            const Result<std::vector<std::string>> second =
                gathers ? team.gather("y", stop.get_token())
                        : team.exchange(std::vector<std::string>(4, "y"), stop.get_token());
            if (!second && second.error().code == ErrorCode::Cancelled) ++stopped;
        });
        CHECK(stopped == 3);
    }
}
