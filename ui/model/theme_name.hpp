#pragma once
// The themes by name. No ImGui here.

#include <cstdint>
#include <optional>
#include <string_view>

namespace ui {

enum class Theme : std::uint8_t { Dark, Light, Safe };  // Safe: for every kind of colour vision
inline constexpr Theme kThemes[] = {Theme::Dark, Theme::Light, Theme::Safe};
std::string_view name_of(Theme);  // "dark", "light", "safe"
std::optional<Theme> find_theme(std::string_view name);

}  // namespace ui
