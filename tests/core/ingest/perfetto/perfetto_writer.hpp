#pragma once
// Writes small Perfetto traces for tests.

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace core::testing {

inline std::string varint(std::uint64_t value) {
    std::string bytes;
    for (; value >= 0x80; value >>= 7) bytes += static_cast<char>((value & 0x7F) | 0x80);
    return bytes + static_cast<char>(value);
}
inline std::string number(std::uint32_t field, std::uint64_t value) {
    return varint(std::uint64_t{field} << 3) + varint(value);
}
inline std::string bytes(std::uint32_t field, std::string_view value) {
    return varint(std::uint64_t{field} << 3 | 2) + varint(value.size()) + std::string(value);
}
inline std::string real(std::uint32_t field, double value) {
    std::string out = varint(std::uint64_t{field} << 3 | 1);
    auto bits = std::bit_cast<std::uint64_t>(value);
    for (int i = 0; i < 8; ++i, bits >>= 8) out += static_cast<char>(bits & 0xFF);
    return out;
}
inline std::string packet(std::string_view fields) { return bytes(1, fields); }

// One of sequence 1 with the time.
inline std::string packet_at(std::uint64_t time, std::string_view fields) {
    return packet(number(8, time) + number(10, 1) + std::string(fields));
}
inline std::string thread_track(std::uint64_t uuid, std::uint64_t pid, std::uint64_t tid, std::string_view name) {
    return packet(bytes(60, number(1, uuid) + bytes(4, number(1, pid) + number(2, tid) + bytes(5, name))));
}
inline std::string process_track(std::uint64_t uuid, std::uint64_t pid, std::string_view name) {
    return packet(bytes(60, number(1, uuid) + bytes(3, number(1, pid) + bytes(6, name))));
}
inline std::string begin(std::uint64_t time, std::uint64_t track, std::string_view name, std::string_view category,
                         std::string_view more = {}) {
    return packet_at(
        time, bytes(11, number(9, 1) + number(11, track) + bytes(23, name) + bytes(22, category) + std::string(more)));
}
inline std::string end(std::uint64_t time, std::uint64_t track) {
    return packet_at(time, bytes(11, number(9, 2) + number(11, track)));
}
// One clock of a snapshot: what it shows, and in a clock of one sequence how it counts.
inline std::string clock_reading(std::uint64_t clock, std::uint64_t stamp, std::string_view more = {}) {
    return bytes(1, number(1, clock) + number(2, stamp) + std::string(more));
}
inline std::string snapshot(std::uint64_t sequence, std::string_view readings) {
    return packet(number(10, sequence) + bytes(6, readings));
}
// An instant of a sequence on a clock.
inline std::string instant_on(std::uint64_t clock, std::uint64_t time, std::string_view name,
                              std::uint64_t sequence = 2) {
    return packet(number(8, time) + number(10, sequence) + number(58, clock) +
                  bytes(11, number(9, 3) + number(11, 11) + bytes(23, name)));
}
inline std::string argument(std::string_view name, std::string_view value) {
    return bytes(4, bytes(10, name) + std::string(value));
}

}  // namespace core::testing
