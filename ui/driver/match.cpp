#include "ui/driver/match.hpp"

#include "core/query/name_pattern.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

using nlohmann::json;

constexpr std::size_t kMostShown = 300;  // bytes of a value in a message

core::Error mismatch(std::string message) { return {core::ErrorCode::NotFound, std::move(message)}; }
core::Error wrong(std::string message) { return {core::ErrorCode::BadInput, std::move(message)}; }

std::string shown(const json& value) {
    std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
    if (text.size() > kMostShown) text = text.substr(0, kMostShown) + "\xE2\x80\xA6";
    return text;
}

bool is_near(const json& value, const json& wanted, double tolerance) {
    return value.is_number() && wanted.is_number() &&
           std::fabs(value.get<double>() - wanted.get<double>()) <= tolerance;
}

bool contains(const json& value, const json& wanted) {
    if (value.is_string())
        return wanted.is_string() &&
               value.get_ref<const std::string&>().find(wanted.get_ref<const std::string&>()) != std::string::npos;
    if (value.is_object()) return wanted.is_string() && value.contains(wanted.get_ref<const std::string&>());
    return value.is_array() && std::ranges::find(value, wanted) != value.end();
}

core::Result<bool> matches(const json& value, const json& wanted) {
    if (!wanted.is_string()) return wrong("matches needs an expression, not " + shown(wanted));
    const core::Result<core::NamePattern> pattern = core::NamePattern::compile(wanted.get_ref<const std::string&>());
    if (!pattern) return pattern.error();
    return value.is_string() && pattern->found_in(value.get_ref<const std::string&>());
}

// Compares both as double: integers of a state are below 2^53 where their order matters.
bool is_ordered(const json& low, const json& high) {
    return low.is_number() && high.is_number() && low.get<double>() <= high.get<double>();
}

core::Result<bool> holds(const std::string& matcher, const json& value, const json& expected) {
    const json& wanted = expected[matcher];
    if (matcher == "equals") return value == wanted;  // numbers compare by value: 1 equals 1.0
    if (matcher == "differs") return value != wanted;
    if (matcher == "near") return is_near(value, wanted, expected.value("tolerance", 0.0));
    if (matcher == "at_least") return is_ordered(wanted, value);
    if (matcher == "at_most") return is_ordered(value, wanted);
    if (matcher == "contains") return contains(value, wanted);
    if (matcher == "matches") return matches(value, wanted);
    return wrong("no matcher '" + matcher +
                 "'; known are equals, differs, near, tolerance, at_least, at_most, contains, matches, exists");
}

// Names the first missing part of the path and lists what exists there.
std::string describe_gap(const json& state, const json::json_pointer& pointer) {
    json::json_pointer there = pointer;
    std::string gone;
    while (!there.empty() && !state.contains(there)) {
        gone = there.back();
        there.pop_back();
    }
    const json& found = state.at(there);
    std::string text = "there is no '" + gone + "' in " + (there.empty() ? "the state" : there.to_string());
    if (!found.is_object()) return text + ": " + shown(found);
    for (const char* before = "; known are "; const auto& [key, value] : found.items()) {
        text += before + key;
        before = ", ";
    }
    return text;
}

core::Result<bool> match_at(const json& state, const json& expected) {
    const json::json_pointer pointer(expected.at("at").get<std::string>());
    const bool wanted = expected.value("exists", true);
    const bool exists = state.contains(pointer) && !state.at(pointer).is_null();
    if (expected.contains("exists") && exists != wanted)
        return mismatch(exists ? pointer.to_string() + " exists: " + shown(state.at(pointer))
                               : pointer.to_string() + " does not exist");
    if (!wanted) return true;
    if (!state.contains(pointer)) return mismatch(describe_gap(state, pointer));
    const json& value = state.at(pointer);
    for (const auto& [matcher, wish] : expected.items()) {
        if (matcher == "at" || matcher == "tolerance" || matcher == "exists") continue;
        const core::Result<bool> held = holds(matcher, value, expected);
        if (!held) return held.error();
        if (!*held)
            return mismatch(pointer.to_string() + " is " + shown(value) + ", expected " + matcher + " " + shown(wish));
    }
    return true;
}

}  // namespace

core::Result<bool> match_state(const json& state, const json& expected) {
    if (!expected.is_object() || !expected.contains("at") || expected.size() < 2)
        return wrong("expect needs {\"at\": POINTER, MATCHER: VALUE}, not " + shown(expected));
    try {
        return match_at(state, expected);
    } catch (const json::exception& error) {
        return wrong(std::string(error.what()));
    }
}

}  // namespace ui
