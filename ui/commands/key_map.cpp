#include "ui/commands/key_map.hpp"

#include "core/base/small_json.hpp"
#include "ui/commands/commands.hpp"
#include "ui/platform/keys.hpp"
#include "ui/style/compat.hpp"
#include "ui/style/key_focus.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace ui {
namespace {

constexpr std::uint64_t kMostSettingsBytes = std::uint64_t{1} << 20;

constexpr TimelineKey kTimelineKeys[] = {
    {"zoom-in", "Zoom in at the pointer", {GLFW_KEY_W}, {}, "magnify closer"},
    {"zoom-out", "Zoom out at the pointer", {GLFW_KEY_S}},
    {"pan-left", "Pan to the left", {GLFW_KEY_A}, {GLFW_KEY_LEFT}, "scroll"},
    {"pan-right", "Pan to the right", {GLFW_KEY_D}, {GLFW_KEY_RIGHT}, "scroll"},
    {"centre", "Centre the selected event; again: fit it", {GLFW_KEY_F}, {}, "center zoom to selected"},
    {"previous-event", "Previous event of the lane", {GLFW_KEY_COMMA}},
    {"next-event", "Next event of the lane", {GLFW_KEY_PERIOD}},
    {"previous-link", "Follow the selected event's links back", {GLFW_KEY_LEFT_BRACKET}, {}, "launch kernel arrow"},
    {"next-link", "Follow the selected event's links", {GLFW_KEY_RIGHT_BRACKET}, {}, "launch kernel arrow"},
    {"previous-collective",
     "Previous collective of the selected event's group",
     {GLFW_KEY_LEFT_BRACKET, false, true},
     {},
     "nccl"},
    {"next-collective",
     "Next collective of the selected event's group",
     {GLFW_KEY_RIGHT_BRACKET, false, true},
     {},
     "nccl"},
    {"awaited-rank", "The rank that the selected event waits for", {GLFW_KEY_X}, {}, "straggler late waits for"},
    {"area-of-event", "Area of the selected event", {GLFW_KEY_R}},
    {"zoom-to-area", "Zoom to the area", {GLFW_KEY_Z}, {}, "magnify"},
    {"filter-to-area", "Filter to the area", {GLFW_KEY_ENTER}, {}, "time range"},
};

struct NamedGlfwKey {
    int key;
    std::string_view name;
};
constexpr NamedGlfwKey kShownKeys[] = {
    {GLFW_KEY_HOME, "Home"},          {GLFW_KEY_END, "End"},
    {GLFW_KEY_ESCAPE, "Esc"},         {GLFW_KEY_BACKSPACE, "Backspace"},
    {GLFW_KEY_ENTER, "Enter"},        {GLFW_KEY_TAB, "Tab"},
    {GLFW_KEY_SPACE, "Space"},        {GLFW_KEY_DELETE, "Delete"},
    {GLFW_KEY_INSERT, "Insert"},      {GLFW_KEY_PAGE_UP, "PageUp"},
    {GLFW_KEY_PAGE_DOWN, "PageDown"}, {GLFW_KEY_LEFT, "\xE2\x86\x90"},
    {GLFW_KEY_RIGHT, "\xE2\x86\x92"}, {GLFW_KEY_UP, "\xE2\x86\x91"},
    {GLFW_KEY_DOWN, "\xE2\x86\x93"},
};

// Label of a key in the keyboard layout; the key's own name if the layout is unknown, such as off screen.
int label_at(int key) {
    if (key < GLFW_KEY_A || key > GLFW_KEY_Z) return key;
    const char* label = glfwGetKeyName(key, 0);
    if (!label || label[0] == 0 || label[1] != 0) return key;
    const int letter = std::toupper(static_cast<unsigned char>(label[0]));
    return letter >= GLFW_KEY_A && letter <= GLFW_KEY_Z ? letter : key;
}

#if !LOCKSTEP_IMGUI_EVENTS
int key_with_label(int letter) {
    if (letter < GLFW_KEY_A || letter > GLFW_KEY_Z) return letter;
    for (int key = GLFW_KEY_A; key <= GLFW_KEY_Z; ++key)
        if (label_at(key) == letter) return key;
    return letter;
}
#endif

// The key in Dear ImGui's numbering, which is by place before 1.87 and by label since.
int imgui_key(const Chord& chord) {
#if LOCKSTEP_IMGUI_EVENTS
    return chord.ctrl ? chord.key : label_at(chord.key);
#else
    return chord.ctrl ? key_with_label(chord.key) : chord.key;
#endif
}

// On layouts where another key or a shifted one types '/', the typed character counts instead of the key.
bool is_slash_elsewhere() {
    const char* label = glfwGetKeyName(GLFW_KEY_SLASH, 0);
    return label && std::string_view(label) != "/";
}

bool was_typed(ImWchar character) {
    const ImVector<ImWchar>& typed = ImGui::GetIO().InputQueueCharacters;
    return std::find(typed.begin(), typed.end(), character) != typed.end();
}

bool is_pressed(const Chord& chord, bool repeat) {
    const ImGuiIO& io = ImGui::GetIO();
    if (!chord.ctrl && !chord.alt && key_focus().claims(chord.key)) return false;
    if (chord.key == GLFW_KEY_SLASH && !chord.ctrl && is_slash_elsewhere()) return was_typed(chord.shift ? '?' : '/');
    return chord.ctrl == io.KeyCtrl && chord.shift == io.KeyShift && chord.alt == io.KeyAlt &&
           compat::is_key_pressed(imgui_key(chord), repeat);
}

bool is_digit(int key) { return key >= GLFW_KEY_0 && key <= GLFW_KEY_9; }

std::string show_key(const Chord& chord) {
    const auto named = std::ranges::find(kShownKeys, chord.key, &NamedGlfwKey::key);
    if (named != std::end(kShownKeys)) return std::string(named->name);
    if (chord.key >= GLFW_KEY_F1 && chord.key <= GLFW_KEY_F12) return "F" + std::to_string(chord.key - GLFW_KEY_F1 + 1);
    const int key = chord.ctrl ? chord.key : label_at(chord.key);
    return std::string(1, static_cast<char>(key));  // printable keys are their ASCII capitals
}

bool is_known(std::string_view id) {
    return find_command(id) || std::ranges::find(kTimelineKeys, id, &TimelineKey::id) != std::end(kTimelineKeys);
}

core::Result<std::vector<Chord>> read_chords(const nlohmann::json& value) {
    std::vector<Chord> chords;
    const nlohmann::json list = value.is_array() ? value : nlohmann::json::array({value});
    for (const nlohmann::json& one : list) {
        if (one.is_null() || (one.is_string() && one.get<std::string>().empty())) continue;
        if (!one.is_string()) return core::bad_input("a key is a text such as \"ctrl+shift+f\"");
        core::Result<Chord> chord = read_chord(one.get<std::string>());
        if (!chord) return chord.error();
        chords.push_back(*chord);
    }
    return chords;
}

}  // namespace

std::span<const TimelineKey> all_timeline_keys() { return kTimelineKeys; }

std::string format_chord(const Chord& chord) {
    if (chord.key == 0) return {};
    if (chord.key == GLFW_KEY_SLASH && chord.shift && !chord.ctrl) return "?";
    if (chord.key == GLFW_KEY_EQUAL && chord.shift && chord.ctrl) return "Ctrl++";
    return std::string(chord.ctrl ? "Ctrl+" : "") + (chord.alt ? "Alt+" : "") + (chord.shift ? "Shift+" : "") +
           show_key(chord);
}

core::Result<Chord> read_chord(std::string_view text) {
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (lower == "?") return Chord{GLFW_KEY_SLASH, false, true};
    const core::Result<std::vector<int>> keys = parse_chord(lower);
    if (!keys) return keys.error();
    Chord chord;
    for (const int key : *keys) {
        if (key == GLFW_KEY_LEFT_CONTROL)
            chord.ctrl = true;
        else if (key == GLFW_KEY_LEFT_SHIFT)
            chord.shift = true;
        else if (key == GLFW_KEY_LEFT_ALT)
            chord.alt = true;
        else if (chord.key != 0)
            return core::bad_input("'" + std::string(text) + "': one key, with ctrl or shift or both");
        else
            chord.key = key;
    }
    if (chord.key == 0) return core::bad_input("'" + std::string(text) + "' has no key besides ctrl and shift");
    if (chord.alt && !is_digit(chord.key))
        return core::bad_input("'" + std::string(text) + "': alt goes with digits only");
    return chord;
}

KeyMap::KeyMap() {
    for (const Command& command : all_commands())
        if (command.chord.key != 0) chords_[std::string(command.id)] = {command.chord};
    for (const TimelineKey& key : kTimelineKeys) {
        std::vector<Chord>& chords = chords_[std::string(key.id)] = {key.chord};
        if (key.second.key != 0) chords.push_back(key.second);
    }
}

std::span<const Chord> KeyMap::chords(std::string_view id) const {
    const auto found = chords_.find(id);
    return found == chords_.end() ? std::span<const Chord>() : found->second;
}

std::string KeyMap::format(std::string_view id) const {
    std::string text;
    for (const Chord& chord : chords(id)) text += (text.empty() ? "" : "  ") + format_chord(chord);
    return text;
}

std::string KeyMap::list() const {
    std::string text;
    const auto add = [&](std::string_view id, std::string_view does) {
        std::string line(id);
        line.resize(std::max(line.size() + 2, std::size_t{26}), ' ');
        line += format(id);
        line.resize(std::max(line.size() + 2, std::size_t{44}), ' ');
        text += line.append(does) + "\n";
    };
    for (const TimelineKey& key : kTimelineKeys) add(key.id, key.does);
    for (const Command& command : all_commands()) add(command.id, command.title);
    return text;
}

void KeyMap::bind(const std::string& id, std::vector<Chord> chords) {
    // A chord has one owner: the latest assignment wins.
    for (auto& [other, theirs] : chords_)
        std::erase_if(theirs, [&](const Chord& chord) { return std::ranges::find(chords, chord) != chords.end(); });
    chords_[id] = std::move(chords);
}

std::vector<std::string> KeyMap::rebind(const nlohmann::json& keys) {
    std::vector<std::string> problems;
    if (!keys.is_object()) return {"\"keys\" is not an object of ids and keys"};
    for (const auto& [id, value] : keys.items()) {
        if (!is_known(id)) {
            problems.push_back("keys: unknown id '" + id + "'; lockstep --keys lists the ids");
            continue;
        }
        core::Result<std::vector<Chord>> chords = read_chords(value);
        if (chords)
            bind(id, *std::move(chords));
        else
            problems.push_back("keys: " + id + ": " + chords.error().message);
    }
    return problems;
}

void KeyMap::press(std::string id) {
    constexpr int kFrames = 5;  // a text field that just closed still owns the keys of the next frame
    asked_ = std::move(id);
    frames_left_ = kFrames;
}

void KeyMap::begin_frame() {
    if (!asked_.empty() && --frames_left_ < 0) asked_.clear();
}

bool KeyMap::pressed(std::string_view id, bool repeat) const {
    if (id == asked_) {
        asked_.clear();
        return true;
    }
    return std::ranges::any_of(chords(id), [&](const Chord& chord) { return is_pressed(chord, repeat); });
}

bool KeyMap::down(std::string_view id) const {
    const ImGuiIO& io = ImGui::GetIO();
    return std::ranges::any_of(chords(id), [&](const Chord& chord) {
        if (!chord.ctrl && key_focus().claims(chord.key)) return false;
        return chord.ctrl == io.KeyCtrl && (!chord.shift || io.KeyShift) && compat::is_key_down(imgui_key(chord));
    });
}

KeyMap& key_map() {
    static KeyMap map;
    return map;
}

std::vector<std::string> read_settings(const std::filesystem::path& file, KeyMap& map) {
    if (file.empty()) return {};
    const core::Result<nlohmann::json> settings = core::read_small_json(file, {.bytes = kMostSettingsBytes});
    if (!settings && settings.error().code == core::ErrorCode::NotFound) return {};
    if (!settings) return {settings.error().message};
    std::vector<std::string> problems = apply_settings(*settings, map);
    for (std::string& problem : problems) problem.insert(0, file.string() + ": ");
    return problems;
}

std::vector<std::string> apply_settings(const nlohmann::json& settings, KeyMap& map) {
    if (!settings.is_object()) return {"not a JSON object such as {\"keys\": {\"zoom-in\": \"i\"}}"};
    std::vector<std::string> problems;
    for (const auto& [name, value] : settings.items()) {
        if (name != "keys") {
            problems.push_back("unknown setting '" + name + "'; known is \"keys\"");
            continue;
        }
        for (std::string& problem : map.rebind(value)) problems.push_back(std::move(problem));
    }
    return problems;
}

std::filesystem::path settings_file() {
    const char* const config = std::getenv("XDG_CONFIG_HOME");
    if (config && std::filesystem::path(config).is_absolute())
        return std::filesystem::path(config) / "lockstep" / "settings.json";
    const char* const home = std::getenv("HOME");
    return home && *home != 0 ? std::filesystem::path(home) / ".config" / "lockstep" / "settings.json"
                              : std::filesystem::path();
}

}  // namespace ui
