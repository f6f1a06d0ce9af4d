#include "core/ingest/source/repair_text.hpp"

#include "core/base/utf8.hpp"

namespace core {

std::string_view repair_text(std::string_view text, std::string& scratch) {
    if (is_utf8(text)) return text;
    scratch.clear();
    for (std::string_view rest = text; !rest.empty();) {
        const CodePoint point = decode_utf8(rest);
        scratch.append(point.valid ? rest.substr(0, point.bytes) : kReplacementCharacter);
        rest.remove_prefix(point.bytes);
    }
    return scratch;
}

}  // namespace core
