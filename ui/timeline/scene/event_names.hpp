#pragma once
// Names and colours of events on the screen, computed once per distinct name: short forms with
// their widths in the small font, and a shade per name of a rank. Main thread; call forget() after
// fonts are rebuilt or the theme changes.

#include "core/base/short_name.hpp"
#include "core/collectives/matched_run.hpp"
#include "ui/timeline/scene/collect_visible.hpp"

#include <imgui.h>

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace ui {

class EventNames {
public:
    struct Label {
        core::ShortenedName name;
        float normal_px = -1;  // width; negative: not computed yet
        float brief_px = 0;
    };
    const Label& label(const core::RankSlot&, core::EventId);
    // Shades (color::of_shade) by NameId of the rank. Valid until forget().
    std::span<const std::uint8_t> shades(const core::RankSlot&);
    // Colours by NameId of the names of process groups; 0 for other names. Groups of the same members have the same
    // colour on every rank. Valid until forget().
    std::span<const std::uint32_t> group_colors(const core::RankSlot&);
    // Colours of a rank's member events and their parts by the group they were matched in, which their own arguments
    // may lack. By event, ascending. Valid until forget() or a call with other matches.
    std::span<const EventColor> member_colors(const core::RankSlot&, std::uint32_t slot, const core::MatchedRunPtr&);
    void forget();  // drops everything

private:
    std::vector<Label> labels_;  // by InternedName
    std::unordered_map<const core::RankTrace*, std::vector<std::uint8_t>> shades_;
    std::unordered_map<const core::RankTrace*, std::vector<std::uint32_t>> group_colors_;
    core::MatchedRunPtr matched_;  // matches of member_colors_
    std::unordered_map<std::uint32_t, std::vector<EventColor>> member_colors_;  // by slot
};

}  // namespace ui
