#include "ui/ask.hpp"
#include "ui/charts/axis.hpp"
#include "ui/charts/error_bars.hpp"
#include "ui/panels/panels.hpp"
#include "ui/timeline/short_name.hpp"
#include "ui/view_models/derived.hpp"
#include "ui/view_models/durations_model.hpp"
#include "ui/widgets/items.hpp"
#include "ui/widgets/status.hpp"
#include "ui/widgets/text.hpp"

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

private:
    void draw_charts(const Durations& durations);
    void draw_chart(const KernelDurations& kernel, ImVec2 size);
    Derived<Key, Durations> durations_;
};

void KernelDurationsPanel::draw_chart(const KernelDurations& kernel, ImVec2 size) {
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
    if (ImGui::IsItemHovered()) tooltip(kernel.kernel);
    std::vector<ErrorBar> bars;
    for (const RankDuration& rank : kernel.ranks)
        bars.push_back({core::format_rank(rank.key), rank.mean, rank.low, rank.high, rank.count, rank.stands_out});
    const ErrorBars chart{bars, core::Unit::Ns, "Rank ", color_of(kernel.kernel_class)};
    draw_error_bars("##bars", chart, {size.x, size.y - px(20)});
}

// As many columns as keep a chart readable; rows scroll.
void KernelDurationsPanel::draw_charts(const Durations& durations) {
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
        draw_chart(durations[i], {width, height - px(8)});
        ImGui::PopStyleVar();
        ImGui::EndGroup();
        ImGui::PopID();
    }
}

void KernelDurationsPanel::draw(Frame& frame) {
    const core::Request kernels = ask(frame, "kernel-durations", "kernels");
    const core::Request imbalance = ask(frame, "kernel-durations/imbalance", "kernel-imbalance");
    if (!begin_answer(kernels, "durations")) return;
    const std::vector<std::string>& chosen = frame.state.chosen_kernels;
    const Key key{kernels.answer, imbalance.answer, chosen};
    const auto durations = durations_.ask(frame.session.pool(), key, [key] {
        return collect_durations(key.kernels->main(), key.imbalance ? &key.imbalance->main() : nullptr, key.chosen,
                                 key.chosen.empty() ? kTop : kMostCharts);
    });
    if (durations) {
        muted_text(chosen.empty()
                       ? "Mean duration per rank with least and greatest; the kernels with the longest total time"
                       : "Mean duration per rank with least and greatest; the chosen kernels");
        if (!chosen.empty()) {
            ImGui::SameLine(0, px(8));
            if (quiet_button("Show the top ones##top")) frame.intents.push_back(ChooseKernels{});
        }
        ImGui::Dummy({0, px(2)});
        draw_charts(*durations);
    }
    end_answer();
}

}  // namespace

std::unique_ptr<Panel> make_kernel_durations_panel() { return std::make_unique<KernelDurationsPanel>(); }

}  // namespace ui
