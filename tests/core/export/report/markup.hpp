#pragma once
// Checks that pages are well-formed XML, as far as pages use it, and load nothing external.

#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace core::testing {

// Describes the first error of a page; empty if it is well-formed.
inline std::string find_markup_error(std::string_view page) {
    constexpr std::string_view kDoctype = "<!DOCTYPE html>\n";
    if (!page.starts_with(kDoctype)) return "no doctype";
    std::vector<std::string> open;
    std::size_t at = kDoctype.size();
    const auto near = [&](std::string_view what) {
        return std::string(what) + " at " + std::to_string(at) + ": " + std::string(page.substr(at, 60));
    };
    while (at < page.size()) {
        const char c = page[at];
        if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') return near("a control character");
        if (c == '&') {
            const std::size_t end = page.find(';', at);
            const std::string_view name = page.substr(at, end == std::string_view::npos ? 0 : end - at + 1);
            if (name != "&amp;" && name != "&lt;" && name != "&gt;" && name != "&quot;" && name != "&#39;")
                return near("an unknown entity");
        }
        if (c != '<') {
            ++at;
            continue;
        }
        const bool closes = page.substr(at + 1).starts_with('/');
        std::size_t end = at + (closes ? 2 : 1);
        const std::size_t name_begin = end;
        while (end < page.size() && (std::isalnum(static_cast<unsigned char>(page[end])) != 0)) ++end;
        const std::string name(page.substr(name_begin, end - name_begin));
        if (name.empty()) return near("a tag without a name");
        bool quoted = false;
        while (end < page.size() && (quoted || page[end] != '>')) {
            if (page[end] == '"') quoted = !quoted;
            if (page[end] == '<') return near("a < inside a tag");
            ++end;
        }
        if (end == page.size()) return near("a tag that does not end");
        if (closes) {
            if (open.empty() || open.back() != name) return near("closes what is not open");
            open.pop_back();
        } else if (page[end - 1] != '/') {
            open.push_back(name);
        }
        at = end + 1;
    }
    return open.empty() ? "" : "never closed: " + open.back();
}

// The same for a standalone drawing.
inline std::string find_svg_error(std::string_view svg) {
    constexpr std::string_view kDeclaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    if (!svg.starts_with(kDeclaration)) return "no declaration";
    return find_markup_error("<!DOCTYPE html>\n" + std::string(svg.substr(kDeclaration.size())));
}

// The first address that is not a namespace, or attribute that would load one.
inline std::string find_outside_reference(std::string_view page) {
    for (const std::string_view scheme : {"http://", "https://", "src=\"//", "url(//", "@import"}) {
        for (std::size_t at = page.find(scheme); at != std::string_view::npos; at = page.find(scheme, at + 1)) {
            if (page.substr(0, at).ends_with("xmlns=\"")) continue;
            return std::string(page.substr(at, 60));
        }
    }
    return {};
}

}  // namespace core::testing
