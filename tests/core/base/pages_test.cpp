#include "core/base/pages.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <span>

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

TEST_CASE("more than there can be is an exception") {
    Pages pages;
    CHECK_THROWS_AS(pages.grow(SIZE_MAX), std::bad_alloc);
    CHECK_THROWS_AS(pages.grow(SIZE_MAX / 2), std::bad_alloc);
}
