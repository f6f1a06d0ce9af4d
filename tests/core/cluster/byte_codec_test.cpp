#include "core/cluster/byte_codec.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>

using namespace core;

TEST_CASE("numbers and texts are read as they were written, and small numbers take a byte") {
    constexpr std::int64_t kNumbers[] = {0,
                                         1,
                                         -1,
                                         63,
                                         -64,
                                         64,
                                         127,
                                         300,
                                         -300,
                                         std::numeric_limits<std::int64_t>::max(),
                                         std::numeric_limits<std::int64_t>::min()};
    constexpr std::uint64_t kUnsigned[] = {0, 127, 128, 16383, 16384, std::numeric_limits<std::uint64_t>::max()};
    const double kReals[] = {0.0, -0.0, 1.5, std::numeric_limits<double>::denorm_min(), std::nan("")};
    ByteWriter out;
    for (const std::int64_t value : kNumbers) out.number(value);
    for (const std::uint64_t value : kUnsigned) out.unsigned_number(value);
    for (const double value : kReals) out.real(value);
    out.text("");
    out.text(std::string_view("a\0b", 3));
    out.flag(true);
    const std::string bytes = std::move(out).take();
    ByteReader in(bytes);
    for (const std::int64_t value : kNumbers) CHECK(in.number() == value);
    for (const std::uint64_t value : kUnsigned) CHECK(in.unsigned_number() == value);
    for (const double value : kReals)
        CHECK(std::bit_cast<std::uint64_t>(in.real()) == std::bit_cast<std::uint64_t>(value));
    CHECK(in.text().empty());
    CHECK(in.text() == std::string_view("a\0b", 3));
    CHECK(in.flag());
    CHECK(in.ok());
    CHECK(in.at_end());
    ByteWriter small;
    small.number(-64);
    CHECK(small.size() == 1);
}

TEST_CASE("reading beyond the end, or what cannot be, fails once and for all") {
    ByteWriter out;
    out.text("twelve bytes");
    const std::string bytes = std::move(out).take();
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        ByteReader in(std::string_view(bytes).substr(0, length));
        CHECK(in.text().empty());
        CHECK_FALSE(in.ok());
        CHECK(in.number() == 0);
        CHECK(in.real() == 0);
    }
    CHECK_FALSE([] {
        ByteReader in("\x05");
        in.below(5);
        return in.ok();
    }());
    CHECK([] {
        ByteReader in("\x04");
        in.below(5);
        return in.ok();
    }());
    CHECK_FALSE([] {
        ByteReader in(
            "\x05"
            "abcd");
        in.items(1);
        return in.ok();
    }());
    CHECK_FALSE([] {
        ByteReader in(
            "\x03"
            "abcd");
        in.items(2);
        return in.ok();
    }());
    const std::string endless(11, '\xFF');
    CHECK_FALSE([&] {
        ByteReader in(endless);
        in.unsigned_number();
        return in.ok();
    }());
}
