#include "core/base/jobs.hpp"
#include "core/base/pages.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <span>
#include <vector>

using namespace core;

TEST_CASE("pages are zero at first, and growing keeps what was written") {
    Pages pages;
    CHECK(pages.size_bytes() == 0);
    pages.grow(100);
    REQUIRE(pages.size_bytes() >= 100);
    CHECK(std::ranges::count(std::span(pages.data(), 100), std::byte{0}) == 100);
    pages.data()[99] = std::byte{7};
    pages.grow(std::size_t{20} << 20);
    CHECK(pages.data()[99] == std::byte{7});
    CHECK(pages.data()[(std::size_t{20} << 20) - 1] == std::byte{0});
    const std::size_t size = pages.size_bytes();
    pages.grow(10);
    CHECK(pages.size_bytes() == size);
    const Pages moved = std::move(pages);
    CHECK(moved.data()[99] == std::byte{7});
}

// What one thread moved away from is where another's pages land: the thread sanitizer has to see that as it is.
TEST_CASE("pages grow on several threads at once, each its own") {
    constexpr std::size_t kSmall = 1 << 14;
    std::vector<Pages> all(64);
    parallel_for(all.size(), 4, [&all](std::size_t i) {
        for (std::size_t size = kSmall; size <= 16 * kSmall; size += kSmall) {
            const std::size_t before = all[i].size_bytes();
            all[i].grow(size);
            std::ranges::fill(std::span(all[i].data() + before, size - before), static_cast<std::byte>(i + 1));
        }
    });
    for (std::size_t i = 0; i < all.size(); ++i)
        CHECK(std::ranges::count(std::span(all[i].data(), 16 * kSmall), static_cast<std::byte>(i + 1)) == 16 * kSmall);
}

TEST_CASE("more than there can be is an exception") {
    Pages pages;
    CHECK_THROWS_AS(pages.grow(SIZE_MAX), std::bad_alloc);
    CHECK_THROWS_AS(pages.grow(SIZE_MAX / 2), std::bad_alloc);
}
