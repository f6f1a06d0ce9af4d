#include "core/ingest/perfetto/packet_values.hpp"

#include "core/base/utf8.hpp"

#include <algorithm>
#include <limits>

namespace core {

std::optional<std::int64_t> as_time(std::uint64_t value) {
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max() / 2);
    return value <= kMost ? std::optional(static_cast<std::int64_t>(value)) : std::nullopt;
}

std::string valid(std::string_view text) {
    if (is_utf8(text)) return std::string(text);
    std::string clean;
    while (!text.empty()) {
        const CodePoint point = decode_utf8(text);
        append_utf8(clean, point.value);
        text.remove_prefix(std::max<std::size_t>(1, point.bytes));
    }
    return clean;
}

}  // namespace core
