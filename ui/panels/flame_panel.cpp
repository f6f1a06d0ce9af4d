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
#include "core/base/short_name.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>

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
    void draw_sandwich(Frame& own, const core::Request& request, const core::Request* other);
    void draw_half(Frame& own, FlameLens lens, float height, const core::Request& request, const core::Request* other);
    bool is_sandwich() const { return shape_ == 2; }

    FlameChoice choice_;
    core::BySide<FlameView> views_;
    core::BySide<FlameView> callers_, callees_;
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
    same_line_for(toggle_width("Graph") + toggle_width("Tree") + toggle_width("Sandwich") + px(4), px(16));
    choose("shape", {"Graph##graph", "Tree##tree", "Sandwich##sandwich"}, shape_);
    tooltip("Sandwich: who calls a function, and what it calls, merged over all places");
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

// A click on a caller or a callee puts it into the middle.
void FlamePanel::draw_half(Frame& own, FlameLens lens, float height, const core::Request& request,
                           const core::Request* other) {
    const bool of_callers = lens == FlameLens::Callers;
    FlameView& view = (of_callers ? callers_ : callees_)[own.side];
    FlameChoice choice = choice_;
    choice.lens = lens;
    choice.as_tree = false;
    choice.zoom.clear();
    const std::string name = view.center().empty() ? "\xE2\x80\xA6" : core::short_name(view.center()).normal;
    const ItemScope scope(of_callers ? "callers" : "callees");
    ImGui::BeginChild(of_callers ? "callers" : "callees", {0, height}, false);
    muted_text((of_callers ? "Callers of " : "Called by ") + name);
    record_item("##center");
    tooltip(view.center().empty() ? std::string(name) : std::string(view.center()));
    view.draw(own, choice, request, other);
    ImGui::EndChild();
    if (!choice.zoom.empty() && choice.zoom.back() != view.center()) choice_.center = choice.zoom.back();
}

void FlamePanel::draw_sandwich(Frame& own, const core::Request& request, const core::Request* other) {
    if (choice_.center.empty() && !choice_.zoom.empty()) choice_.center = choice_.zoom.back();
    const float half = std::max(px(60), std::floor((ImGui::GetContentRegionAvail().y - px(8)) / 2));
    draw_half(own, FlameLens::Callers, half, request, other);
    draw_half(own, FlameLens::Callees, half, request, other);
}

void FlamePanel::draw_both(Frame& frame) {
    const core::BySide<core::Request> requests =
        ask_both(frame, "flame-graph", core::flame_graph(), {static_cast<std::int64_t>(choice_.kind)});
    draw_side_by_side(frame, [&](Frame& own) {
        const core::Request* const other = &requests[core::other_side(own.side)];
        if (is_sandwich()) return draw_sandwich(own, requests[own.side], other);
        views_[own.side].draw(own, choice_, requests[own.side], other);
    });
}

void FlamePanel::draw(Frame& frame) {
    if (!frame.run()) return empty_state("No run", "Open a folder of traces.");
    comparing_ = frame.candidate != nullptr;
    draw_controls();
    if (comparing_) return draw_both(frame);
    const core::Request request =
        ask(frame, "flame-graph", core::flame_graph(), {static_cast<std::int64_t>(choice_.kind)});
    if (is_sandwich()) return draw_sandwich(frame, request, nullptr);
    views_[frame.side].draw(frame, choice_, request, nullptr);
}

bool FlamePanel::busy() const {
    return std::ranges::any_of(core::kSides, [this](core::Side side) {
        if (side == core::Side::Candidate && !comparing_) return false;
        return is_sandwich() ? callers_[side].busy() || callees_[side].busy() : views_[side].busy();
    });
}

void FlamePanel::describe(nlohmann::json& shown) const {
    shown["kind"] = kFlameKinds[static_cast<std::size_t>(kind_)];
    shown["measure"] = measure_ == 0 ? "cpu_time" : "kernel_time";
    shown["search"] = choice_.search;
    shown["zoom"] = choice_.zoom;
    shown["by_change"] = choice_.by_change;
    if (is_sandwich()) {
        shown["center"] = callees_.baseline.center();
        callers_.baseline.describe(shown["callers"]);
        callees_.baseline.describe(shown["callees"]);
        return;
    }
    views_.baseline.describe(shown["graph"]);
    if (comparing_) views_.candidate.describe(shown["candidate"]);
}

}  // namespace

std::unique_ptr<Panel> make_flame_panel() { return std::make_unique<FlamePanel>(); }

}  // namespace ui
