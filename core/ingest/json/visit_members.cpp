#include "core/ingest/json/visit_members.hpp"

#include "core/ingest/json/json_scan.hpp"
#include "core/ingest/json/json_value.hpp"

namespace core {

void visit_json_members(std::string_view object, const std::function<bool(std::string_view, std::string_view)>& visit) {
    constexpr std::string_view kBetween = " \t\r\n,";
    constexpr std::string_view kSpaces = " \t\r\n";
    const std::size_t open = object.find_first_not_of(kSpaces);
    if (open == kNotFound || object[open] != '{') return;
    for (std::size_t at = object.find_first_not_of(kBetween, open + 1); at != kNotFound && object[at] == '"';
         at = object.find_first_not_of(kBetween, at)) {
        const std::size_t size = find_string_end(object.substr(at));
        if (size == kNotFound) return;
        const std::string_view key = object.substr(at + 1, size - 2);
        const std::size_t colon = object.find_first_not_of(kSpaces, at + size);
        if (colon == kNotFound || object[colon] != ':') return;
        const std::size_t begin = object.find_first_not_of(kSpaces, colon + 1);
        if (begin == kNotFound) return;
        const std::string_view value = json_token(object.data() + begin, object.data() + object.size());
        if (value.empty() || !visit(key, value)) return;
        at = begin + value.size();
    }
}

}  // namespace core
