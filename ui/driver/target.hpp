#pragma once
// Target of the mouse: an item by its path or by the path's last parts, optionally with a point inside
// ("timeline/plot@0.5,0.3": shares of its visible width and height), or an event on the timeline by its name.

#include "core/index/run.hpp"
#include "ui/style/items.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ui {

struct NamedEvent {
    std::string name;          // exact; if no event has it, part of a name
    std::string rank = {};     // "3", "3·b"; empty: the first rank with such an event
    std::size_t nth = 0;       // in order of start
    bool only_visible = false; // counts and goes to events within the shown time only
};

struct Target {
    Target(std::string_view text);  // NOLINT(google-explicit-constructor): targets are written as text
    Target(const char* text) : Target(std::string_view(text)) {}
    Target(const std::string& text) : Target(std::string_view(text)) {}
    Target(NamedEvent named) : event(std::move(named)) {}

    std::string item;
    ImVec2 at{0.5f, 0.5f};
    std::optional<NamedEvent> event;
};

// Text, or {"event": NAME, "rank": 3, "nth": 0, "visible": true, "at": [x, y]}.
core::Result<Target> read_target(const nlohmann::json&);
std::string format_target(const Target&);

// The one item that matches; the error names the nearest ones, or several that match equally well.
core::Result<Item> find_item(std::span<const Item>, std::string_view path);
// `visible`: the shown time range, used with only_visible.
core::Result<core::EventRef> find_named_event(const core::Run&, const NamedEvent&, core::RunRange visible);
// Candidates similar to the text, most similar first, for messages.
std::vector<std::string> find_near(std::string_view text, std::span<const std::string> candidates);

}  // namespace ui
