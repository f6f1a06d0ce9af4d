#include "core/base/small_json.hpp"

#include "core/base/format.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace core {
namespace {

std::string place_in(std::string_view text, std::size_t byte) {
    const std::string_view before = text.substr(0, std::min(byte > 0 ? byte - 1 : 0, text.size()));
    const std::ptrdiff_t line = 1 + std::ranges::count(before, '\n');
    const std::size_t line_start = before.rfind('\n') + 1;  // 0 without one
    return "line " + std::to_string(line) + ", column " + std::to_string(before.size() - line_start + 1);
}

// The parser's message without its own description of the place: "syntax error while parsing object - unexpected …".
std::string reason_of(std::string_view message) {
    const std::size_t at = message.find("syntax error");
    const std::size_t dash = message.find(" - ", at == std::string_view::npos ? 0 : at);
    if (dash != std::string_view::npos) message.remove_prefix(dash + 3);
    constexpr std::size_t kMost = 200;
    return std::string(message.substr(0, kMost)) + (message.size() > kMost ? "..." : "");
}

}  // namespace

Result<nlohmann::json> parse_small_json(std::string_view text, const JsonLimits& limits) {
    if (text.size() > limits.bytes)
        return bad_input("larger than " + format_bytes(static_cast<std::int64_t>(limits.bytes)) +
                         ", the most that is read of such a file");
    bool too_deep = false;
    using Event = nlohmann::json::parse_event_t;
    const auto keep = [&](int depth, Event event, const nlohmann::json&) {
        // Outside of any bracket is depth 0, so the bracket that begins there makes it 1.
        const bool begins = event == Event::object_start || event == Event::array_start;
        too_deep = too_deep || (begins && depth >= limits.depth);
        return !too_deep;
    };
    try {
        nlohmann::json value = nlohmann::json::parse(text, keep, true, limits.comments);
        if (too_deep)
            return bad_input("not read: brackets are nested more than " + std::to_string(limits.depth) + " deep");
        return value;
    } catch (const nlohmann::json::parse_error& error) {
        return bad_input(place_in(text, error.byte) + ": not JSON: " + reason_of(error.what()));
    } catch (const nlohmann::json::exception& error) {
        return bad_input(std::string("not JSON: ") + error.what());
    }
}

Result<nlohmann::json> read_small_json(const std::filesystem::path& path, const JsonLimits& limits) {
    const Result<std::string> text = read_small_file(path, limits.bytes, limits.standard_input);
    if (!text) return text.error();
    Result<nlohmann::json> value = parse_small_json(*text, limits);
    const bool is_standard_input = limits.standard_input == StandardInput::Allow && path == "-";
    if (!value) return std::move(value).error().within(is_standard_input ? "standard input" : path.string());
    return value;
}

}  // namespace core
