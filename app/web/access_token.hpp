#pragma once
// The token that opens the window: 128 random bits as 32 hexadecimal digits. On a shared machine
// every user reaches the port, so the token is the lock. Pure, but for the system's random numbers.

#include "core/base/result.hpp"

#include <string>
#include <string_view>

namespace app::web {

core::Result<std::string> make_token();
// Takes the same time wherever the texts differ.
bool is_same_token(std::string_view token, std::string_view given);

}  // namespace app::web
