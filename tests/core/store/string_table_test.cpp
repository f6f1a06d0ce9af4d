#include "core/store/string_table.hpp"

#include "core/store/blob.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

using namespace core;

TEST_CASE("equal texts get equal ids, different texts different ids") {
    StringPool pool;
    CHECK(pool.text(NameId{0}).empty());
    CHECK(pool.intern("") == NameId{0});
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < 5000; ++i) {
            const std::string text = "name " + std::to_string(i * 7919);
            CHECK(index_of(pool.intern(text)) == static_cast<std::size_t>(i) + 1);
        }
    }
    CHECK(pool.size() == 5001);
    const StringTable table(pool.offsets(), pool.bytes());
    CHECK(table.text(NameId{2}) == "name 7919");
    CHECK(table.text(NameId{5001}).empty());  // out of range: empty
}

TEST_CASE("the hash of a text depends on every byte and on its length") {
    CHECK(hash_text("abcdefgh") != hash_text("abcdefgi"));
    CHECK(hash_text("abcdefgh") != hash_text(std::string_view("abcdefgh\0", 9)));
    CHECK(hash_text("") == hash_text(std::string_view{}));
}

TEST_CASE("a blob returns its sections aligned, and empty spans for absent ones") {
    BlobBuilder builder;
    builder.reserve<std::int64_t>(7, 3);
    builder.reserve<char>(9, 5);
    builder.reserve<std::uint32_t>(11, 0);
    builder.allocate();
    builder.copy<char>(9, std::string_view("hello"));
    const std::span<std::int64_t> numbers = builder.fill<std::int64_t>(7);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = -static_cast<std::int64_t>(i);
    const Blob blob = std::move(builder).finish();
    const Blob copy = blob;
    CHECK(copy.section<std::int64_t>(7)[2] == -2);
    CHECK(std::string_view(copy.section<char>(9).data(), 5) == "hello");
    CHECK(copy.section<std::uint32_t>(11).empty());
    CHECK(copy.section<std::uint32_t>(12).empty());
    CHECK(Blob{}.section<char>(9).empty());
    CHECK(reinterpret_cast<std::uintptr_t>(copy.section<std::int64_t>(7).data()) % 64 == 0);
}

TEST_CASE("sections can be added to a blob after some are filled") {
    BlobBuilder builder;
    builder.reserve<std::int64_t>(1, 100'000);
    builder.allocate();
    for (std::int64_t& number : builder.fill<std::int64_t>(1)) number = 5;
    builder.reserve<std::int64_t>(2, 5'000'000);
    builder.allocate();
    builder.fill<std::int64_t>(2).back() = 6;
    const Blob blob = std::move(builder).finish();
    CHECK(blob.section<std::int64_t>(1).size() == 100'000);
    CHECK(std::ranges::count(blob.section<std::int64_t>(1), 5) == 100'000);
    CHECK(blob.section<std::int64_t>(2).back() == 6);
}
