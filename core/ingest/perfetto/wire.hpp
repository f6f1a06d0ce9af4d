#pragma once
// Fields of a message in protobuf's wire format. Views into the bytes; never reads beyond them.

#include <cstdint>
#include <string_view>

namespace core {

struct WireField {
    std::uint32_t number = 0;
    std::uint64_t value = 0;       // of a number: varint, 4 or 8 bytes
    std::string_view bytes{};      // of a text, bytes or a message
    bool is_bytes = false;
    double real() const;  // 8 bytes as a double
};

class WireReader {
public:
    explicit WireReader(std::string_view bytes) : rest_(bytes) {}
    // False at the end, or where the bytes are no field: is_bad() tells.
    bool next(WireField& field);
    bool is_bad() const { return bad_; }

private:
    std::string_view rest_;
    bool bad_ = false;
};

// Removes a varint from the front; false if there is none within 10 bytes.
bool take_varint(std::string_view& bytes, std::uint64_t& value);

}  // namespace core
