#include "core/analysis/engine/prose.hpp"

#include <algorithm>

namespace core {

std::string Prose::join_lines() const {
    std::string text;
    bool is_new_paragraph = false;
    for (std::string_view rest = written_; !rest.empty();) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        if (line.empty()) {
            is_new_paragraph = true;
            continue;
        }
        if (!text.empty()) text += is_new_paragraph ? '\n' : ' ';
        text += line;
        is_new_paragraph = false;
    }
    return text;
}

}  // namespace core
