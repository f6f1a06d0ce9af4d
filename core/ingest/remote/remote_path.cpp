#include "core/ingest/remote/remote_path.hpp"

#include "core/base/ascii.hpp"

#include <algorithm>
#include <system_error>

namespace core {
namespace {

constexpr std::string_view kHome = "~/";
constexpr std::string_view kDefaultSsh = "ssh";

bool is_letter_or_digit(char c) { return is_digit(c) || (lower_ascii(c) >= 'a' && lower_ascii(c) <= 'z'); }
bool is_of_host(char c) {
    return is_letter_or_digit(c) || std::string_view("._-@:%[]+=").find(c) != std::string_view::npos;
}
bool is_plain(char c) {
    return is_letter_or_digit(c) || std::string_view("/._-+=:@%,").find(c) != std::string_view::npos;
}

// ssh takes addresses of IPv6 without their brackets.
std::string without_brackets(std::string_view host) {
    std::string plain;
    for (const char c : host)
        if (c != '[' && c != ']') plain += c;
    return plain;
}

}  // namespace

std::optional<RemotePath> parse_remote_path(std::string_view text) {
    const std::size_t colon = std::min(text.find(":/"), text.find(":~/"));
    if (colon == std::string_view::npos || colon == 0) return std::nullopt;
    const std::string_view host = text.substr(0, colon), path = text.substr(colon + 1);
    const bool is_drive = colon == 1;
    if (is_drive || host.front() == '-' || path.starts_with("//")) return std::nullopt;
    if (!std::ranges::all_of(host, is_of_host) || path.find('\0') != std::string_view::npos) return std::nullopt;
    RemotePath remote{.host = without_brackets(host), .path = std::string(path)};
    const std::string_view machine = std::string_view(remote.host).substr(remote.host.rfind('@') + 1);
    if (machine.empty() || machine.front() == '-' || remote.host.front() == '-') return std::nullopt;
    return remote;
}

bool is_remote_path(const std::filesystem::path& path) {
    std::error_code ignored;
    return parse_remote_path(path.string()).has_value() &&
           std::filesystem::symlink_status(path, ignored).type() == std::filesystem::file_type::not_found;
}

std::string name_of_remote(const RemotePath& remote) {
    std::string_view path = remote.path;
    while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
    const std::string_view last = path.size() > 1 ? path.substr(path.rfind('/') + 1) : path;
    return remote.host.substr(remote.host.rfind('@') + 1) + ":" + std::string(last);
}

std::string quote_for_shell(std::string_view path) {
    const std::string_view home = path.starts_with(kHome) ? kHome : std::string_view();  // for the shell to replace
    path.remove_prefix(home.size());
    if (std::ranges::all_of(path, is_plain)) return std::string(home).append(path);
    std::string quoted(home);
    quoted += '\'';
    for (const char c : path) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

std::vector<std::string> command_to_serve(const RemotePath& remote, std::string_view ssh) {
    std::vector<std::string> words;
    if (ssh.find_first_not_of(' ') == std::string_view::npos) ssh = kDefaultSsh;
    for (std::size_t at = 0; (at = ssh.find_first_not_of(' ', at)) != std::string_view::npos;) {
        const std::size_t end = std::min(ssh.find(' ', at), ssh.size());
        words.emplace_back(ssh.substr(at, end - at));
        at = end;
    }
    for (const char* const word : {remote.host.c_str(), "lockstep", "serve", "--stdio"}) words.emplace_back(word);
    words.push_back(quote_for_shell(remote.path));
    return words;
}

}  // namespace core
