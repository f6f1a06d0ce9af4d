#include "core/ingest/load/text_kinds.hpp"

#include "core/ingest/perfetto/wire.hpp"

#include <algorithm>

namespace core {

bool begins_number_list(std::string_view head) {
    const std::size_t open = head.find('[');
    if (open == std::string_view::npos) return false;
    const std::string_view inside = head.substr(open + 1);
    const std::size_t end = inside.find_first_not_of("0123456789+-.eE, \t\r\n");
    if (end == std::string_view::npos) return !inside.empty();
    return inside[end] == ']' && inside.find_first_not_of(" \t\r\n", end + 1) == std::string_view::npos;
}

bool begins_xplane(std::string_view head) {
    std::uint64_t tag = 0, length = 0;
    constexpr std::uint64_t kPlane = 1 << 3 | 2, kName = 2;
    if (!take_varint(head, tag) || tag != kPlane || !take_varint(head, length)) return false;
    WireReader reader(head.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(length, head.size()))));
    for (WireField field; reader.next(field);) {
        if (field.number > kName) return false;
        if (field.number != kName || !field.is_bytes) continue;
        return field.bytes.starts_with("/host:") || field.bytes.starts_with("/device:") ||
               field.bytes == "Task Environment";
    }
    return false;
}

}  // namespace core
