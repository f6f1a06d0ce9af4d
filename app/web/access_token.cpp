#include "app/web/access_token.hpp"

#include <array>
#include <cstddef>
#include <cstdio>
#include <memory>

namespace app::web {

core::Result<std::string> make_token() {
    const core::Error failed{core::ErrorCode::Io, "no random numbers for the token: cannot read /dev/urandom"};
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> source(std::fopen("/dev/urandom", "rb"), &std::fclose);
    std::array<unsigned char, 16> bytes{};
    if (!source || std::fread(bytes.data(), 1, bytes.size(), source.get()) != bytes.size()) return failed;
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string token;
    for (const unsigned char byte : bytes) {
        token += kDigits[byte >> 4];
        token += kDigits[byte & 15];
    }
    return token;
}

bool is_same_token(std::string_view token, std::string_view given) {
    unsigned char different = token.size() == given.size() && !token.empty() ? 0 : 1;
    for (std::size_t i = 0; i < token.size(); ++i) {
        const char other = i < given.size() ? given[i] : '\0';
        different = static_cast<unsigned char>(
            different | (static_cast<unsigned char>(token[i]) ^ static_cast<unsigned char>(other)));
    }
    return different == 0;
}

}  // namespace app::web
