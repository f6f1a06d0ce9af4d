#include "core/base/path_text.hpp"

#include "core/base/utf8.hpp"

#include <charconv>

namespace core {
namespace {

constexpr std::string_view kBytesPrefix = "bytes:";

bool needs_path_escape(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte > 0x7E || c == '%';
}

std::string escape_path(std::string_view path) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string text(kBytesPrefix);
    for (const char c : path) {
        const auto byte = static_cast<unsigned char>(c);
        if (needs_path_escape(c))
            text.append({'%', kDigits[byte >> 4], kDigits[byte & 0xFu]});
        else
            text += c;
    }
    return text;
}

std::optional<std::string> unescape_path(std::string_view text) {
    std::string path;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            path += text[i];
            continue;
        }
        unsigned byte = 0;
        const std::string_view digits = text.substr(i + 1, 2);
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
        if (digits.size() != 2 || error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
        path += static_cast<char>(byte);
        i += 2;
    }
    return path;
}

}  // namespace

std::string path_to_text(const std::filesystem::path& path) {
    const std::string& bytes = path.native();
    const bool is_plain = is_utf8(bytes) && !bytes.starts_with(kBytesPrefix);
    return is_plain ? bytes : escape_path(bytes);
}

std::optional<std::filesystem::path> path_from_text(std::string_view text) {
    std::optional<std::string> path = std::string(text);
    if (text.starts_with(kBytesPrefix)) path = unescape_path(text.substr(kBytesPrefix.size()));
    if (!path || path->empty() || path->find('\0') != std::string::npos) return std::nullopt;
    return std::filesystem::path(*std::move(path));
}

}  // namespace core
