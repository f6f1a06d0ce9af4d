#pragma once
// Keys of commands: the defaults of the command table and of the timeline's own keys, overridden by the user's
// settings. Main thread only; one for the program, like Dear ImGui's context.
//
// A key without Ctrl is a place on the keyboard, named as on a US one: W A S D lie under the same fingers on every
// layout, [ ] and , . can be reached on all. With Ctrl it is the letter that is printed on it: Ctrl+Z undoes where Z
// is. / and ? are the characters, wherever they are typed.

#include "core/base/result.hpp"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ui {

struct Chord {
    int key = 0;  // GLFW code; 0: none
    bool ctrl = false;
    bool shift = false;
    bool alt = false;  // with digits only: letters open menus of the desktop
    bool operator==(const Chord&) const = default;
};
std::string format_chord(const Chord&);  // "Ctrl+Shift+Z"
core::Result<Chord> read_chord(std::string_view text);

// A key that the timeline itself takes.
struct TimelineKey {
    std::string_view id;
    std::string_view does;
    Chord chord;
    Chord second = {};
    std::string_view synonyms = {};  // other words that the palette finds it by
};
std::span<const TimelineKey> all_timeline_keys();

class KeyMap {
public:
    KeyMap();
    // The keys of a command or of a key of the timeline; empty: none.
    std::span<const Chord> chords(std::string_view id) const;
    std::string format(std::string_view id) const;  // one after the other: "D  F5"
    // Every id with its keys and what they do, one a line.
    std::string list() const;
    // {"zoom-in": "i", "undo": ["ctrl+z", "f9"], "quit": ""}: what is right is taken, the rest told in words. A chord
    // that is given to something is taken from whatever had it.
    std::vector<std::string> rebind(const nlohmann::json& keys);

    // In this frame; modifiers as in the chord.
    bool pressed(std::string_view id, bool repeat = false) const;
    bool down(std::string_view id) const;  // whatever the shift key does
    // Does what its key does, in one of the next frames: for the palette.
    void press(std::string id);
    bool waits() const { return !asked_.empty(); }
    void begin_frame();

private:
    void give(const std::string& id, std::vector<Chord> chords);
    std::map<std::string, std::vector<Chord>, std::less<>> chords_;
    mutable std::string asked_;
    int frames_left_ = 0;  // until nobody has taken it
};
KeyMap& key_map();

// The user's settings: {"keys": {…}}. A file that is not there says nothing; words of what is wrong otherwise.
std::vector<std::string> read_settings(const std::filesystem::path& file, KeyMap&);
// Parses the contents of the file; errors do not name it.
std::vector<std::string> apply_settings(const nlohmann::json& settings, KeyMap&);
// $XDG_CONFIG_HOME/lockstep/settings.json, or ~/.config/…; empty if there is no home.
std::filesystem::path settings_file();

}  // namespace ui
