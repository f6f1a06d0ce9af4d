#pragma once
// Numbers and texts as bytes, for messages between processes of one program. Whole numbers take as many bytes as they
// need (7 bits each), doubles eight. Reading is checked: after the first fault everything reads as zero or empty, and
// ok() is false.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace core {

class ByteWriter {
public:
    void unsigned_number(std::uint64_t);
    void number(std::int64_t);
    void real(double);  // any bits
    void text(std::string_view);
    void flag(bool value) { unsigned_number(value ? 1 : 0); }

    std::string take() && { return std::move(bytes_); }
    std::size_t size() const { return bytes_.size(); }

private:
    std::string bytes_;
};

class ByteReader {
public:
    explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

    std::uint64_t unsigned_number();
    std::int64_t number();
    double real();
    std::string_view text();  // into the bytes
    bool flag() { return below(2) == 1; }
    // A number less than `end`; else a fault, and 0.
    std::uint64_t below(std::uint64_t end);
    // How many items follow, each of at least `least_bytes` (1 or more): never more than the rest can hold.
    std::size_t items(std::size_t least_bytes);

    bool ok() const { return ok_; }
    bool at_end() const { return rest_.empty(); }
    std::size_t left() const { return rest_.size(); }
    void fail();

private:
    std::string_view rest_;
    bool ok_ = true;
};

}  // namespace core
