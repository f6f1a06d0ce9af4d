#include "core/ingest/index_file/pack_sections.hpp"

#include <doctest/doctest.h>

#include <array>
#include <limits>
#include <random>

using namespace core;

namespace {

template <class T>
std::vector<T> random_values(std::mt19937_64& random, std::size_t count, std::uint64_t below) {
    std::vector<T> values(count);
    for (T& value : values) value = static_cast<T>(random() % below);
    return values;
}

std::string bytes_of(const Blob& blob) {
    std::string bytes;
    for (const BlobSection& section : blob.sections()) {
        bytes += std::to_string(section.id) + ":" + std::to_string(section.element_bytes) + ":";
        const auto held = blob.bytes(section);
        bytes.append(reinterpret_cast<const char*>(held.data()), held.size());
    }
    return bytes;
}

Result<UnpackedSections> unpack(const PackedSections& packed) {
    return unpack_sections(std::as_bytes(std::span(packed.bytes)), packed.raw_bytes);
}

}  // namespace

TEST_CASE("packed sections of any element size come back as they were") {
    std::mt19937_64 random(7);
    for (int round = 0; round < 50; ++round) {
        SectionList list;
        const auto count = static_cast<std::size_t>(random() % 200);
        list.give(9, random_values<std::int64_t>(random, count, std::numeric_limits<std::uint64_t>::max()));
        list.give(3, random_values<std::uint32_t>(random, count, 1000));
        list.give(4, random_values<std::uint16_t>(random, count / 2, 70'000));
        list.give(5, random_values<std::uint8_t>(random, count, 256));
        list.give(6, std::vector<std::array<std::int64_t, 3>>(count / 3, {1, -1, static_cast<std::int64_t>(random())}));
        list.give(7, std::vector<std::array<std::uint8_t, 3>>(count / 3, {1, 200, 3}));
        const PackedSections packed = pack_sections(list);
        const Result<UnpackedSections> again = unpack(packed);
        REQUIRE(again);
        CHECK(bytes_of(again->all()) == bytes_of(copy_to_blob(list)));
    }
}

TEST_CASE("rising times take far fewer bytes packed") {
    std::mt19937_64 random(1);
    std::vector<std::int64_t> times;
    for (std::int64_t t = 1'700'000'000'000'000'000; times.size() < 10'000;) {
        t += static_cast<std::int64_t>(random() % 60'000);
        times.push_back(t);
    }
    SectionList list;
    list.give(1, times);
    CHECK(pack_sections(list).bytes.size() < times.size() * 5 / 2);
}

TEST_CASE("packed sections that were cut, changed or claim another size are refused or differ, and never overrun") {
    SectionList list;
    list.give(1, std::vector<std::int64_t>{1, 2, 3, 4});
    list.give(2, std::vector<std::uint8_t>(100, 7));
    const PackedSections packed = pack_sections(list);
    PackedSections other = packed;
    other.raw_bytes += 8;
    CHECK_FALSE(unpack(other));
    other.raw_bytes = std::uint64_t{1} << 40;
    CHECK_FALSE(unpack(other));
    other.raw_bytes = 0;
    CHECK_FALSE(unpack(other));
    other = packed;
    other.bytes.resize(other.bytes.size() / 2);
    CHECK_FALSE(unpack(other));
    for (std::size_t i = 0; i < packed.bytes.size(); ++i) {
        other = packed;
        other.bytes[i] = static_cast<char>(other.bytes[i] ^ 0x55);
        const Result<UnpackedSections> changed = unpack(other);
        if (changed) CHECK(bytes_of(changed->all()) != bytes_of(copy_to_blob(list)));
    }
}
