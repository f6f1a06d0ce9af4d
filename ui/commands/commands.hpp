#pragma once
// Every command of the window: name, group, default key and intent. Menus, palette, key sheet and
// shortcuts come from this table. Keys of the timeline (pan, zoom, walk) are in ui/commands/key_map
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
    Alias,  // another key for the preceding command
    OfNumber,  // one of nine alike; lists of all keys show one gesture for them
    NotInPalette,  // the palette itself
    InPalette,  // one of many: the menu shows them by subject or leaves them to the palette
};

struct Command {
    std::string_view id;
    CommandGroup group;
    std::string_view title;
    Chord chord;
    Intent (*intent)(const UiChoices&);
    CommandTrait trait = CommandTrait::None;
};

// Mouse actions on the timeline, and keys that each stand for several, for the sheet of all keys.
struct Gesture {
    std::string_view keys;
    std::string_view does;
};

// The table in commands.cpp, sorted by group, with one command for each panel ("panel-kernels") and analysis
// ("analysis-overlap").
const core::Catalogue<Command>& commands();
inline std::span<const Command> all_commands() { return commands().rows(); }
std::span<const Gesture> all_gestures();
const Command* find_command(std::string_view id);
// Other words that find the command in the palette, separated by spaces; empty for most.
std::string_view synonyms_of(const Command&);

// Commands whose keys were pressed in this frame; none while a text field has the keyboard. escape_taken: something
// else has already handled Escape.
void collect_pressed(const UiChoices&, bool escape_taken, std::vector<Intent>& intents);

}  // namespace ui
