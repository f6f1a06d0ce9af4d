#include "core/cluster/byte_codec.hpp"

#include <bit>

namespace core {
namespace {

constexpr unsigned kBitsPerByte = 7;
constexpr unsigned kMostShift = 63;

}  // namespace

void ByteWriter::unsigned_number(std::uint64_t value) {
    for (; value >= 0x80; value >>= kBitsPerByte) bytes_ += static_cast<char>((value & 0x7F) | 0x80);
    bytes_ += static_cast<char>(value);
}

// The sign goes to the lowest bit, so that small negative numbers are short as well.
void ByteWriter::number(std::int64_t value) {
    unsigned_number(static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> kMostShift));
}

void ByteWriter::real(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (unsigned shift = 0; shift < 64; shift += 8) bytes_ += static_cast<char>(bits >> shift & 0xFF);
}

void ByteWriter::text(std::string_view text) {
    unsigned_number(text.size());
    bytes_ += text;
}

void ByteReader::fail() {
    ok_ = false;
    rest_ = {};
}

std::uint64_t ByteReader::unsigned_number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; !rest_.empty() && shift <= kMostShift; shift += kBitsPerByte) {
        const auto byte = static_cast<unsigned char>(rest_.front());
        rest_.remove_prefix(1);
        if (shift == kMostShift && byte > 1) break;
        value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
        if (byte < 0x80) return value;
    }
    fail();
    return 0;
}

std::int64_t ByteReader::number() {
    const std::uint64_t value = unsigned_number();
    return static_cast<std::int64_t>(value >> 1 ^ (~(value & 1) + 1));
}

double ByteReader::real() {
    if (rest_.size() < 8) {
        fail();
        return 0;
    }
    std::uint64_t bits = 0;
    for (unsigned i = 0; i < 8; ++i) bits |= std::uint64_t{static_cast<unsigned char>(rest_[i])} << (8 * i);
    rest_.remove_prefix(8);
    return std::bit_cast<double>(bits);
}

std::string_view ByteReader::text() {
    const std::size_t size = items(1);
    const std::string_view text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return text;
}

std::uint64_t ByteReader::below(std::uint64_t end) {
    const std::uint64_t value = unsigned_number();
    if (value < end) return value;
    fail();
    return 0;
}

std::size_t ByteReader::items(std::size_t least_bytes) {
    const std::uint64_t count = unsigned_number();
    if (count <= rest_.size() / least_bytes) return static_cast<std::size_t>(count);
    fail();
    return 0;
}

}  // namespace core
