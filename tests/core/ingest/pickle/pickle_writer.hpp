#pragma once
// Writes JSON values as a pickle of protocol 2, as the C++ writer of PyTorch does, for tests.

#include <nlohmann/json.hpp>

#include <bit>
#include <cstdint>
#include <string>

namespace core::testing {

inline std::string little_endian(std::uint64_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += i < 8 ? static_cast<char>(value >> (8 * i) & 0xFF) : '\0';
    return text;
}

inline std::string pickle_of_text(std::string_view text) {
    return "X" + little_endian(text.size(), 4) + std::string(text);
}

inline std::string pickle_value(const nlohmann::json& value) {
    if (value.is_null()) return "N";
    if (value.is_boolean()) return value.get<bool>() ? "\x88" : "\x89";
    if (value.is_string()) return pickle_of_text(value.get<std::string>());
    if (value.is_number_float()) {
        const auto bits = std::bit_cast<std::uint64_t>(value.get<double>());
        std::string text = "G";
        for (int i = 7; i >= 0; --i) text += static_cast<char>(bits >> (8 * i) & 0xFF);
        return text;
    }
    if (value.is_number()) return "\x8a\x08" + little_endian(static_cast<std::uint64_t>(value.get<std::int64_t>()), 8);
    std::string text = value.is_array() ? "](" : "}(";
    for (const auto& [key, item] : value.items()) {
        if (value.is_object()) text += pickle_of_text(key);
        text += pickle_value(item);
    }
    return text + (value.is_array() ? "e" : "u");
}

inline std::string pickled(const nlohmann::json& value) { return "\x80\x02" + pickle_value(value) + "."; }

}  // namespace core::testing
