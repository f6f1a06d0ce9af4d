#include "core/export/report/html_text.hpp"

#include "core/base/format.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace core {
namespace {

// U+FFFE and U+FFFF, which are not allowed in XML.
bool is_no_character(std::string_view three) { return three == "\xEF\xBF\xBE" || three == "\xEF\xBF\xBF"; }

std::string_view entity_of(char c) {
    switch (c) {
        case '&':
            return "&amp;";
        case '<':
            return "&lt;";
        case '>':
            return "&gt;";
        case '"':
            return "&quot;";
        case '\'':
            return "&#39;";
        default:
            return {};
    }
}

// Keeps line ends, as in definitions of analyses.
void add_harmless_html(std::string& out, std::string_view line) {
    const std::string plain = terminal_text(line);
    for (std::size_t i = 0; i < plain.size(); ++i) {
        if (i + 3 <= plain.size() && is_no_character(std::string_view(plain).substr(i, 3))) {
            out += kReplacementCharacter;
            i += 2;
        } else if (const std::string_view entity = entity_of(plain[i]); !entity.empty()) {
            out += entity;
        } else {
            out += plain[i];
        }
    }
}

}  // namespace

std::string html_text(std::string_view text) {
    std::string out;
    for (;;) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        add_harmless_html(out, text.substr(0, end));
        if (end == text.size()) return out;
        out += '\n';
        text.remove_prefix(end + 1);
    }
}

std::string cut_in_the_middle(std::string_view text, std::size_t most) {
    std::vector<std::size_t> starts;
    for (std::size_t i = 0; i < text.size(); ++i)
        if (!continues_utf8(text[i])) starts.push_back(i);
    if (starts.size() <= most || most < 4) return std::string(text);  // less has no room for both ends
    const std::size_t tail = (most - 1) / 3;
    const std::size_t head = most - 1 - tail;
    return std::string(text.substr(0, starts[head])) + std::string(kEllipsis) +
           std::string(text.substr(starts[starts.size() - tail]));
}

std::string spoken_name(std::string_view name) {
    std::string text(name);
    std::ranges::replace(text, '_', ' ');
    std::ranges::replace(text, '-', ' ');
    return text;
}

std::vector<std::string> brief_names(std::span<const std::string> names, const ShortName& short_name,
                                     std::size_t most) {
    std::map<std::string, std::set<std::string>> by_brief;
    std::vector<std::string> briefs;
    for (const std::string& name : names) {
        briefs.push_back(cut_in_the_middle(short_name ? short_name(name) : name, most));
        by_brief[briefs.back()].insert(name);
    }
    for (std::size_t i = 0; i < names.size(); ++i)
        if (by_brief[briefs[i]].size() > 1) briefs[i] = cut_in_the_middle(names[i], most);
    return briefs;
}

std::string coordinate(double value) {
    if (!std::isfinite(value)) return "0";
    std::string out = fmt::format("{:.1f}", value);
    if (out.ends_with(".0")) out.resize(out.size() - 2);
    return out == "-0" ? "0" : out;
}

std::string base64(std::string_view bytes) {
    constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k)
            group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
        for (std::size_t k = 0; k < 4; ++k) out += i + k > bytes.size() ? '=' : kDigits[group >> (18 - 6 * k) & 63u];
    }
    return out;
}

std::string counted_noun(std::size_t count, std::string_view one, std::string_view many) {
    return format_count(static_cast<std::uint64_t>(count)) + " " + std::string(count == 1 ? one : many);
}

}  // namespace core
