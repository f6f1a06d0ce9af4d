#pragma once
// The Model Context Protocol over lines of JSON (JSON-RPC 2.0): initialize, ping, tools/list, tools/call, and the
// notifications that go with them. Knows nothing of traces. One call at a time; a second thread reads meanwhile, so
// that a client can cancel what runs. Whatever arrives, the answer is one valid line or none.

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

// What a tool gives back: text for the reader, the same as structured content where it is an object, a picture.
struct Content {
    std::string text{};
    Json structured{};  // null: text only
    std::string png{};  // bytes; empty: none
};

struct Tool {
    std::string_view name;
    std::string_view title;
    std::string_view description;
    Json (*schema)();  // of its arguments
    std::function<core::Result<Content>(const nlohmann::json& arguments, const std::stop_token&)> call;
};

// Answers messages until the input ends or `stop` is requested.
void serve(std::istream& in, std::ostream& out, std::span<const Tool> tools, std::string_view instructions,
           const std::stop_token& stop);

std::string base64(std::string_view bytes);

}  // namespace app::mcp
