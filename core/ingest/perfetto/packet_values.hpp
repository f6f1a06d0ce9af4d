#pragma once
// Values of packets as they are used, and the limits on what is stored of them. No valid file reaches these.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace core {

inline constexpr std::size_t kMostPacketNames = 1 << 22;  // of one kind and sequence
inline constexpr int kDeepestTrack = 64;
inline constexpr std::string_view kNoProcess = "trace";  // in place of its number

// Nothing: no time or length that a trace can have.
std::optional<std::int64_t> as_time(std::uint64_t value);
// Valid UTF-8 of any bytes.
std::string valid(std::string_view text);

}  // namespace core
