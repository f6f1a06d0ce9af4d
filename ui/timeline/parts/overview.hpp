#pragma once
// The whole run in one strip: utilisation by class, averaged over the ranks of the filter, with the
// visible range marked. While the timeline shows the whole run, both have the same scale. Click
// centres the view there; drag moves it. The two strips of a comparison show the same time.

#include "core/query/find_events.hpp"
#include "core/query/selection.hpp"
#include "ui/model/view.hpp"
#include "ui/timeline/scene/collect_visible.hpp"
#include "ui/timeline/scene/rect_renderer.hpp"

#include <imgui.h>
#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <vector>

namespace ui {

// Work shown in the strip: of all ranks, or of the filter's ranks, within its steps and streams.
struct OverviewRanks {
    struct Chosen {
        std::uint32_t slot = 0;
        core::SelectionPtr selection;  // null: all work of the rank, or not known yet
        bool operator==(const Chosen&) const = default;
    };
    bool some = false;  // some ranks instead of all
    std::vector<Chosen> chosen;
    core::ClassSet dimmed = 0;  // classes that the filter excludes
    bool highlights = false;    // events that pass are drawn over the rest, which is dimmed
    std::optional<core::RunRange> time{};  // the filter's time: the rest fades
    bool operator==(const OverviewRanks&) const = default;
};

// Mean shares over the ranks, each as from collect_utilisation. Returns the number of computed column stretches: at
// most the columns of each rank, fewer if a rank has fewer segments. waits: of the run; null: unknown.
std::size_t collect_overview(const core::Run&, const OverviewRanks&, ShownWork, const core::RunWaitSpans* waits,
                             const TimeView& whole, std::span<std::uint32_t> strip);
// View of the strip: the whole run, with the margins of a timeline that shows it all.
TimeView find_overview_view(const View& view, core::RunRange bounds, float width);

struct OverviewMarks {                          // null: nothing to draw
    const core::FoundEvents* found = nullptr;   // along the lower edge
    const core::FoundEvents* unique_events = nullptr;  // along the upper edge
    ImU32 only_color = 0;
    core::RunWaitSpansPtr waits = nullptr;  // hatched
    OverviewRanks ranks = {};
};

class Overview {
public:
    // Draws the run within bounds at `position`; user input moves `view`.
    void draw(const core::RunPtr&, core::RunRange bounds, const OverviewMarks&, View& view, ImVec2 position,
              ImVec2 size);
    void describe(nlohmann::json& shown) const;

private:
    void update(const core::RunPtr&, const OverviewMarks&, const TimeView& whole, ImVec2 size);
    void set_strip(RectRenderer&, const core::Run&, ShownWork, const core::RunWaitSpans*);
    void draw_veils(ImDrawList*, const OverviewMarks&, const TimeView& view, ImVec2 position, ImVec2 end);

    RectRenderer renderer_;
    RectRenderer highlighter_;
    std::uint64_t run_id_ = 0;
    core::RunWaitSpansPtr waits_;
    OverviewRanks ranks_;
    TimeView whole_;
    ImVec2 size_{};
    ImVec2 marked_{};  // left and right edge of the visible range, px of the strip
    std::vector<std::uint32_t> strip_;
};

}  // namespace ui
