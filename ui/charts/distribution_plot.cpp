#include "ui/charts/distribution_plot.hpp"

#include "ui/charts/histogram.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"

#include "core/base/format.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr float kLeastChart = 48;  // height at scale 1, without the title

void draw_distribution_title(const DistributionChart& chart) {
    const Distribution& shown = *chart.distribution;
    text(chart.title);
    ImGui::SameLine(0, px(8));
    std::string words = "median " + core::format_duration(shown.median) + "  \xC2\xB7  p99 " +
                        core::format_duration(shown.p99) + "  \xC2\xB7  " + core::format_count(shown.values);
    if (shown.not_positive > 0)
        words += "  \xC2\xB7  " + core::format_count(shown.not_positive) + " of 0 or less not drawn";
    const FontScope font(small_style());
    fitted_text(words, color::palette().muted);
}

}  // namespace

std::optional<DistributionHit> draw_distributions(std::span<const DistributionChart> charts, ImVec2 size) {
    std::optional<DistributionHit> hit;
    ImGui::BeginChild("distributions", size, false);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {px(8), px(2)});
    const float title = ImGui::GetTextLineHeight() + px(4);
    const float each = std::floor(size.y / static_cast<float>(std::max<std::size_t>(1, charts.size()))) - title;
    for (std::size_t i = 0; i < charts.size(); ++i) {
        const Distribution& shown = *charts[i].distribution;
        if (shown.values == 0) continue;
        const ItemScope scope(shown.column);
        draw_distribution_title(charts[i]);
        const std::vector<HistogramMark> marks{{"median", shown.median}, {"p99", shown.p99}};
        const Histogram histogram{.bins = shown.bins,
                                  .marked = {},
                                  .bar = charts[i].bar,
                                  .marks = marks,
                                  .chosen = charts[i].chosen,
                                  .title = charts[i].title,
                                  .click = charts[i].click};
        const std::string id = "##distribution:" + shown.column;
        const auto bin = draw_histogram(
            id.c_str(), histogram, {ImGui::GetContentRegionAvail().x - px(4), std::max(px(kLeastChart), each - px(2))});
        if (bin && ImGui::IsMouseReleased(ImGuiMouseButton_Left) && shown.bins.counts[*bin] > 0)
            hit = DistributionHit{.chart = i, .bin = *bin};
    }
    ImGui::PopStyleVar();
    ImGui::EndChild();
    return hit;
}

}  // namespace ui
