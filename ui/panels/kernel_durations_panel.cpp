#include "ui/ask.hpp"
#include "ui/charts/axis.hpp"
#include "ui/charts/error_bars.hpp"
#include "ui/panels/panels.hpp"
#include "ui/timeline/short_name.hpp"
#include "ui/view_models/derived.hpp"
#include "ui/view_models/durations_model.hpp"
#include "ui/view_models/filter_clicks.hpp"
#include "ui/widgets/items.hpp"
#include "ui/widgets/status.hpp"
#include "ui/widgets/text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr std::size_t kMostCharts = 12;
constexpr std::size_t kTop = 6;

using Durations = std::vector<KernelDurations>;

struct Key {
    core::AnswerPtr kernels;
    core::AnswerPtr imbalance;
    std::vector<std::string> chosen;
    TopBy top_by;
    bool operator==(const Key&) const = default;
};

ImU32 color_of(std::string_view kernel_class) {
    for (const core::KernelClass c :
         {core::KernelClass::Compute, core::KernelClass::Communication, core::KernelClass::Memory})
        if (core::name_of(c) == kernel_class) return color::of_class(c);
    return color::kCompute;
}

class KernelDurationsPanel final : public Panel {
public:
    void draw(Frame& frame) override;
    bool busy() const override { return !durations_.fresh(); }
    void describe(nlohmann::json& shown) const override;

private:
    void draw_controls(Frame& frame);
    void draw_charts(Frame& frame, const Durations& durations);
    void draw_chart(Frame& frame, const KernelDurations& kernel, ImVec2 size);
    Derived<Key, Durations> durations_;
    std::shared_ptr<const Durations> shown_;
    core::Filter filter_;     // of the last draw: the ranks it leaves out are faded
    int by_imbalance_ = 0;
    bool fresh_ = false;
};

void KernelDurationsPanel::draw_chart(Frame& frame, const KernelDurations& kernel, ImVec2 size) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList* list = ImGui::GetWindowDrawList();
    std::string note;
    if (kernel.imbalance) note = "imbalance " + format_value(*kernel.imbalance, core::Unit::Ratio);
    const float note_width = note.empty() ? 0 : text_width(small_style(), note) + px(12);
    const std::string name = fit_text(heading_style(), short_name(kernel.kernel).normal, size.x - note_width);
    draw_text(list, heading_style(), at, color::kText, name);
    const bool uneven = kernel.imbalance.value_or(0) > 0.1;
    draw_text_right(list, small_style(), {at.x + size.x, at.y + px(2)}, uneven ? color::kWarning : color::kMuted, note);
    ImGui::Dummy({size.x, px(20)});
    record_item("##kernel");
    tooltip(kernel.kernel);
    std::vector<ErrorBar> bars;
    for (const RankDuration& rank : kernel.ranks)
        bars.push_back({core::format_rank(rank.key), rank.mean, rank.low, rank.high, rank.count, rank.stands_out,
                        !filter_.accepts_rank(rank.key)});
    const ErrorBars chart{bars, core::Unit::Ns, "rank ", color_of(kernel.kernel_class)};
    const ErrorBarHit hit = draw_error_bars("##bars", chart, {size.x, size.y - px(20)});
    if (!hit.clicked || !hit.bar) return;
    const Click click = ImGui::GetIO().KeyCtrl ? Click::Add : Click::Replace;
    frame.intents.push_back(SetFilter{with_rank(frame.session.filter(), kernel.ranks[*hit.bar].key, click)});
}

// As many columns as keep a chart readable; rows scroll.
void KernelDurationsPanel::draw_charts(Frame& frame, const Durations& durations) {
    if (durations.empty()) return empty_state("No GPU event passes the filter", "Choose kernels in the Kernels panel.");
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const float gap = px(24);
    const float least = std::max(px(240), px(12) * static_cast<float>(durations.front().ranks.size()) * 0.5f);
    const auto fitting = static_cast<std::size_t>(std::max(1.0f, std::floor((room.x + gap) / (least + gap))));
    const std::size_t rows = (durations.size() + fitting - 1) / fitting;
    const std::size_t columns = (durations.size() + rows - 1) / rows;
    const float height = std::max(
        px(150),
        std::min(room.y, std::floor((room.y - px(12) * static_cast<float>(rows - 1)) / static_cast<float>(rows))));
    const float width = std::floor((room.x - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns));
    for (std::size_t i = 0; i < durations.size(); ++i) {
        if (i % columns != 0) ImGui::SameLine(0, gap);
        ImGui::PushID(static_cast<int>(i));
        ImGui::BeginGroup();
        ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
        const ItemScope scope("chart:" + std::to_string(i));
        draw_chart(frame, durations[i], {width, height - px(8)});
        ImGui::PopStyleVar();
        ImGui::EndGroup();
        ImGui::PopID();
    }
}

void KernelDurationsPanel::draw_controls(Frame& frame) {
    if (frame.state.chosen_kernels.empty()) {
        choose("top", {"Longest total", "Most uneven"}, by_imbalance_);
    } else if (button("Show the top ones##top")) {
        frame.intents.push_back(ChooseKernels{});
    }
    ImGui::SameLine(0, px(16));
    ImGui::AlignTextToFramePadding();
    fitted_text(frame.state.chosen_kernels.empty()
                    ? "Mean per rank, least to greatest. Ctrl+click in Kernels chooses others."
                    : "Mean per rank, least to greatest, of the chosen kernels.",
                color::kMuted);
}

void KernelDurationsPanel::draw(Frame& frame) {
    shown_ = nullptr;
    if (!frame.run()) return empty_state("No run", "Open a folder of traces.");
    filter_ = frame.filter();
    const core::Filter filter = without_rank(filter_);
    const core::Request kernels = ask(frame, "kernel-durations", "kernels", filter);
    const core::Request imbalance = ask(frame, "kernel-durations/imbalance", "kernel-imbalance", filter);
    draw_controls(frame);
    if (kernels.answer) {
        const Key key{kernels.answer, imbalance.answer, frame.state.chosen_kernels,
                      by_imbalance_ == 1 ? TopBy::Imbalance : TopBy::Total};
        shown_ = durations_.ask(frame.session.pool(), key, [key] {
            return collect_durations(key.kernels->main(), key.imbalance ? &key.imbalance->main() : nullptr, key.chosen,
                                     key.chosen.empty() ? kTop : kMostCharts, key.top_by);
        });
    }
    fresh_ = kernels.fresh && !imbalance.pending() && durations_.fresh();
    if (!begin_answer(kernels, "durations", durations_.fresh() && !imbalance.pending())) return;
    if (shown_) draw_charts(frame, *shown_);
    end_answer();
}

void KernelDurationsPanel::describe(nlohmann::json& shown) const {
    if (!shown_) return;
    shown["fresh"] = fresh_;
    shown["charts"] = nlohmann::json::array();
    for (const KernelDurations& kernel : *shown_) {
        nlohmann::json chart{{"kernel", kernel.kernel}, {"class", kernel.kernel_class}, {"total_ns", kernel.total}};
        if (kernel.imbalance) chart["imbalance"] = *kernel.imbalance;
        for (const RankDuration& rank : kernel.ranks)
            chart["ranks"][core::format_rank(rank.key)] = {
                {"mean_ns", rank.mean}, {"least_ns", rank.low},          {"greatest_ns", rank.high},
                {"count", rank.count},  {"stands_out", rank.stands_out}, {"in_filter", filter_.accepts_rank(rank.key)}};
        shown["charts"].push_back(std::move(chart));
    }
}

}  // namespace

std::unique_ptr<Panel> make_kernel_durations_panel() { return std::make_unique<KernelDurationsPanel>(); }

}  // namespace ui
