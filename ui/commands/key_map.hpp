#pragma once
// Keys of commands: the defaults of the command table and of the timeline's own keys, overridden by
// the user's settings. Main thread only; one for the program, like Dear ImGui's context.
//
// A key without Ctrl is a place on the keyboard, named as on a US one: W A S D are under the same
// fingers on every layout, and [ ] and , . are reachable on all. With Ctrl it is the printed
// letter: Ctrl+Z undoes wherever Z is. / and ? are the characters, however they are typed.

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
    bool alt = false;  // with digits only: desktops use letters for menus
    bool operator==(const Chord&) const = default;
};
std::string format_chord(const Chord&);  // "Ctrl+Shift+Z"
core::Result<Chord> read_chord(std::string_view text);

// A key that the timeline handles itself.
struct TimelineKey {
    std::string_view id;
    std::string_view does;
    Chord chord;
    Chord second = {};
    std::string_view synonyms = {};  // other words that find it in the palette
};
std::span<const TimelineKey> all_timeline_keys();

class KeyMap {
public:
    KeyMap();
    // The keys of a command or of a key of the timeline; empty: none.
    std::span<const Chord> chords(std::string_view id) const;
    std::string format(std::string_view id) const;  // all of them: "D  F5"
    // All ids with their keys and what they do, one per line.
    std::string list() const;
    // Changes keys: {"zoom-in": "i", "undo": ["ctrl+z", "f9"], "quit": ""}. Valid entries take effect; returns a
    // message for each of the others. Assigning a chord removes it from its previous owner.
    std::vector<std::string> rebind(const nlohmann::json& keys);

    // Whether the key was pressed in this frame, with exactly the chord's modifiers.
    bool pressed(std::string_view id, bool repeat = false) const;
    bool down(std::string_view id) const;  // held down; Shift is ignored
    // Simulates the key in one of the next frames: used by the palette.
    void press(std::string id);
    bool waits() const { return !asked_.empty(); }
    void begin_frame();

private:
    void bind(const std::string& id, std::vector<Chord> chords);
    std::map<std::string, std::vector<Chord>, std::less<>> chords_;
    mutable std::string asked_;
    int frames_left_ = 0;  // frames until the press is dropped if nothing handles it
};
KeyMap& key_map();

// Reads the user's settings: {"keys": {…}}. A missing file is fine; returns messages about errors.
std::vector<std::string> read_settings(const std::filesystem::path& file, KeyMap&);
// Parses the contents of the file; error messages omit the file's name.
std::vector<std::string> apply_settings(const nlohmann::json& settings, KeyMap&);
// $XDG_CONFIG_HOME/lockstep/settings.json, or ~/.config/…; empty if there is no home.
std::filesystem::path settings_file();

}  // namespace ui
