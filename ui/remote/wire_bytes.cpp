#include "ui/remote/wire_bytes.hpp"

#include <bit>
#include <limits>

namespace ui::remote {
namespace {

constexpr int kBitsPerPixel = 6;  // of a fraction: 1/64

std::uint64_t zigzag(std::int64_t value) {
    return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}

std::int64_t unzigzag(std::uint64_t value) {
    return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

}  // namespace

void WireWriter::add_u32(std::uint32_t value) {
    for (int shift = 0; shift < 32; shift += 8) add_byte(static_cast<std::uint8_t>(value >> shift));
}

void WireWriter::add_u64(std::uint64_t value) {
    for (int shift = 0; shift < 64; shift += 8) add_byte(static_cast<std::uint8_t>(value >> shift));
}

void WireWriter::add_float(float value) { add_u32(std::bit_cast<std::uint32_t>(value)); }

void WireWriter::add_varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) add_byte(static_cast<std::uint8_t>(value | 0x80));
    add_byte(static_cast<std::uint8_t>(value));
}

void WireWriter::add_signed(std::int64_t value) { add_varint(zigzag(value)); }

// The lowest bit says whether a fraction follows in the number.
void WireWriter::add_coordinate(std::int32_t at) {
    constexpr std::int32_t kFraction = (1 << kBitsPerPixel) - 1;
    if ((at & kFraction) == 0)
        add_varint(zigzag(at >> kBitsPerPixel) << 1);
    else
        add_varint(zigzag(at) << 1 | 1);
}

void WireWriter::add_text(std::string_view text) {
    add_varint(text.size());
    add_bytes(text);
}

std::uint8_t WireReader::take_byte() {
    const std::string_view byte = take_bytes(1);
    return byte.empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(byte.front());
}

std::uint32_t WireReader::take_u32() {
    std::uint32_t value = 0;
    int shift = 0;
    for (const char byte : take_bytes(4)) {
        value |= std::uint32_t{static_cast<std::uint8_t>(byte)} << shift;
        shift += 8;
    }
    return value;
}

std::uint64_t WireReader::take_u64() {
    std::uint64_t value = 0;
    int shift = 0;
    for (const char byte : take_bytes(8)) {
        value |= std::uint64_t{static_cast<std::uint8_t>(byte)} << shift;
        shift += 8;
    }
    return value;
}

float WireReader::take_float() { return std::bit_cast<float>(take_u32()); }

std::uint64_t WireReader::take_varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        if (left_.empty()) break;
        const auto byte = static_cast<std::uint8_t>(left_.front());
        left_.remove_prefix(1);
        if (shift == 63 && byte > 1) break;
        value |= std::uint64_t{byte & 0x7Fu} << shift;
        if (byte < 0x80) return value;
    }
    fail();
    return 0;
}

std::uint64_t WireReader::take_varint(std::uint64_t most) {
    const std::uint64_t value = take_varint();
    if (value <= most) return value;
    fail();
    return 0;
}

std::int64_t WireReader::take_signed() { return unzigzag(take_varint()); }

std::int32_t WireReader::take_coordinate() {
    const std::uint64_t value = take_varint();
    std::int64_t at = unzigzag(value >> 1);
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    if (at > kMost || at < -kMost) at = kMost, fail();
    if ((value & 1) == 0) at *= std::int64_t{1} << kBitsPerPixel;
    if (at > kMost || at < -kMost) fail();
    return failed_ ? 0 : static_cast<std::int32_t>(at);
}

std::string_view WireReader::take_bytes(std::size_t count) {
    if (count > left_.size()) {
        fail();
        return {};
    }
    const std::string_view taken = left_.substr(0, count);
    left_.remove_prefix(count);
    return taken;
}

std::string_view WireReader::take_text(std::size_t most) { return take_bytes(take_varint(most)); }

std::size_t WireReader::take_count(std::size_t least_bytes) {
    const std::uint64_t count = take_varint();
    if (count <= left_.size() / least_bytes) return static_cast<std::size_t>(count);
    fail();
    return 0;
}

}  // namespace ui::remote
