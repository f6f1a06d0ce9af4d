// Palettes of the themes: every colour of the window, except those of names and scales, which
// theme.cpp derives from hues. theme_test.cpp holds the distances between classes, series and roles
// for ordinary and for colour-blind eyes.
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
    .compute = rgb(0x5C86DA),
    .communication = rgb(0xB97AB3),
    .memory = rgb(0xE5A552),
    .idle = rgb(0x3D434C),
    .unclassed = rgb(0x626A74),
    .waiting = rgb(0x8B929E),
    .baseline = rgb(0xB8C2D0),
    .candidate = rgb(0xE6E38A),
    .outlier = rgb(0xD2524C),
    .worse = rgb(0xEE756C),
    .better = rgb(0x5FC8F0),
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
    .series = {rgb(0xA6E4EE), rgb(0xF0866C), rgb(0x8A7E22), rgb(0xB3A8F0), rgb(0xC2DDA8), rgb(0xD9A2B4)},
    .other_hues = {105, 215},
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
    .compute = rgb(0x5480DC),
    .communication = rgb(0xC489CE),
    .memory = rgb(0xDE9B30),
    .idle = rgb(0xC8CFD8),
    .unclassed = rgb(0x656E7A),
    .waiting = rgb(0xB4BDC9),
    .baseline = rgb(0x384354),
    .candidate = rgb(0x606A0D),
    .outlier = rgb(0xEE525C),
    .worse = rgb(0xB0443F),
    .better = rgb(0x0B658A),
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
    .series = {rgb(0x0A5566), rgb(0x93240F), rgb(0x857A1A), rgb(0x64409A), rgb(0x4FB07E), rgb(0x78203C)},
    .other_hues = {105, 215},
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
    .compute = rgb(0x2F68B8),
    .communication = rgb(0xF6B02C),
    .memory = rgb(0x35A97B),
    .idle = rgb(0x3D434C),
    .unclassed = rgb(0x676D76),
    .waiting = rgb(0x8B929E),
    .baseline = rgb(0xB6BFCB),
    .candidate = rgb(0xEFE68C),
    .outlier = rgb(0xCE5320),
    .worse = rgb(0xE77642),
    .better = rgb(0x50CBF2),
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
    .series = {rgb(0xA6E6F2), rgb(0xA14E36), rgb(0xDDF090), rgb(0xAF93DE), rgb(0x8FBF70), rgb(0xCF9DB2)},
    .other_hues = {297, 350},
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
