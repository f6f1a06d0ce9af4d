#include "ui/driver/target.hpp"

#include "core/base/edit_distance.hpp"
#include "core/base/join_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>

namespace ui {
namespace {

constexpr std::size_t kMostNear = 3;

core::Error missing(std::string message) { return {core::ErrorCode::NotFound, std::move(message)}; }

std::string with_near(const std::string& message, std::string_view text, std::span<const std::string> candidates) {
    const std::vector<std::string> near = find_near(text, candidates);
    return near.empty() ? message : message + "; near: " + core::join_text(near, ", ");
}

// The last parts of the path, as many as the text has.
std::string_view last_parts(std::string_view path, std::string_view text) {
    const auto wanted = std::ranges::count(text, '/') + 1;
    std::size_t from = path.size();
    for (auto part = wanted; part > 0; --part) {
        from = from == 0 ? std::string_view::npos : path.rfind('/', from - 1);
        if (from == std::string_view::npos) return path;
    }
    return path.substr(from + 1);
}

std::size_t distance(std::string_view text, std::string_view candidate) {
    return std::min(core::edit_distance(text, candidate), core::edit_distance(text, last_parts(candidate, text)));
}

bool ends_with_parts(std::string_view path, std::string_view parts) {
    return path.size() > parts.size() && path.ends_with(parts) && path[path.size() - parts.size() - 1] == '/';
}

bool read_share(std::string_view text, float& share) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), share);
    return error == std::errc{} && end == text.data() + text.size() && share >= 0 && share <= 1;
}

// Events of a rank by name, sorted by start: exact matches if there are any, else names that contain the text.
std::vector<core::EventId> collect_named(const core::RankTrace& trace, std::string_view name) {
    const auto collect = [&](auto accepts) {
        std::vector<core::EventId> found;
        for (std::uint32_t event = 0; event < trace.size(); ++event)
            if (accepts(trace.name_text(core::EventId{event}))) found.push_back(core::EventId{event});
        return found;
    };
    std::vector<core::EventId> found = collect([&](std::string_view text) { return text == name; });
    if (found.empty())
        found = collect([&](std::string_view text) { return text.find(name) != std::string_view::npos; });
    std::ranges::stable_sort(found, {}, [&](core::EventId event) { return trace.start[core::index_of(event)]; });
    return found;
}

std::vector<std::string> collect_names(const core::RankTrace& trace) {
    std::vector<std::string> names;
    for (std::uint32_t event = 0; event < trace.size(); ++event)
        names.emplace_back(trace.name_text(core::EventId{event}));
    std::ranges::sort(names);
    const auto repeated = std::ranges::unique(names);
    names.erase(repeated.begin(), repeated.end());
    return names;
}

void filter_visible(const core::RankSlot& rank, core::RunRange visible, std::vector<core::EventId>& events) {
    std::erase_if(events, [&](core::EventId event) {
        const core::RunRange range = rank.range_of(event);
        return range.end < visible.begin || range.begin > visible.end;
    });
}

}  // namespace

Target::Target(std::string_view text) : item(text) {
    const std::size_t sign = text.rfind('@');
    if (sign == std::string_view::npos) return;
    const std::string_view point = text.substr(sign + 1);
    const std::size_t comma = point.find(',');
    ImVec2 inside;
    if (comma == std::string_view::npos || !read_share(point.substr(0, comma), inside.x) ||
        !read_share(point.substr(comma + 1), inside.y))
        return;
    item = text.substr(0, sign);
    at = inside;
}

core::Result<Target> read_target(const nlohmann::json& json) {
    if (json.is_string()) return Target(json.get_ref<const std::string&>());
    if (!json.is_object() || !json.contains("event") || !json["event"].is_string())
        return core::Error{core::ErrorCode::BadInput,
                           "a target is an item's path or {\"event\": NAME}, not " + json.dump()};
    NamedEvent event;
    event.name = json["event"].get<std::string>();
    for (const auto& [key, value] : json.items()) {
        if (key == "event") continue;
        if (key == "rank" && (value.is_number_integer() || value.is_string()))
            event.rank = value.is_string() ? value.get<std::string>() : value.dump();
        else if (key == "nth" && value.is_number_unsigned())
            event.nth = value.get<std::size_t>();
        else if (key == "visible" && value.is_boolean())
            event.only_visible = value.get<bool>();
        else
            return core::Error{core::ErrorCode::BadInput, "an event is named by event, rank, nth, visible; not by \"" +
                                                              key + "\": " + value.dump()};
    }
    return Target(std::move(event));
}

std::string format_target(const Target& target) {
    if (!target.event) return "'" + target.item + "'";
    const NamedEvent& event = *target.event;
    return "event '" + event.name + "'" + (event.nth > 0 ? " number " + std::to_string(event.nth) : "") +
           (event.rank.empty() ? "" : " of rank " + event.rank) + (event.only_visible ? " in view" : "");
}

std::vector<std::string> find_near(std::string_view text, std::span<const std::string> candidates) {
    const std::size_t most = std::max<std::size_t>(2, text.size() / 3);
    std::vector<std::pair<std::size_t, std::string>> near;
    for (const std::string& candidate : candidates) {
        const std::size_t most_apart = candidate.find(text) != std::string::npos ? 1 : candidate.size();
        const std::size_t apart = std::min(most_apart, distance(text, candidate));
        if (apart <= most) near.emplace_back(apart, candidate);
    }
    std::ranges::sort(near);
    const auto repeated = std::ranges::unique(near);
    near.erase(repeated.begin(), repeated.end());
    near.resize(std::min(near.size(), kMostNear));
    std::vector<std::string> names;
    for (auto& [apart, name] : near) names.push_back(std::move(name));
    return names;
}

core::Result<Item> find_item(std::span<const Item> items, std::string_view path) {
    const auto exact = std::ranges::find(items, path, &Item::path);
    if (exact != items.end()) return *exact;
    std::vector<std::string> meant;
    const Item* found = nullptr;
    for (const Item& item : items) {
        if (!ends_with_parts(item.path, path) || (found && found->path == item.path)) continue;
        meant.push_back(item.path);
        found = &item;
    }
    if (meant.size() == 1) return *found;
    if (!meant.empty()) {
        meant.resize(std::min(meant.size(), kMostNear));
        return missing("'" + std::string(path) + "' may be any of: " + core::join_text(meant, ", "));
    }
    std::vector<std::string> paths;
    for (const Item& item : items) paths.push_back(item.path);
    return missing(with_near("no item '" + std::string(path) + "'", path, paths));
}

core::Result<core::EventRef> find_named_event(const core::Run& run, const NamedEvent& named, core::RunRange visible) {
    const core::RankSlot* first = nullptr;
    std::size_t most = 0;
    for (std::uint32_t slot = 0; slot < run.ranks().size(); ++slot) {
        const core::RankSlot& rank = run.rank(slot);
        if (!named.rank.empty() && core::format_rank(rank.key) != named.rank) continue;
        if (!first) first = &rank;
        std::vector<core::EventId> events = collect_named(rank.trace(), named.name);
        if (named.only_visible) filter_visible(rank, visible, events);
        if (named.nth < events.size()) return core::EventRef{slot, events[named.nth]};
        most = std::max(most, events.size());
    }
    if (!first) return missing("no rank " + named.rank);
    const std::string what = "no " + format_target(Target(named));
    if (most > 0) return missing(what + ": there are " + std::to_string(most));
    return missing(with_near(what, named.name, collect_names(first->trace())));
}

}  // namespace ui
