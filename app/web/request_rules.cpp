#include "app/web/request_rules.hpp"

#include "core/base/ascii.hpp"

#include <algorithm>

namespace app::web {
namespace {

constexpr std::size_t kMostHostBytes = 255;

bool is_loopback(std::string_view name) { return name == "127.0.0.1" || name == "localhost" || name == "[::1]"; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string host_name(std::string_view host) {
    if (host.empty() || host.size() > kMostHostBytes) return {};
    std::string_view name = host;
    const std::size_t from = host.front() == '[' ? host.find(']') : 0;
    if (from == std::string_view::npos) return {};
    if (const std::size_t colon = host.find(':', from); colon != std::string_view::npos) {
        const std::string_view port = host.substr(colon + 1);
        if (port.empty() || port.size() > 5 || !std::ranges::all_of(port, is_digit)) return {};
        name = host.substr(0, colon);
    }
    std::string lower;
    for (const char c : name) {
        const bool known = is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' ||
                           (host.front() == '[' && (c == '[' || c == ']' || c == ':'));
        if (!known) return {};
        lower += core::lower_ascii(c);
    }
    return lower;
}

bool is_own_host(std::string_view host, const HostNames& names) {
    const std::string name = host_name(host);
    return !name.empty() && (is_loopback(name) || std::ranges::find(names, name) != names.end());
}

bool is_own_origin(std::string_view origin, std::string_view host, const HostNames& names) {
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (!origin.starts_with(scheme)) continue;
        const std::string_view from = origin.substr(scheme.size());
        if (host_name(from).empty()) return false;
        if (std::ranges::find(names, host_name(from)) != names.end()) return true;
        return from.size() == host.size() && std::ranges::equal(from, host, {}, core::lower_ascii, core::lower_ascii);
    }
    return false;
}

std::vector<std::pair<std::string, std::string>> answer_headers(const HostNames& names) {
    std::string ancestors = names.empty() ? " 'none'" : " 'self'";
    for (const std::string& name : names) ancestors += " http://" + name + ":* https://" + name + ":*";
    return {
        {"Content-Security-Policy",
         "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob:; "
         "base-uri 'none'; form-action 'none'; frame-ancestors" +
             ancestors},
        {"X-Content-Type-Options", "nosniff"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Cache-Control", "no-store"},
    };
}

std::string wrong_host_page() {
    return "Lockstep answers only under the names of this machine's loopback: 127.0.0.1, localhost and [::1].\n"
           "If you reach it through a proxy or under another name, start it with --host NAME,\n"
           "for example: lockstep web --host hub.example.org PATH\n";
}

}  // namespace app::web
