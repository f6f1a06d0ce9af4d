#include "ui/panels/compare/statistics_menu.hpp"

#include "core/base/format.hpp"
#include "core/diff/statistics/statistics_text.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"

#include <fmt/format.h>

namespace ui {
namespace {

constexpr float kFieldWidth = 110, kFieldLabel = 140;

std::string percent_text(double share) { return fmt::format("{:.6g}%", share * 100); }

std::string warmup_text(std::int64_t warmup) {
    return warmup == core::kAutoWarmUp ? std::string("auto") : std::to_string(warmup);
}

// True when the typed text takes effect: on Enter, or when the field loses the keyboard.
bool draw_field(const char* title, const char* id, const char* hint, std::string& typed, std::string_view about) {
    ImGui::AlignTextToFramePadding();
    muted_text(title);
    ImGui::SameLine(px(kFieldLabel));
    input_text(id, hint, typed, px(kFieldWidth));
    const bool done = ImGui::IsItemDeactivatedAfterEdit();
    tooltip(about);
    return done;
}

}  // namespace

std::string describe_statistics_options(const core::StatisticsOptions& options) {
    const core::StatisticsOptions standard;
    std::string text = options.noise ? "Noise " + core::format_ratio(*options.noise) : "Noise unknown";
    if (options.tolerance != standard.tolerance) text += ", tolerance " + core::format_ratio(options.tolerance);
    if (options.warmup != standard.warmup) text += ", warm-up " + warmup_text(options.warmup);
    if (options.paired) text += ", paired";
    return text;
}

void StatisticsMenu::begin_entries(const core::StatisticsOptions& now) {
    noise_ = now.noise ? percent_text(*now.noise) : std::string();
    tolerance_ = percent_text(now.tolerance);
    warmup_ = warmup_text(now.warmup);
    refused_.clear();
}

void StatisticsMenu::draw(Frame& frame) {
    const core::StatisticsOptions& now = frame.session.statistics();
    const ItemScope scope("statistics");
    const std::string label = describe_statistics_options(now) + "\xE2\x80\xA6##options";
    same_line_for(toggle_width(label.c_str()), px(16));
    if (quiet_button(label.c_str())) {
        begin_entries(now);
        ImGui::OpenPopup("options");
    }
    tooltip(
        "How much repeated runs of one program differ: smaller changes are none. It is unknown until it is given; "
        "also tolerance, warm-up, pairs and the permutation test");
    if (!ImGui::BeginPopup("options")) return;
    close_on_escape();
    draw_entries(frame);
    ImGui::EndPopup();
}

void StatisticsMenu::draw_entries(Frame& frame) {
    core::StatisticsOptions next = frame.session.statistics();
    const auto take = [&](const auto& parsed, auto& value) {
        refused_ = parsed ? std::string() : parsed.error().message;
        if (parsed) value = *parsed;
    };
    if (draw_field("Run-to-run noise", "##noise", "unknown", noise_,
                   "A share of the baseline's mean, such as 5%; empty: unknown")) {
        if (noise_.empty())
            next.noise.reset();
        else
            take(core::parse_percent(noise_), next.noise);
    }
    if (draw_field("Tolerance", "##tolerance", "1%", tolerance_, "Changes up to this share are called the same"))
        take(core::parse_percent(tolerance_), next.tolerance);
    if (draw_field("Warm-up steps", "##warmup", "1, or auto", warmup_,
                   "Leading steps of each capture that are left out; auto: until steps are steady"))
        take(core::parse_warmup(warmup_), next.warmup);
    if (checkbox("Steps of equal number are pairs##paired", &next.paired) && next.paired) next.permutation = false;
    tooltip("For runs that process the same data in the same order");
    if (checkbox("Permutation test too##permutation", &next.permutation) && next.permutation) next.paired = false;
    tooltip(
        "Mean, median and 95th percentile of the steps, by reassigning them to the runs; the sentence's tooltip has "
        "the result");
    if (!refused_.empty()) text(refused_, color::palette().warning);
    if (!(next == frame.session.statistics())) frame.intents.push_back(SetStatistics{next});
}

}  // namespace ui
