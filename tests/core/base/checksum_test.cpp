#include "core/base/checksum.hpp"

#include <doctest/doctest.h>

#include <random>
#include <set>
#include <vector>

using namespace core;

TEST_CASE("a checksum tells every flipped bit and every length apart") {
    std::mt19937 random(1);
    for (const std::size_t size : std::vector<std::size_t>{0, 1, 7, 8, 63, 64, 65, 128, 200}) {
        std::vector<std::byte> bytes(size);
        for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
        std::set<std::uint64_t> seen = {checksum(bytes)};
        for (std::size_t bit = 0; bit < 8 * size; ++bit) {
            bytes[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
            CHECK(seen.insert(checksum(bytes)).second);
            bytes[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
        }
    }
    std::set<std::uint64_t> lengths;
    for (std::size_t size = 0; size < 300; ++size) CHECK(lengths.insert(checksum(std::vector<std::byte>(size))).second);
}

TEST_CASE("a checksum is the published XXH3 of 64 bits, the same on every machine and in every version") {
    std::vector<std::byte> bytes(1000);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 7);
    CHECK(checksum({}) == 0x2D06800538D394C2u);
    CHECK(checksum(bytes) == 1201669616488073264u);
}
