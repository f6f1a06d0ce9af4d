#include "core/cluster/work_queue.hpp"

#include "tests/core/temp_folder.hpp"

#include <doctest/doctest.h>

#include <array>

using namespace core;
using core::testing::TempFolder;

namespace {

constexpr std::chrono::milliseconds kTimeout{60'000};
using Holder = WorkClaim::Holder;

std::vector<std::size_t> take_all(WorkQueue& queue) {
    std::vector<std::size_t> taken;
    while (const std::optional<std::size_t> item = queue.take(JobContext{})) taken.push_back(*item);
    return taken;
}

// One of two processes that share a folder.
struct Process {
    TempFolder& folder;
    int index;
    Claims claims{kTimeout};
    std::unique_ptr<WorkQueue> queue =
        make_work_queue({4, 2, 0, 3}, {.claims = &claims, .shard = {.index = index, .count = 2}});

    WorkClaim claim(std::size_t item) {
        const std::array results{folder.path() / "results" / std::to_string(item)};
        return queue->claim(item, results);
    }
};

}  // namespace

TEST_CASE("a process alone takes each item once, in order, and owns all of them") {
    const std::unique_ptr<WorkQueue> queue = make_work_queue({2, 0, 1}, {});
    CHECK_FALSE(queue->all_taken());
    CHECK(queue->take(JobContext{}) == std::optional<std::size_t>(2));
    CHECK(queue->claim(2, {}).holder == Holder::ThisProcess);
    CHECK(take_all(*queue) == std::vector<std::size_t>{0, 1});
    CHECK(queue->all_taken());
    CHECK_FALSE(queue->wait_for_others(JobContext{}));
}

TEST_CASE("a cancelled job takes nothing") {
    std::stop_source stop;
    stop.request_stop();
    const std::unique_ptr<WorkQueue> queue = make_work_queue({0, 1}, {});
    CHECK_FALSE(queue->take(JobContext{.stop = stop.get_token()}));
    CHECK_FALSE(queue->all_taken());
}

TEST_CASE("a process begins with its own shard, and takes up later what another one claimed") {
    TempFolder folder;
    Process first{.folder = folder, .index = 0}, second{.folder = folder, .index = 1};
    CHECK(take_all(*first.queue) == std::vector<std::size_t>{4, 0, 2, 3});
    CHECK(take_all(*second.queue) == std::vector<std::size_t>{2, 3, 4, 0});
    CHECK(first.claim(4).holder == Holder::ThisProcess);
    CHECK(second.claim(4).holder == Holder::AnotherProcess);
    CHECK(second.queue->wait_for_others(JobContext{}));
    CHECK(take_all(*second.queue) == std::vector<std::size_t>{4});
    first.queue->finish(4);
    CHECK(second.claim(4).holder == Holder::ThisProcess);
    second.queue->finish(4);
    CHECK_FALSE(second.queue->wait_for_others(JobContext{}));
}

TEST_CASE("a failure is passed on to the other processes as it was given") {
    TempFolder folder;
    Process first{.folder = folder, .index = 0}, second{.folder = folder, .index = 1};
    CHECK(take_all(*second.queue).size() == 4);
    REQUIRE(first.claim(3).holder == Holder::ThisProcess);
    REQUIRE(second.claim(3).holder == Holder::AnotherProcess);
    first.queue->fail(3, "!no closing brace");
    REQUIRE(second.queue->wait_for_others(JobContext{}));
    CHECK(take_all(*second.queue) == std::vector<std::size_t>{3});
    const WorkClaim claim = second.claim(3);
    CHECK(claim.holder == Holder::Failed);
    CHECK(claim.failure == "!no closing brace");
    CHECK_FALSE(second.queue->wait_for_others(JobContext{}));  // it isn't tried again
}

TEST_CASE("an item that can be claimed nowhere is done by this process") {
    TempFolder folder;
    Process process{.folder = folder, .index = 0};
    CHECK(process.queue->claim(0, {}).holder == Holder::ThisProcess);
    process.queue->finish(0);
}
