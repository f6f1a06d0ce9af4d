#pragma once
// Every command of the window: its name, its group, its default key, the intent it stands for. Menus, the palette, the
// sheet of keys and shortcuts come from this table. Keys of the timeline (pan, zoom, walk) are in ui/commands/key_map
// and handled there.

#include "core/base/catalogue.hpp"
#include "ui/commands/key_map.hpp"
#include "ui/model/intent.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ui {

// Group of a command in the menu, in the palette and on the sheet of keys.
enum class CommandGroup : std::uint8_t { File, Edit, View, Go, Panels, Analyses, Ranks, Colours, Compare, Help };
inline constexpr std::size_t kCommandGroups = 10;
std::string_view name_of(CommandGroup);  // "Colours and theme"

enum class CommandTrait : std::uint8_t {
    None,
    AboutTwoRuns,  // offered only while two runs are open
    Alias,  // another key of the command before it
    OfNumber,  // one of nine alike, which a gesture stands for in lists of all
    InPalette,  // one of many, which the menu shows by subject or leaves to the palette
};

struct Command {
    std::string_view id;
    CommandGroup group;
    std::string_view title;
    Chord chord;
    Intent (*intent)(const UiChoices&);
    CommandTrait trait = CommandTrait::None;
};

// Mouse actions on the timeline, and keys that stand for many, for the sheet of all keys.
struct Gesture {
    std::string_view keys;
    std::string_view does;
};

// The table in commands.cpp, group by group, and one for each panel ("panel-kernels") and analysis
// ("analysis-overlap").
const core::Catalogue<Command>& commands();
inline std::span<const Command> all_commands() { return commands().rows(); }
std::span<const Gesture> all_gestures();
const Command* find_command(std::string_view id);
// Other words that the palette finds a command by, separated by spaces; empty for most.
std::string_view synonyms_of(const Command&);

// Commands whose keys were pressed in this frame; none while a text field takes the keys. escape_taken: not that one.
void collect_pressed(const UiChoices&, bool escape_taken, std::vector<Intent>& intents);

}  // namespace ui
