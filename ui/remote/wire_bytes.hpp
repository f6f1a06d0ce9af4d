#pragma once
// Numbers and texts as bytes, little endian, for frames and input over a connection. Reading is
// bounded: the first thing that is missing or out of range fails the reader, which then gives zeros.
// Pure; any thread.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace ui::remote {

class WireWriter {
public:
    void add_byte(std::uint8_t value) { bytes_.push_back(static_cast<char>(value)); }
    void add_u32(std::uint32_t);          // 4 bytes
    void add_u64(std::uint64_t);          // 8 bytes
    void add_float(float);                // 4 bytes
    void add_varint(std::uint64_t);       // 7 bits a byte, lowest first
    void add_signed(std::int64_t value);  // zigzag, then varint
    void add_coordinate(std::int32_t at); // in 1/64; whole numbers take less
    void add_bytes(std::string_view raw) { bytes_.append(raw); }
    void add_text(std::string_view text);  // its length, then its bytes

    const std::string& bytes() const { return bytes_; }
    std::string take() { return std::move(bytes_); }
    void clear() { bytes_.clear(); }

private:
    std::string bytes_;
};

class WireReader {
public:
    explicit WireReader(std::string_view bytes) : left_(bytes) {}

    std::uint8_t take_byte();
    std::uint32_t take_u32();
    std::uint64_t take_u64();
    float take_float();
    std::uint64_t take_varint();
    std::uint64_t take_varint(std::uint64_t most);  // fails above it
    std::int64_t take_signed();
    std::int32_t take_coordinate();
    std::string_view take_bytes(std::size_t count);
    std::string_view take_text(std::size_t most);
    // A number of things of at least `least_bytes` each, so that it cannot exceed what is left.
    std::size_t take_count(std::size_t least_bytes = 1);

    std::string_view rest() const { return left_; }
    void fail() { left_ = {}, failed_ = true; }
    bool failed() const { return failed_; }
    bool at_end() const { return left_.empty(); }  // also after a failure

private:
    std::string_view left_;
    bool failed_ = false;
};

}  // namespace ui::remote
