// Flame graph of CPU time, or of the GPU time it launched: the call trees of all ranks and steps merged, as boxes or as
// rows of a tree. With two runs, one graph each, optionally coloured by change.

#include "ui/model/panel.hpp"
#include "ui/panels/flame_view.hpp"
#include "ui/shell/side_title.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/table/ask.hpp"
#include "ui/widgets/legend.hpp"

#include "core/base/format.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace ui {
namespace {

constexpr std::array<const char*, 3> kFlameKinds{"operators", "python", "annotations"};

class FlamePanel final : public Panel {
public:
    void draw(Frame& frame) override;
    bool busy() const override;
    void describe(nlohmann::json& shown) const override;

private:
    void draw_controls();
    void draw_found();
    void draw_both(Frame& frame);

    FlameChoice choice_;
    core::BySide<FlameView> views_;
    int kind_ = 0;
    int measure_ = 0;
    int shape_ = 0;
    int colors_ = 0;
    bool comparing_ = false;
};

// Search result, as a share of the total.
void FlamePanel::draw_found() {
    std::string words;
    for (const core::Side side : core::kSides) {
        if (side == core::Side::Candidate && !comparing_) continue;
        const std::optional<double> share = views_[side].found_share();
        if (!share) continue;
        const std::size_t count = views_[side].found();
        if (!words.empty()) words += "  \xC2\xB7  ";
        if (comparing_) words += std::string(core::name_of(side)) + " ";
        words += core::format_count(static_cast<std::int64_t>(count)) + (count == 1 ? " frame, " : " frames, ") +
                 core::format_ratio(*share);
    }
    if (words.empty()) return;
    same_line_for(text_width(ui_style(), words), px(8));
    ImGui::AlignTextToFramePadding();
    muted_text(words);
    record_item("##found");
    tooltip("Share of the whole width; nested matches count once");
}

void FlamePanel::draw_controls() {
    choose("kind", {"Operators##operators", "Python##python", "Annotations##annotations"}, kind_);
    same_line_for(toggle_width("CPU time") + toggle_width("Kernel time") + px(2), px(16));
    choose("measure", {"CPU time##cpu", "Kernel time##kernel"}, measure_);
    choice_.kind = static_cast<core::FlameKind>(kind_);
    choice_.measure = measure_ == 0 ? FlameMeasure::CpuTime : FlameMeasure::KernelTime;
    same_line_for(toggle_width("Graph") + toggle_width("Tree") + px(2), px(16));
    choose("shape", {"Graph##graph", "Tree##tree"}, shape_);
    choice_.as_tree = shape_ == 1;
    same_line_for(px(150), px(16));
    input_text("##search", "Find frames", choice_.search, px(150));
    if (comparing_) {
        same_line_for(toggle_width("By name") + toggle_width("By change") + px(2), px(16));
        choose("colors", {"By name##by-name", "By change##by-change"}, colors_);
    }
    choice_.by_change = comparing_ && colors_ == 1;
    if (!choice_.zoom.empty()) {
        same_line_for(toggle_width("Show all"), px(8));
        if (quiet_button("Show all##whole")) choice_.zoom.clear();
    }
    draw_found();
    if (!choice_.by_change) return;
    const std::array<BarPart, 3> parts = flame_change_parts();
    same_line_for(legend_width(parts), px(16));
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() + px(4));
    draw_legend(parts, legend_width(parts) + 1);
}

void FlamePanel::draw_both(Frame& frame) {
    const core::BySide<core::Request> requests =
        ask_both(frame, "flame-graph", core::flame_graph(), {static_cast<std::int64_t>(choice_.kind)});
    draw_side_by_side(frame, [&](Frame& own) {
        views_[own.side].draw(own, choice_, requests[own.side], &requests[core::other_side(own.side)]);
    });
}

void FlamePanel::draw(Frame& frame) {
    if (!frame.run()) return empty_state("No run", "Open a folder of traces.");
    comparing_ = frame.candidate != nullptr;
    draw_controls();
    if (comparing_) return draw_both(frame);
    const core::Request request =
        ask(frame, "flame-graph", core::flame_graph(), {static_cast<std::int64_t>(choice_.kind)});
    views_[frame.side].draw(frame, choice_, request, nullptr);
}

bool FlamePanel::busy() const { return views_.baseline.busy() || (comparing_ && views_.candidate.busy()); }

void FlamePanel::describe(nlohmann::json& shown) const {
    shown["kind"] = kFlameKinds[static_cast<std::size_t>(kind_)];
    shown["measure"] = measure_ == 0 ? "cpu_time" : "kernel_time";
    shown["search"] = choice_.search;
    shown["zoom"] = choice_.zoom;
    shown["by_change"] = choice_.by_change;
    views_.baseline.describe(shown["graph"]);
    if (comparing_) views_.candidate.describe(shown["candidate"]);
}

}  // namespace

std::unique_ptr<Panel> make_flame_panel() { return std::make_unique<FlamePanel>(); }

}  // namespace ui
