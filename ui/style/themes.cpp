// Palettes of the themes: every colour of the window, except those of names and scales, which
// theme.cpp derives from hues.
#include "ui/style/theme.hpp"

#include <algorithm>

namespace ui {
namespace {

using color::rgb;

constexpr color::Palette kDark{
    .background = rgb(0x121418),
    .panel = rgb(0x191C22),
    .raised = rgb(0x22262E),
    .line = rgb(0x2E333D),
    .grid = rgb(0x262B34),
    .plot_grid = rgb(0x1E2024),
    .text = rgb(0xDDE2EA),
    .muted = rgb(0x98A1AE),
    .faint = rgb(0x6B7482),
    .ink = rgb(0xFFFFFF),
    .accent = rgb(0x4C9BE8),
    .warning = rgb(0xE0A95A),
    .error = rgb(0xE5736D),
    .found = rgb(0xFFE680),
    .path = rgb(0x5CF2CF),
    .mark = rgb(0xB9A5F2),
    .casing = rgb(0x0C0E11),
    .arrow = rgb(0xF2F5F9),
    .compute = rgb(0x5B86D1),
    .communication = rgb(0xC47EB5),
    .memory = rgb(0xE0A95A),
    .idle = rgb(0x3F4652),
    .unclassed = rgb(0x5A6472),
    .waiting = rgb(0x8B929E),
    .baseline = rgb(0x8FA3BF),
    .candidate = rgb(0xF0B95B),
    .more = rgb(0xE39A5B),
    .less = rgb(0x6FA8E8),
    .unknown = rgb(0x1E2229),
    .lone = rgb(0x4A5260),
    .tick = rgb(0x9CC3F0),
    .base = rgb(0x3A4150),
    .whisker = rgb(0xE8ECF2),
    .flame_as_before = rgb(0x5A616D),
    .flame_others = rgb(0x4A505B),
    .flame_root = rgb(0x363C47),
    .popup = rgb(0x1E2229),
    .frame_hovered = rgb(0x282D37),
    .frame_active = rgb(0x2E3440),
    .button = rgb(0x262B34),
    .button_hovered = rgb(0x303744),
    .button_active = rgb(0x3A4352),
    .tab = rgb(0x2A303A),
    .scrollbar = rgb(0x343B47),
    .scrollbar_hovered = rgb(0x424B5A),
    .scrollbar_active = rgb(0x525D6F),
    .sets = {rgb(0x8C7FD6), rgb(0x6FB3A2), rgb(0xD98C86), rgb(0xB9B4C4)},
    .series = {rgb(0x7DB7EE), rgb(0xE89A4A), rgb(0x4FA67A), rgb(0xC46FAE), rgb(0xEDE694), rgb(0x7A68D0)},
    .light = false,
    .safe = false,
};

constexpr color::Palette kLight{
    .background = rgb(0xFBFCFD),
    .panel = rgb(0xF1F3F6),
    .raised = rgb(0xE4E8ED),
    .line = rgb(0xCBD2DB),
    .grid = rgb(0xDDE2E8),
    .plot_grid = rgb(0xE9EDF1),
    .text = rgb(0x1B2029),
    .muted = rgb(0x535D6B),
    .faint = rgb(0x76808E),
    .ink = rgb(0x11151B),
    .accent = rgb(0x1F72C4),
    .warning = rgb(0xA66A0C),
    .error = rgb(0xC0352E),
    .found = rgb(0xB58100),
    .path = rgb(0x007A64),
    .mark = rgb(0x6A4FC4),
    .casing = rgb(0xFFFFFF),
    .arrow = rgb(0x1B2029),
    .compute = rgb(0x5B86D1),
    .communication = rgb(0xC47EB5),
    .memory = rgb(0xDE9F45),
    .idle = rgb(0xC3CAD3),
    .unclassed = rgb(0x66707E),
    .waiting = rgb(0x9AA3AF),
    .baseline = rgb(0x56708F),
    .candidate = rgb(0xA96D0D),
    .more = rgb(0x96480B),
    .less = rgb(0x185CA2),
    .unknown = rgb(0xE7EBF0),
    .lone = rgb(0xB3BCC8),
    .tick = rgb(0x2C74BE),
    .base = rgb(0xC9D0D9),
    .whisker = rgb(0x20262F),
    .flame_as_before = rgb(0xC4CAD2),
    .flame_others = rgb(0xD2D7DE),
    .flame_root = rgb(0xDCE1E7),
    .popup = rgb(0xFFFFFF),
    .frame_hovered = rgb(0xDCE2E9),
    .frame_active = rgb(0xD2D9E2),
    .button = rgb(0xE1E6EC),
    .button_hovered = rgb(0xD3DAE3),
    .button_active = rgb(0xC4CDD8),
    .tab = rgb(0xDDE3EA),
    .scrollbar = rgb(0xC2CAD4),
    .scrollbar_hovered = rgb(0xA9B3C0),
    .scrollbar_active = rgb(0x8E99A8),
    .sets = {rgb(0x7B6CCB), rgb(0x5AA391), rgb(0xCB7670), rgb(0x8F89A0)},
    .series = {rgb(0x2F7CC8), rgb(0xD98324), rgb(0x1E8A5A), rgb(0x8F2E7C), rgb(0x4E4200), rgb(0x5A45B8)},
    .light = true,
    .safe = false,
};

constexpr color::Palette kSafe{
    .background = rgb(0x121418),
    .panel = rgb(0x191C22),
    .raised = rgb(0x22262E),
    .line = rgb(0x2E333D),
    .grid = rgb(0x262B34),
    .plot_grid = rgb(0x1E2024),
    .text = rgb(0xDDE2EA),
    .muted = rgb(0x98A1AE),
    .faint = rgb(0x6B7482),
    .ink = rgb(0xFFFFFF),
    .accent = rgb(0x4C9BE8),
    .warning = rgb(0xE0A95A),
    .error = rgb(0xE5736D),
    .found = rgb(0xFFE680),
    .path = rgb(0x5CF2CF),
    .mark = rgb(0xE8E0FF),
    .casing = rgb(0x0C0E11),
    .arrow = rgb(0xF2F5F9),
    .compute = rgb(0x3D86C6),
    .communication = rgb(0xE6A02B),
    .memory = rgb(0x14A67F),
    .idle = rgb(0x3F4652),
    .unclassed = rgb(0x666B74),
    .waiting = rgb(0x8B929E),
    .baseline = rgb(0x8FA3BF),
    .candidate = rgb(0xF0B95B),
    .more = rgb(0xE39A5B),
    .less = rgb(0x6FA8E8),
    .unknown = rgb(0x1E2229),
    .lone = rgb(0x4A5260),
    .tick = rgb(0x9CC3F0),
    .base = rgb(0x3A4150),
    .whisker = rgb(0xE8ECF2),
    .flame_as_before = rgb(0x5A616D),
    .flame_others = rgb(0x4A505B),
    .flame_root = rgb(0x363C47),
    .popup = rgb(0x1E2229),
    .frame_hovered = rgb(0x282D37),
    .frame_active = rgb(0x2E3440),
    .button = rgb(0x262B34),
    .button_hovered = rgb(0x303744),
    .button_active = rgb(0x3A4352),
    .tab = rgb(0x2A303A),
    .scrollbar = rgb(0x343B47),
    .scrollbar_hovered = rgb(0x424B5A),
    .scrollbar_active = rgb(0x525D6F),
    .sets = {rgb(0xA7C7E2), rgb(0x7FD0E0), rgb(0xF3E07A), rgb(0xF1EEDC)},
    .series = {rgb(0x7DB7EE), rgb(0xE89A4A), rgb(0x4FA67A), rgb(0xC46FAE), rgb(0xEDE694), rgb(0x7A68D0)},
    .light = false,
    .safe = true,
};

}  // namespace

std::string_view name_of(Theme theme) {
    switch (theme) {
        case Theme::Dark:
            return "dark";
        case Theme::Light:
            return "light";
        case Theme::Safe:
            return "safe";
    }
    return {};
}

std::optional<Theme> find_theme(std::string_view name) {
    const auto found = std::ranges::find_if(kThemes, [&](Theme theme) { return name_of(theme) == name; });
    return found == std::end(kThemes) ? std::nullopt : std::optional(*found);
}

const color::Palette& palette_of(Theme theme) {
    if (theme == Theme::Light) return kLight;
    return theme == Theme::Safe ? kSafe : kDark;
}

}  // namespace ui
