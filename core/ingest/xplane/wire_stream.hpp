#pragma once
// Fields of protobuf messages in a stream of any length: nested messages are entered, not held. Small ones are read as
// a whole, for core/ingest/perfetto/wire.

#include "core/ingest/source/byte_source.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace core {

class WireStream {
public:
    static constexpr std::uint64_t kNoEnd = std::numeric_limits<std::uint64_t>::max();

    struct Field {
        std::uint32_t number = 0;
        std::uint64_t value = 0;  // of a number, or the length of bytes
        bool is_bytes = false;    // which come next in the stream: read, skip or enter them
        std::uint64_t end = 0;    // of the bytes
    };

    explicit WireStream(ByteSource& source) : source_(source), buffer_(std::size_t{1} << 18) {}

    // The next field of the message that ends at `end`. False: there is none, or the stream is damaged there.
    bool next(std::uint64_t end, Field& field);
    bool read(const Field& field, std::string& to);
    bool skip(const Field& field) { return skip_to(field.end); }

    std::uint64_t place() const { return passed_ + at_; }
    std::uint64_t consumed() const { return source_.consumed(); }
    bool is_bad() const { return !fault_.empty(); }
    const std::string& fault() const { return fault_; }  // "byte 17: …"

private:
    bool refill();
    bool take(char& byte);
    bool take_varint(std::uint64_t& value);
    bool take_fixed(std::size_t size, std::uint64_t& value);
    bool skip_to(std::uint64_t end);
    bool fail(std::string_view what);

    ByteSource& source_;
    std::vector<char> buffer_;
    std::size_t at_ = 0, filled_ = 0;
    std::uint64_t passed_ = 0;  // bytes before the buffer
    bool is_done_ = false;
    std::string fault_;
};

}  // namespace core
