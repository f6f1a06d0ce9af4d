#include "core/ingest/xplane/wire_stream.hpp"

#include <algorithm>

namespace core {
namespace {

enum WireType : std::uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };
constexpr std::uint64_t kMostField = (1u << 29) - 1;

}  // namespace

bool WireStream::fail(std::string_view what) {
    if (fault_.empty()) fault_ = "byte " + std::to_string(place()) + ": " + std::string(what);
    return false;
}

bool WireStream::refill() {
    if (is_done_ || is_bad()) return false;
    passed_ += filled_;
    at_ = filled_ = 0;
    const Result<std::size_t> got = source_.read(buffer_);
    if (!got) return fail(got.error().message);
    filled_ = *got;
    is_done_ = filled_ == 0;
    return !is_done_;
}

bool WireStream::take(char& byte) {
    if (at_ == filled_ && !refill()) return false;
    byte = buffer_[at_++];
    return true;
}

bool WireStream::take_varint(std::uint64_t& value) {
    value = 0;
    char byte = 0;
    for (int i = 0; i < 10 && take(byte); ++i) {
        const auto bits = static_cast<unsigned char>(byte);
        value |= static_cast<std::uint64_t>(bits & 0x7Fu) << (7 * i);
        if ((bits & 0x80u) == 0) return true;
    }
    return false;
}

bool WireStream::take_fixed(std::size_t size, std::uint64_t& value) {
    value = 0;
    char byte = 0;
    for (std::size_t i = 0; i < size; ++i) {
        if (!take(byte)) return false;
        value |= static_cast<std::uint64_t>(static_cast<unsigned char>(byte)) << (8 * i);
    }
    return true;
}

bool WireStream::next(std::uint64_t end, Field& field) {
    if (is_bad() || place() >= end) return false;
    if (at_ == filled_ && !refill()) return end == kNoEnd || is_bad() ? false : fail("the file is cut off here");
    field = {};
    std::uint64_t tag = 0;
    bool is_whole = take_varint(tag);
    if (is_whole && (tag >> 3 == 0 || tag >> 3 > kMostField)) return fail("no field begins here");
    field.number = static_cast<std::uint32_t>(tag >> 3);
    switch (is_whole ? static_cast<std::uint32_t>(tag & 7) : std::uint32_t{kVarint}) {
        case kVarint:
            is_whole = is_whole && take_varint(field.value);
            break;
        case kFixed64:
            is_whole = take_fixed(8, field.value);
            break;
        case kFixed32:
            is_whole = take_fixed(4, field.value);
            break;
        case kBytes:
            is_whole = take_varint(field.value);
            field.is_bytes = true;
            break;
        default:
            return fail("no field begins here");
    }
    if (!is_whole) return fail(is_done_ ? "the file is cut off here" : "no number is here");
    const std::uint64_t length = field.is_bytes ? field.value : 0;
    if (place() > end || length > end - place()) return fail("a field is longer than what it is in");
    field.end = place() + length;
    return true;
}

bool WireStream::read(const Field& field, std::string& to) {
    to.clear();
    while (place() < field.end) {
        if (at_ == filled_ && !refill()) return fail("the file is cut off here");
        const std::size_t part = std::min<std::uint64_t>(filled_ - at_, field.end - place());
        to.append(buffer_.data() + at_, part);
        at_ += part;
    }
    return true;
}

bool WireStream::skip_to(std::uint64_t end) {
    while (place() < end) {
        if (at_ == filled_ && !refill()) return fail("the file is cut off here");
        at_ += std::min<std::uint64_t>(filled_ - at_, end - place());
    }
    return true;
}

}  // namespace core
