#include "ui/platform/keys.hpp"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>
#include <string>

namespace ui {
namespace {

struct NamedKey {
    std::string_view name;
    int key;
};
constexpr NamedKey kKeys[] = {
    {"ctrl", GLFW_KEY_LEFT_CONTROL},
    {"shift", GLFW_KEY_LEFT_SHIFT},
    {"alt", GLFW_KEY_LEFT_ALT},
    {"enter", GLFW_KEY_ENTER},
    {"esc", GLFW_KEY_ESCAPE},
    {"tab", GLFW_KEY_TAB},
    {"space", GLFW_KEY_SPACE},
    {"backspace", GLFW_KEY_BACKSPACE},
    {"delete", GLFW_KEY_DELETE},
    {"insert", GLFW_KEY_INSERT},
    {"left", GLFW_KEY_LEFT},
    {"right", GLFW_KEY_RIGHT},
    {"up", GLFW_KEY_UP},
    {"down", GLFW_KEY_DOWN},
    {"pageup", GLFW_KEY_PAGE_UP},
    {"pagedown", GLFW_KEY_PAGE_DOWN},
    {"home", GLFW_KEY_HOME},
    {"end", GLFW_KEY_END},
};
constexpr std::string_view kPrintable = "',-./;=[\\]`";  // their GLFW codes are the ASCII codes of capitals

int find_key(std::string_view name) {
    const auto named = std::ranges::find(kKeys, name, &NamedKey::name);
    if (named != std::end(kKeys)) return named->key;
    if (name.size() == 1) {
        const char c = name[0];
        if (c >= 'a' && c <= 'z') return c - 'a' + GLFW_KEY_A;
        if ((c >= '0' && c <= '9') || kPrintable.find(c) != std::string_view::npos) return c;
    }
    for (int number = 1; number <= 12; ++number)
        if (name == "f" + std::to_string(number)) return GLFW_KEY_F1 + number - 1;
    return GLFW_KEY_UNKNOWN;
}

core::Error unknown_key(std::string_view name) {
    std::string known;
    for (const NamedKey& key : kKeys) known.append(key.name).append(", ");
    return {core::ErrorCode::BadInput, "no key '" + std::string(name) + "'; known are " + known +
                                           "f1 to f12, letters, digits and " + std::string(kPrintable)};
}

}  // namespace

core::Result<std::vector<int>> parse_chord(std::string_view text) {
    std::vector<int> keys;
    std::size_t begin = 0;
    for (std::size_t end = 0; end != std::string_view::npos; begin = end + 1) {
        end = text.find('+', begin);
        const std::string_view name = text.substr(begin, end == std::string_view::npos ? end : end - begin);
        const int key = find_key(name);
        if (key == GLFW_KEY_UNKNOWN) return unknown_key(name);
        keys.push_back(key);
    }
    return keys;
}

}  // namespace ui
