#pragma once
// Ways of colouring the bars of the timeline.

#include <cstdint>
#include <string_view>

namespace ui {

// Group: the process group of a collective; other events are grey. Duration: on a logarithmic scale.
enum class ColorBy : std::uint8_t { Name, Class, Rank, Group, Duration };
inline constexpr ColorBy kColorWays[] = {ColorBy::Name, ColorBy::Class, ColorBy::Rank, ColorBy::Group,
                                         ColorBy::Duration};

constexpr std::string_view name_of(ColorBy by) {
    constexpr std::string_view kNames[] = {"name", "class", "rank", "process group", "duration"};
    return kNames[static_cast<std::size_t>(by)];
}

}  // namespace ui
