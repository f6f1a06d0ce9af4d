#include "core/ingest/perfetto/wire.hpp"

#include <bit>
#include <cstddef>

namespace core {
namespace {

enum WireType : std::uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };
constexpr std::uint32_t kMostField = (1u << 29) - 1;

bool take_fixed(std::string_view& bytes, std::size_t size, std::uint64_t& value) {
    if (bytes.size() < size) return false;
    value = 0;
    for (std::size_t i = 0; i < size; ++i)
        value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    bytes.remove_prefix(size);
    return true;
}

}  // namespace

double WireField::real() const { return std::bit_cast<double>(value); }

bool take_varint(std::string_view& bytes, std::uint64_t& value) {
    value = 0;
    for (std::size_t i = 0; i < bytes.size() && i < 10; ++i) {
        const auto byte = static_cast<unsigned char>(bytes[i]);
        value |= static_cast<std::uint64_t>(byte & 0x7Fu) << (7 * i);
        if ((byte & 0x80u) != 0) continue;
        bytes.remove_prefix(i + 1);
        return true;
    }
    return false;
}

bool WireReader::next(WireField& field) {
    if (rest_.empty() || bad_) return false;
    field = {};
    std::uint64_t tag = 0, length = 0;
    bad_ = true;
    if (!take_varint(rest_, tag) || tag >> 3 == 0 || tag >> 3 > kMostField) return false;
    field.number = static_cast<std::uint32_t>(tag >> 3);
    switch (tag & 7) {
        case kVarint:
            if (!take_varint(rest_, field.value)) return false;
            break;
        case kFixed64:
            if (!take_fixed(rest_, 8, field.value)) return false;
            break;
        case kFixed32:
            if (!take_fixed(rest_, 4, field.value)) return false;
            break;
        case kBytes:
            if (!take_varint(rest_, length) || length > rest_.size()) return false;
            field.bytes = rest_.substr(0, static_cast<std::size_t>(length));
            field.is_bytes = true;
            rest_.remove_prefix(static_cast<std::size_t>(length));
            break;
        default:
            return false;
    }
    bad_ = false;
    return true;
}

}  // namespace core
