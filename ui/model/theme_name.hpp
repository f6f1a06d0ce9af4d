#pragma once
// Names of the themes. No ImGui.

#include <cstdint>
#include <optional>
#include <string_view>

namespace ui {

enum class Theme : std::uint8_t { Dark, Light, Safe };  // Safe: for all kinds of colour vision
inline constexpr Theme kThemes[] = {Theme::Dark, Theme::Light, Theme::Safe};
std::string_view name_of(Theme);  // "dark", "light", "safe"
std::optional<Theme> find_theme(std::string_view name);

}  // namespace ui
