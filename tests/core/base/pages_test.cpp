#include "core/base/pages.hpp"
#include "core/base/jobs.hpp"

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

// Pages moved away by one thread may be reused for another's: the thread sanitizer must accept that.
TEST_CASE("pages grow on several threads at once, each its own") {
    constexpr std::size_t kSmall = 1 << 14;
    std::vector<Pages> all(64);
    Executor(4).parallel_for(Priority::Answer, all.size(), 4, [&all](std::size_t i) {
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

TEST_CASE("pages shrink to what is needed, down to nothing") {
    Pages pages;
    pages.grow(std::size_t{9} << 20);
    pages.data()[5000] = std::byte{3};
    pages.shrink(5001);
    CHECK(pages.size_bytes() == 8192);
    CHECK(pages.data()[5000] == std::byte{3});
    pages.shrink(std::size_t{1} << 20);  // there are fewer
    CHECK(pages.size_bytes() == 8192);
    pages.grow(std::size_t{5} << 20);
    CHECK(pages.data()[5000] == std::byte{3});
    pages.shrink(0);
    CHECK(pages.size_bytes() == 0);
    pages.grow(1);
    CHECK(pages.data()[0] == std::byte{0});
}

TEST_CASE("of pages that are dropped only the whole ones inside go back, and they can be written again") {
    constexpr std::size_t kPage = 4096;
    Pages pages;
    pages.grow(4 * kPage);
    std::ranges::fill(std::span(pages.data(), 4 * kPage), std::byte{9});
    drop_pages(pages.data() + 1, 3 * kPage);
    const auto at = [&](std::size_t i) { return pages.data()[i]; };
    CHECK(at(kPage - 1) == std::byte{9});
    CHECK(at(kPage) == std::byte{0});
    CHECK(at(3 * kPage - 1) == std::byte{0});
    CHECK(at(3 * kPage) == std::byte{9});
    pages.data()[kPage] = std::byte{5};
    CHECK(at(kPage) == std::byte{5});
    drop_pages(pages.data() + 3 * kPage, kPage - 1);  // no whole page
    CHECK(at(3 * kPage) == std::byte{9});
}

TEST_CASE("a vector over pages keeps its elements while it grows from small to large and back") {
    PageVector<std::uint32_t> column;
    for (std::uint32_t i = 0; i < 3'000'000; ++i) column.push_back(i);
    CHECK(reinterpret_cast<std::uintptr_t>(column.data()) % (std::uintptr_t{2} << 20) == 0);  // fit for large pages
    bool kept = true;
    for (std::uint32_t i = 0; i < column.size(); ++i) kept = kept && column[i] == i;
    CHECK(kept);
    column.resize(10);
    column.shrink_to_fit();
    CHECK(std::ranges::equal(column, std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
    CHECK_THROWS_AS(column.reserve(column.max_size()), std::bad_alloc);
}
