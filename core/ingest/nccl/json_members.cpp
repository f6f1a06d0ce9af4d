#include "core/ingest/nccl/json_members.hpp"

#include "core/ingest/json/json_scan.hpp"
#include "core/ingest/json/json_value.hpp"
#include "core/ingest/json/timestamp.hpp"
#include "core/ingest/nccl/nccl_lines.hpp"

#include <algorithm>

namespace core {
namespace {

constexpr std::size_t kMostMembers = 256;
constexpr std::string_view kSpaces = " \t\r\n";

bool is_bare(std::string_view token) { return !token.empty() && token[0] != '"' && token[0] != '{' && token[0] != '['; }

}  // namespace

JsonMembers::JsonMembers(std::string_view object) {
    if (!object.starts_with('{')) return;
    for (std::size_t at = 1; members_.size() < kMostMembers;) {
        at = object.find_first_not_of(kSpaces, at);
        if (at == kNotFound) return;
        if (object[at] == '}') {
            whole_ = true;
            return;
        }
        if (object[at] == ',') {
            ++at;
            continue;
        }
        if (object[at] != '"') return;
        const std::size_t key_size = find_string_end(object.substr(at));
        if (key_size == kNotFound) return;
        const std::string_view key = object.substr(at + 1, key_size - 2);
        const std::size_t colon = object.find_first_not_of(kSpaces, at + key_size);
        if (colon == kNotFound || object[colon] != ':') return;
        const std::size_t begin = object.find_first_not_of(kSpaces, colon + 1);
        if (begin == kNotFound || object[begin] == '}' || object[begin] == ',') return;
        const std::string_view value = json_token(object.data() + begin, object.data() + object.size());
        if (value.empty()) return;
        members_.emplace_back(key, value);
        at = begin + value.size();
    }
}

std::string_view JsonMembers::token(std::string_view key) const {
    const auto found = std::ranges::find(members_, key, &std::pair<std::string_view, std::string_view>::first);
    return found == members_.end() ? std::string_view() : found->second;
}

JsonMembers JsonMembers::object(std::string_view key) const { return JsonMembers(token(key)); }

std::optional<std::string> JsonMembers::text(std::string_view key) const {
    const std::string_view value = token(key);
    if (value.empty() || value[0] == '{' || value[0] == '[' || value == "null") return std::nullopt;
    std::string scratch;
    return clean_nccl_text(json_text(value.data(), value.data() + value.size(), scratch));
}

std::optional<std::int64_t> JsonMembers::integer(std::string_view key) const {
    const std::string_view value = token(key);
    if (!is_bare(value)) return std::nullopt;
    const std::optional<std::int64_t> number = parse_decimal(value);
    return number && *number >= 0 ? number : std::nullopt;
}

std::optional<std::uint64_t> JsonMembers::bits(std::string_view key) const {
    const std::string_view value = token(key);
    if (value.empty() || value[0] == '{' || value[0] == '[') return std::nullopt;
    const std::optional<std::int64_t> number = json_bits(value.data(), value.data() + value.size());
    return number ? std::optional(static_cast<std::uint64_t>(*number)) : std::nullopt;
}

std::optional<std::int32_t> JsonMembers::small(std::string_view key) const {
    constexpr std::int64_t kMost = 10'000'000;
    const std::optional<std::int64_t> value = integer(key);
    return value && *value <= kMost ? std::optional(static_cast<std::int32_t>(*value)) : std::nullopt;
}

std::optional<double> JsonMembers::number(std::string_view key) const {
    const std::string_view value = token(key);
    return is_bare(value) ? json_number(value.data(), value.data() + value.size()) : std::nullopt;
}

std::optional<std::int64_t> JsonMembers::time_ns(std::string_view key) const {
    const std::string_view value = token(key);
    if (!is_bare(value)) return std::nullopt;
    const ParsedTime time = parse_microseconds(value);
    return time.valid && !time.clamped && time.ns >= 0 ? std::optional(time.ns) : std::nullopt;
}

std::vector<std::string_view> objects_in(std::string_view list, std::size_t most) {
    std::vector<std::string_view> objects;
    for (std::size_t at = list.find('{'); at != kNotFound && objects.size() < most;) {
        const std::size_t size = find_container_end(list.substr(at));
        if (size == kNotFound) break;
        objects.push_back(list.substr(at, size));
        at = list.find('{', at + size);
    }
    return objects;
}

}  // namespace core
