#include "ui/remote/wire_bytes.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <limits>

namespace {

using ui::remote::WireReader;
using ui::remote::WireWriter;

constexpr std::array<std::int64_t, 9> kNumbers = {0,
                                                  1,
                                                  -1,
                                                  63,
                                                  -64,
                                                  8'191,
                                                  -1'000'000,
                                                  std::numeric_limits<std::int64_t>::max(),
                                                  std::numeric_limits<std::int64_t>::min()};
constexpr std::array<std::int32_t, 8> kCoordinates = {0, 64, -64, 1, -1, 6'400, 1'000'001, -1'000'001};

}  // namespace

TEST_CASE("numbers and texts on the wire read back equal") {
    WireWriter out;
    for (const std::int64_t number : kNumbers) out.add_signed(number);
    for (const std::int32_t at : kCoordinates) out.add_coordinate(at);
    out.add_u32(0x89ABCDEF);
    out.add_u64(0x0123456789ABCDEF);
    out.add_float(1.25f);
    out.add_text("text");
    WireReader in(out.bytes());
    for (const std::int64_t number : kNumbers) CHECK(in.take_signed() == number);
    for (const std::int32_t at : kCoordinates) CHECK(in.take_coordinate() == at);
    CHECK(in.take_u32() == 0x89ABCDEF);
    CHECK(in.take_u64() == 0x0123456789ABCDEF);
    CHECK(in.take_float() == 1.25f);
    CHECK(in.take_text(4) == "text");
    CHECK(in.at_end());
    CHECK_FALSE(in.failed());
}

TEST_CASE("a whole pixel takes one byte on the wire up to 31 pixels") {
    WireWriter out;
    out.add_coordinate(31 * 64);
    CHECK(out.bytes().size() == 1);
    out.clear();
    out.add_coordinate(31 * 64 + 1);
    CHECK(out.bytes().size() > 1);
}

TEST_CASE("a reader fails at what is missing, too long or out of range, and then gives zeros") {
    SUBCASE("cut short") {
        WireReader in("\x80");
        CHECK(in.take_varint() == 0);
        CHECK(in.failed());
    }
    SUBCASE("a varint of more than 64 bits") {
        WireReader in("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x02");
        CHECK(in.take_varint() == 0);
        CHECK(in.failed());
    }
    SUBCASE("above the limit") {
        WireReader in("\x05");
        CHECK(in.take_varint(4) == 0);
        CHECK(in.failed());
    }
    SUBCASE("a count of more than what is left") {
        WireReader in("\x03\x01\x02");
        CHECK(in.take_count() == 0);
        CHECK(in.failed());
    }
    SUBCASE("a text beyond the end") {
        WireReader in(
            "\x04"
            "abc");
        CHECK(in.take_text(10).empty());
        CHECK(in.failed());
        CHECK(in.take_u64() == 0);
    }
}
