#pragma once
// The Model Context Protocol over lines of JSON (JSON-RPC 2.0): initialize, ping, tools/list,
// tools/call and their notifications. Knows nothing of traces. Runs one call at a time; a second
// thread reads meanwhile, so that a client can cancel a running call. Any input line gets one valid
// line as the answer, or none.

#include "core/base/result.hpp"

#include <nlohmann/json.hpp>

#include <functional>
#include <istream>
#include <ostream>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace app::mcp {

using Json = nlohmann::ordered_json;

inline constexpr std::size_t kMostMessageBytes = std::size_t{1} << 20;

// Result of a tool: text for the reader, the same as structured content if it is an object, and a picture.
struct Content {
    std::string text{};
    Json structured{};  // null: text only
    std::string png{};  // bytes; empty: none
};

struct Tool {
    std::string_view name;
    std::string_view title;
    std::string_view description;
    Json (*schema)();  // schema of its arguments
    std::function<core::Result<Content>(const nlohmann::json& arguments, const std::stop_token&)> call;
};

// Answers messages until the input ends or `stop` is requested. After its end what was asked is still answered, unless
// nobody reads the answers any more.
void serve(
    std::istream& in, std::ostream& out, std::span<const Tool> tools, std::string_view instructions,
    const std::stop_token& stop, const std::function<bool()>& is_read = [] { return true; });

std::string base64(std::string_view bytes);

}  // namespace app::mcp
