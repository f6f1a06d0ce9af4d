// Mean duration per rank of a few kernels, with whiskers from minimum to maximum; with two runs, both next to each
// other. Shows the kernels selected in the Kernels panel, else the top ones.

#include "core/analysis/catalogue/registry.hpp"
#include "core/base/short_name.hpp"
#include "core/charts/axis.hpp"
#include "ui/charts/compared_lines.hpp"
#include "ui/charts/error_bars.hpp"
#include "ui/model/deferred.hpp"
#include "ui/model/filter_clicks.hpp"
#include "ui/model/panel.hpp"
#include "ui/model/panels/durations_model.hpp"
#include "ui/model/weak_key.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/table/ask.hpp"
#include "ui/table/explainer.hpp"
#include "ui/table/row_clicks.hpp"
#include "ui/widgets/chart_export.hpp"
#include "ui/widgets/legend.hpp"
#include "ui/widgets/status.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr std::size_t kMostCharts = 12;
constexpr std::size_t kTop = 6;
constexpr float kSteppedBack = 0.35f;  // opacity of charts of other classes
constexpr double kUneven = 0.1;

constexpr std::array kDurationClasses{core::KernelClass::Compute, core::KernelClass::Communication,
                                      core::KernelClass::Memory};

// One side's run and answers; empty for an absent side.
struct Asked {
    WeakKey<core::Run> run;
    core::Filter filter;
    core::AnswerPtr kernels;
    core::AnswerPtr imbalance;
    bool operator==(const Asked&) const = default;
};
struct DurationsKey {
    core::BySide<Asked> asked;
    std::vector<std::string> chosen;
    TopBy by = TopBy::Total;
    bool operator==(const DurationsKey&) const = default;
};

const core::Table* table_of(const core::AnswerPtr& answer) { return answer ? &answer->main() : nullptr; }

// A kernel's chart.
struct KernelChart {
    std::string_view kernel;
    std::string_view kernel_class;
    std::string note = {};                             // next to the name
    bool uneven = false;                               // the note is a warning
    std::string second_note = {};                      // below the name
    ImU32 ink = color::palette().muted;                         // colour of the note
    std::vector<ErrorBar> bars = {};
    std::vector<ErrorBar> candidates = {};             // two runs only
    std::vector<std::optional<core::RankKey>> named = {}; // rank to filter by for each bar
};

ImU32 color_of_class(std::string_view kernel_class) {
    for (const core::KernelClass c : kDurationClasses)
        if (core::name_of(c) == kernel_class) return color::of_class(c);
    return color::palette().compute;
}

ErrorBar bar_of(const RankDuration& rank, bool faded) {
    return {.label = core::format_rank(rank.key),
            .mean = rank.mean,
            .low = rank.low,
            .high = rank.high,
            .count = rank.count,
            .stands_out = rank.stands_out,
            .faded = faded};
}

// "1.2 ms to 1.5 ms", or the known one. At least one side must be known.
std::string from_to(const Compared& value, core::Unit unit) {
    if (!value.baseline || !value.candidate)
        return core::format_value(value.baseline ? *value.baseline : *value.candidate, unit);
    return core::format_value(*value.baseline, unit) + " \xE2\x86\x92 " + core::format_value(*value.candidate, unit);
}

std::string change_note(const PairedKernel& kernel) {
    if (!kernel.total.candidate) return only_in(core::Side::Baseline);
    if (!kernel.total.baseline) return only_in(core::Side::Candidate);
    if (*kernel.total.change == 0) return "total as before";
    return "total " + format_change(kernel.total, core::Unit::Ns) + "  " + format_ratio_change(kernel.total);
}

KernelChart chart_of(const PairedKernel& kernel, bool compared, const core::BySide<core::Filter>& filters,
                     const core::RunAlignment* alignment) {
    KernelChart chart{.kernel = kernel.kernel, .kernel_class = kernel.kernel_class};
    chart.uneven = kernel.imbalance.baseline.value_or(0) > kUneven || kernel.imbalance.candidate.value_or(0) > kUneven;
    if (compared) {
        chart.note = change_note(kernel);
        chart.ink = color_of_change(kernel.total, core::Better::Less);
        chart.second_note = "mean " + from_to(kernel.mean, core::Unit::Ns);
        if (kernel.imbalance.known()) chart.second_note += "   uneven " + from_to(kernel.imbalance, core::Unit::Ratio);
    } else {
        if (kernel.imbalance.known()) chart.note = "imbalance " + from_to(kernel.imbalance, core::Unit::Ratio);
        if (chart.uneven) chart.ink = color::palette().warning;
    }
    for (std::size_t i = 0; i < kernel.ranks.size(); ++i) {
        const RankPair& pair = kernel.ranks[i];
        for (const core::Side side : core::kSides) {
            if (side == core::Side::Candidate && !compared) continue;
            std::vector<ErrorBar>& bars = side == core::Side::Baseline ? chart.bars : chart.candidates;
            const auto& rank = kernel.durations[side][i];
            bars.push_back(rank ? bar_of(*rank, !filters[side].accepts_rank(rank->key)) : ErrorBar{});
            bars.back().missing = !rank;
            bars.back().label = label_of(pair);
        }
        chart.named.push_back(named_rank(alignment, pair));
    }
    return chart;
}

class KernelDurationsPanel final : public Panel {
public:
    void draw(Frame& frame) override;
    bool busy() const override { return clicks_.busy() || model_.busy(); }
    void describe(nlohmann::json& shown) const override;

private:
    void draw_controls(Frame& frame);
    void draw_legends(Frame& frame);
    void draw_charts(Frame& frame, const std::vector<KernelChart>& charts);
    void draw_chart(Frame& frame, const KernelChart& chart, ImVec2 size);
    TopBy top_by(const Frame& frame) const { return static_cast<TopBy>(frame.candidate ? top_of_two_ : top_of_one_); }
    core::BySide<core::Request> ask_model(Frame& frame);  // sets shown_ and fresh_
    nlohmann::json describe_value(const Compared&) const;
    nlohmann::json describe_rank(const PairedKernel&, std::size_t i) const;

    RowClicks clicks_;
    Deferred<DurationsKey, DurationsModel> model_;
    std::shared_ptr<const DurationsModel> shown_;
    core::BySide<core::Filter> filters_;     // of the last draw; excluded ranks are faded
    int top_of_one_ = 0;                     // TopBy chosen while one run is open; the next, while two are
    int top_of_two_ = 2;
    std::optional<std::size_t> highlighted_; // index in kDurationClasses, hovered in the legend
    bool fresh_ = false;
};

void KernelDurationsPanel::draw_chart(Frame& frame, const KernelChart& chart, ImVec2 size) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float note = chart.note.empty() ? 0 : text_width(small_style(), chart.note) + px(12);
    draw_text(list, heading_style(), at, color::palette().text,
              fit_text(heading_style(), core::short_name(chart.kernel).normal, size.x - note));
    draw_text_right(list, small_style(), {at.x + size.x, at.y + px(2)}, chart.ink, chart.note);
    const float head = px(chart.second_note.empty() ? 20 : 38);
    draw_text(list, small_style(), {at.x, at.y + px(18)},
              chart.uneven ? color::palette().warning : color::palette().muted, chart.second_note, size.x);
    ImGui::Dummy({size.x, head});
    record_item("##kernel");
    tooltip(chart.second_note.empty() ? std::string(chart.kernel)
                                      : std::string(chart.kernel) + "\n" + chart.note + "\n" + chart.second_note);
    ChartNotes notes = notes_of_column(*core::find_analysis("kernels"), "mean");
    notes.lists = true;
    const ErrorBars bars{.bars = chart.bars,
                         .unit = core::Unit::Ns,
                         .label_prefix = "rank ",
                         .color = color_of_class(chart.kernel_class),
                         .candidates = chart.candidates,
                         .notes = &notes};
    chart_export().set_topic(core::short_name(chart.kernel).normal);
    const ErrorBarHit hit = draw_error_bars("##bars", bars, {size.x, size.y - head});
    if (!hit.bar || !chart.named[*hit.bar]) return;
    if (hit.listed) {
        RowFacets facets;
        facets.rank = *chart.named[*hit.bar];
        facets.name = chart.kernel;
        clicks_.open_menu(meaning_of_facets(
            frame, facets, "rank " + core::format_rank(*facets.rank) + " \xC2\xB7 " + std::string(chart.kernel)));
    }
    if (!hit.clicked) return;
    const core::Filter& filter = frame.session.filter();
    const core::RankKey rank = *chart.named[*hit.bar];
    const bool adds = click_kind() == Click::Add;
    frame.intents.push_back(
        SetFilter{adds ? with_rank(filter, rank, Click::Add) : with_kernel_on_rank(filter, chart.kernel, rank)});
}

// Uses as many columns as stay readable; rows scroll.
void KernelDurationsPanel::draw_charts(Frame& frame, const std::vector<KernelChart>& charts) {
    if (charts.empty()) return empty_gpu_state(frame);
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const float gap = px(24);
    const float each = charts.front().candidates.empty() ? 6 : 10;
    const float least =
        std::max(px(frame.candidate ? 220 : 240), px(each) * static_cast<float>(charts.front().bars.size()));
    const auto fitting = static_cast<std::size_t>(std::max(1.0f, std::floor((room.x + gap) / (least + gap))));
    const std::size_t rows = (charts.size() + fitting - 1) / fitting;
    const std::size_t columns = (charts.size() + rows - 1) / rows;
    const float height = std::max(
        px(frame.candidate ? 140 : 150),
        std::min(room.y, std::floor((room.y - px(12) * static_cast<float>(rows - 1)) / static_cast<float>(rows))));
    const float width = std::floor((room.x - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns));
    for (std::size_t i = 0; i < charts.size(); ++i) {
        if (i % columns != 0) ImGui::SameLine(0, gap);
        const bool back = highlighted_ && core::name_of(kDurationClasses[*highlighted_]) != charts[i].kernel_class;
        ImGui::PushID(static_cast<int>(i));
        ImGui::BeginGroup();
        ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
        ImGui::PushStyleVar(ImGuiStyleVar_Alpha, ImGui::GetStyle().Alpha * (back ? kSteppedBack : 1.0f));
        const ItemScope scope("chart:" + std::to_string(i));
        draw_chart(frame, charts[i], {width, height - px(8)});
        ImGui::PopStyleVar(2);
        ImGui::EndGroup();
        ImGui::PopID();
    }
}

// Right of the controls, or below them if there is no room.
void KernelDurationsPanel::draw_legends(Frame& frame) {
    std::vector<BarPart> parts;
    for (const core::KernelClass c : kDurationClasses)
        parts.push_back({.name = std::string(core::name_of(c)),
                         .color = color::of_class(c),
                         .clickable = true,
                         .off = leaves_out_class(frame.session.filter(), core::set_of(c)),
                         .hint = describe_class_click(frame.session.filter(), core::set_of(c))});
    const float legend = legend_width(parts);
    const float sides = frame.candidate ? sides_legend_width() + px(20) : 0;
    const float room = ImGui::GetContentRegionMax().x;
    ImGui::SameLine(0, px(16));
    constexpr std::string_view kHint =
        "Mean per rank; whiskers from minimum to maximum. Ctrl+click in Kernels chooses others.";
    if (ImGui::GetCursorPosX() + text_width(ui_style(), kHint) + px(16) + legend + sides <= room) {
        ImGui::AlignTextToFramePadding();
        muted_text(kHint);
        ImGui::SameLine(0, px(16));
    }
    if (ImGui::GetCursorPosX() + legend + sides > room)
        ImGui::NewLine();
    else
        ImGui::SetCursorPos({room - legend - sides, ImGui::GetCursorPosY() + px(4)});
    const auto clicked = draw_legend(parts, legend + 1, &highlighted_);
    if (clicked)
        frame.intents.push_back(
            SetFilter{with_class(frame.session.filter(), core::set_of(kDurationClasses[*clicked]), click_kind())});
    if (!frame.candidate) return;
    ImGui::SameLine(0, px(20));
    draw_sides_legend();
}

void KernelDurationsPanel::draw_controls(Frame& frame) {
    if (!frame.choices().chosen_kernels.empty()) {
        if (button("Show the top ones##top")) frame.intents.push_back(ChooseKernels{});
    } else if (frame.candidate) {
        choose("top", {"Longest total", "Most uneven", "Change of total", "Change of mean"}, top_of_two_);
    } else {
        choose("top", {"Longest total", "Most uneven"}, top_of_one_);
    }
    draw_legends(frame);
}

core::BySide<core::Request> KernelDurationsPanel::ask_model(Frame& frame) {
    core::BySide<core::Request> kernels;
    core::BySide<core::RunPtr> runs;
    DurationsKey key{.asked = {}, .chosen = frame.choices().chosen_kernels, .by = top_by(frame)};
    bool arrived = true;
    fresh_ = true;
    for (const core::Side side : sides_of(frame)) {
        Frame& own = frame.of(side);
        runs[side] = own.run();
        const core::Filter filter = without_rank(filters_[side]);
        kernels[side] = ask(own, "kernel-durations", "kernels", filter);
        const core::Request imbalance = ask(own, "kernel-durations/imbalance", "kernel-imbalance", filter);
        key.asked[side] = {
            .run = runs[side], .filter = filter, .kernels = kernels[side].answer, .imbalance = imbalance.answer};
        arrived &= kernels[side].answer != nullptr;
        fresh_ &= kernels[side].fresh && !imbalance.pending();
    }
    if (arrived)
        shown_ = model_.ask(frame.session.pool(), key, [key, runs, alignment = alignment_of(frame)] {
            DurationsModel::Input input{.sources = {},
                                        .alignment = alignment,
                                        .chosen = key.chosen,
                                        .most = key.chosen.empty() ? kTop : kMostCharts,
                                        .by = key.by};
            for (const core::Side side : core::kSides)
                input.sources[side] = {.run = runs[side],
                                       .filter = key.asked[side].filter,
                                       .kernels = table_of(key.asked[side].kernels),
                                       .imbalance = table_of(key.asked[side].imbalance)};
            return DurationsModel::of(input);
        });
    if (shown_ && shown_->compared != (frame.candidate != nullptr)) shown_ = nullptr;
    fresh_ &= model_.fresh();
    return kernels;
}

void KernelDurationsPanel::draw(Frame& frame) {
    shown_ = nullptr;
    if (!frame.run()) return empty_state("No run", "Open a folder of traces.");
    for (const core::Side side : core::kSides) filters_[side] = frame.of(side).filter();
    clicks_.poll_search(frame);
    clicks_.draw_menu(frame);
    draw_controls(frame);
    const core::BySide<core::Request> kernels = ask_model(frame);
    if (!begin_answer(kernels, sides_of(frame), "durations", fresh_)) return;
    if (shown_) {
        {
            const FontScope font(small_style());
            for (const std::string& note : shown_->notes) fitted_text(note, color::palette().faint);
        }
        std::vector<KernelChart> charts;
        for (const PairedKernel& kernel : shown_->kernels)
            charts.push_back(chart_of(kernel, shown_->compared, filters_, frame.session.alignment()));
        draw_charts(frame, charts);
    }
    end_answer();
}

// A number of one run, or both runs' numbers with the change.
nlohmann::json KernelDurationsPanel::describe_value(const Compared& value) const {
    return shown_->compared ? describe_compared(value) : nlohmann::json(*value.baseline);
}

nlohmann::json KernelDurationsPanel::describe_rank(const PairedKernel& kernel, std::size_t i) const {
    const core::BySide<std::optional<RankDuration>> pair{kernel.durations.baseline[i], kernel.durations.candidate[i]};
    const auto value = [&](double RankDuration::*member) {
        const auto of = [&](core::Side side) {
            return pair[side] ? std::optional((*pair[side]).*member) : std::nullopt;
        };
        return describe_value(Compared::between(of(core::Side::Baseline), of(core::Side::Candidate)));
    };
    nlohmann::json rank{{"mean_ns", value(&RankDuration::mean)},
                        {"least_ns", value(&RankDuration::low)},
                        {"greatest_ns", value(&RankDuration::high)},
                        {"count", value(&RankDuration::count)}};
    if (shown_->compared) return rank;
    rank["stands_out"] = pair.baseline->stands_out;
    rank["in_filter"] = filters_.baseline.accepts_rank(pair.baseline->key);
    return rank;
}

void KernelDurationsPanel::describe(nlohmann::json& shown) const {
    if (!shown_) return;
    shown["fresh"] = fresh_;
    shown["charts"] = nlohmann::json::array();
    if (shown_->compared) shown["notes"] = shown_->notes;
    for (const PairedKernel& kernel : shown_->kernels) {
        nlohmann::json chart{
            {"kernel", kernel.kernel}, {"class", kernel.kernel_class}, {"total_ns", describe_value(kernel.total)}};
        if (shown_->compared) chart["mean_ns"] = describe_value(kernel.mean);
        if (shown_->compared || kernel.imbalance.known()) chart["imbalance"] = describe_value(kernel.imbalance);
        for (std::size_t i = 0; i < kernel.ranks.size(); ++i)
            chart["ranks"][label_of(kernel.ranks[i])] = describe_rank(kernel, i);
        shown["charts"].push_back(std::move(chart));
    }
}

}  // namespace

std::unique_ptr<Panel> make_kernel_durations_panel() { return std::make_unique<KernelDurationsPanel>(); }

}  // namespace ui
