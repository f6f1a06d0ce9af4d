// Mean duration per rank of a few kernels, with whiskers from least to greatest; with two runs,
// both next to each other. Shows the kernels selected in the Kernels panel, else the top ones.

#include "ui/charts/compared_lines.hpp"
#include "ui/charts/error_bars.hpp"
#include "ui/model/charts/axis.hpp"
#include "ui/model/derived.hpp"
#include "ui/model/filter_clicks.hpp"
#include "ui/model/panels/durations_comparison.hpp"
#include "ui/model/weak_key.hpp"
#include "ui/panels/panels.hpp"
#include "ui/style/items.hpp"
#include "ui/style/short_name.hpp"
#include "ui/style/text.hpp"
#include "ui/table/ask.hpp"
#include "ui/table/explain.hpp"
#include "ui/table/row_clicks.hpp"
#include "ui/widgets/legend.hpp"
#include "ui/widgets/status.hpp"
#include "ui/widgets/take_out.hpp"

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

using Durations = std::vector<KernelDurations>;

// Common to the requests for one run and for two.
struct Asked {
    WeakKey<core::Run> run;
    core::Filter filter;
    core::AnswerPtr kernels;
    core::AnswerPtr imbalance;
    bool operator==(const Asked&) const = default;
};
struct DurationsKey {
    Asked asked;
    std::vector<std::string> chosen;
    TopBy top_by;
    bool operator==(const DurationsKey&) const = default;
};
struct BothKey {
    core::BySide<Asked> asked;
    std::vector<std::string> chosen;
    CompareBy by;
    bool operator==(const BothKey&) const = default;
};

const core::Table* table_of(const core::AnswerPtr& answer) { return answer ? &answer->main() : nullptr; }

// A kernel as drawn.
struct KernelChart {
    std::string_view kernel;
    std::string_view kernel_class;
    std::string note;                                  // next to the name
    bool uneven = false;                               // the note is a warning
    std::string second_note = {};                      // below the name
    ImU32 ink = color::palette().muted;                         // colour of the note
    std::vector<ErrorBar> bars = {};
    std::vector<ErrorBar> candidates = {};             // two runs only
    std::vector<std::optional<core::RankKey>> named = {}; // rank that a filter for the bar uses
};

ImU32 color_of_class(std::string_view kernel_class) {
    for (const core::KernelClass c : kDurationClasses)
        if (core::name_of(c) == kernel_class) return color::of_class(c);
    return color::palette().compute;
}

ErrorBar bar_of(const RankDuration& rank, bool faded) {
    return {core::format_rank(rank.key), rank.mean, rank.low, rank.high, rank.count, rank.stands_out, faded};
}

KernelChart chart_of(const KernelDurations& kernel, const core::Filter& filter) {
    KernelChart chart{kernel.kernel, kernel.kernel_class, {}, kernel.imbalance.value_or(0) > kUneven};
    if (kernel.imbalance) chart.note = "imbalance " + format_value(*kernel.imbalance, core::Unit::Ratio);
    if (chart.uneven) chart.ink = color::palette().warning;
    for (const RankDuration& rank : kernel.ranks) {
        chart.bars.push_back(bar_of(rank, !filter.accepts_rank(rank.key)));
        chart.named.emplace_back(rank.key);
    }
    return chart;
}

// At least one side must be known.
std::string from_to(const Compared& value, core::Unit unit) {
    if (!value.baseline || !value.candidate)
        return format_value(value.baseline ? *value.baseline : *value.candidate, unit);
    return format_value(*value.baseline, unit) + " \xE2\x86\x92 " + format_value(*value.candidate, unit);
}

std::string change_note(const ComparedKernel& kernel) {
    if (!kernel.total.candidate) return only_in(core::Side::Baseline);
    if (!kernel.total.baseline) return only_in(core::Side::Candidate);
    if (*kernel.total.change == 0) return "total as before";
    return "total " + format_change(kernel.total, core::Unit::Ns) + "  " + format_ratio_change(kernel.total);
}

KernelChart chart_of(const ComparedKernel& kernel, const core::BySide<core::Filter>& filters,
                     const core::RunAlignment* alignment) {
    KernelChart chart{kernel.kernel, kernel.kernel_class, change_note(kernel)};
    chart.ink = color_of_change(kernel.total);
    chart.uneven = kernel.imbalance.baseline.value_or(0) > kUneven || kernel.imbalance.candidate.value_or(0) > kUneven;
    chart.second_note = "mean " + from_to(kernel.mean, core::Unit::Ns);
    if (kernel.imbalance.known()) chart.second_note += "   uneven " + from_to(kernel.imbalance, core::Unit::Ratio);
    for (std::size_t i = 0; i < kernel.ranks.size(); ++i) {
        const RankPair& pair = kernel.ranks[i];
        for (const core::Side side : core::kSides) {
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
    bool busy() const override { return clicks_.busy() || is_making(); }
    bool is_making() const { return shows_both_ ? !comparison_.fresh() : !durations_.fresh(); }
    void describe(nlohmann::json& shown) const override;

private:
    void draw_controls(Frame& frame);
    void draw_legends(Frame& frame);
    void draw_one(Frame& frame);
    void draw_both(Frame& frame);
    void draw_charts(Frame& frame, const std::vector<KernelChart>& charts);
    void draw_chart(Frame& frame, const KernelChart& chart, ImVec2 size);
    void describe_both(nlohmann::json& shown) const;

    RowClicks clicks_;
    Derived<DurationsKey, Durations> durations_;
    std::shared_ptr<const Durations> shown_;
    Derived<BothKey, DurationsComparison> comparison_;
    std::shared_ptr<const DurationsComparison> both_;
    core::BySide<core::Filter> filters_;     // filters of the last draw; ranks they exclude are faded
    int top_by_ = 0;
    int compare_by_ = 2;
    std::optional<std::size_t> highlighted_; // index in kDurationClasses, hovered in the legend
    bool shows_both_ = false;  // work started for the other mode is not waited for
    bool fresh_ = false;
};

void KernelDurationsPanel::draw_chart(Frame& frame, const KernelChart& chart, ImVec2 size) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float note = chart.note.empty() ? 0 : text_width(small_style(), chart.note) + px(12);
    draw_text(list, heading_style(), at, color::palette().text,
              fit_text(heading_style(), short_name(chart.kernel).normal, size.x - note));
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
    const ErrorBars bars{chart.bars,       core::Unit::Ns, "rank ", color_of_class(chart.kernel_class),
                         chart.candidates, &notes};
    take_out().set_topic(short_name(chart.kernel).normal);
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
    frame.intents.push_back(SetFilter{with_rank(frame.session.filter(), *chart.named[*hit.bar], click_kind())});
}

// As many columns as stay readable; rows scroll.
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
        parts.push_back({std::string(core::name_of(c)), color::of_class(c), true,
                         leaves_out_class(frame.session.filter(), core::set_of(c)),
                         describe_class_click(frame.session.filter(), core::set_of(c))});
    const float legend = legend_width(parts);
    const float sides = frame.candidate ? sides_legend_width() + px(20) : 0;
    const float room = ImGui::GetContentRegionMax().x;
    ImGui::SameLine(0, px(16));
    constexpr std::string_view kHint = "Mean per rank, least to greatest. Ctrl+click in Kernels chooses others.";
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
        choose("top", {"Longest total", "Most uneven", "Change of total", "Change of mean"}, compare_by_);
    } else {
        choose("top", {"Longest total", "Most uneven"}, top_by_);
    }
    draw_legends(frame);
}

void KernelDurationsPanel::draw_one(Frame& frame) {
    const core::Filter filter = without_rank(filters_.baseline);
    const core::Request kernels = ask(frame, "kernel-durations", "kernels", filter);
    const core::Request imbalance = ask(frame, "kernel-durations/imbalance", "kernel-imbalance", filter);
    if (kernels.answer) {
        const DurationsKey key{{frame.run(), filter, kernels.answer, imbalance.answer},
                               frame.choices().chosen_kernels,
                               top_by_ == 1 ? TopBy::Imbalance : TopBy::Total};
        shown_ = durations_.ask(frame.session.pool(), key, [key] {
            return collect_durations(key.asked.kernels->main(), table_of(key.asked.imbalance), key.chosen,
                                     key.chosen.empty() ? kTop : kMostCharts, key.top_by);
        });
    }
    fresh_ = kernels.fresh && !imbalance.pending() && durations_.fresh();
    if (!begin_answer(kernels, "durations", durations_.fresh() && !imbalance.pending())) return;
    if (shown_) {
        std::vector<KernelChart> charts;
        for (const KernelDurations& kernel : *shown_) charts.push_back(chart_of(kernel, filters_.baseline));
        draw_charts(frame, charts);
    }
    end_answer();
}

void KernelDurationsPanel::draw_both(Frame& frame) {
    core::BySide<core::Request> kernels;
    BothKey key{{}, frame.choices().chosen_kernels, static_cast<CompareBy>(compare_by_)};
    core::BySide<core::RunPtr> runs;
    bool fresh = true;
    for (const core::Side side : core::kSides) {
        Frame& own = frame.of(side);
        runs[side] = own.run();
        const core::Filter filter = without_rank(filters_[side]);
        kernels[side] = ask(own, "kernel-durations", "kernels", filter);
        const core::Request imbalance = ask(own, "kernel-durations/imbalance", "kernel-imbalance", filter);
        key.asked[side] = {own.run(), filter, kernels[side].answer, imbalance.answer};
        fresh &= kernels[side].fresh && !imbalance.pending();
    }
    if (key.asked.baseline.kernels && key.asked.candidate.kernels)
        both_ = comparison_.ask(frame.session.pool(), key, [key, runs, alignment = *frame.session.alignment()] {
            DurationsComparison::Input input{runs, {}, alignment, {}, {}, key.chosen, {}, key.by};
            input.most = key.chosen.empty() ? kTop : kMostCharts;
            for (const core::Side side : core::kSides) {
                input.filters[side] = key.asked[side].filter;
                input.kernels[side] = table_of(key.asked[side].kernels);
                input.imbalance[side] = table_of(key.asked[side].imbalance);
            }
            return DurationsComparison::of(input);
        });
    fresh_ = fresh && comparison_.fresh();
    if (!begin_answer(kernels, "durations", fresh_)) return;
    if (both_) {
        const FontScope font(small_style());
        for (const std::string& note : both_->notes) fitted_text(note, color::palette().faint);
    }
    if (both_) {
        std::vector<KernelChart> charts;
        for (const ComparedKernel& kernel : both_->kernels)
            charts.push_back(chart_of(kernel, filters_, frame.session.alignment()));
        draw_charts(frame, charts);
    }
    end_answer();
}

void KernelDurationsPanel::draw(Frame& frame) {
    shown_ = nullptr;
    both_ = nullptr;
    shows_both_ = frame.candidate != nullptr;
    if (!frame.run()) return empty_state("No run", "Open a folder of traces.");
    for (const core::Side side : core::kSides) filters_[side] = frame.of(side).filter();
    clicks_.poll_search(frame);
    clicks_.draw_menu(frame);
    draw_controls(frame);
    if (frame.candidate)
        draw_both(frame);
    else
        draw_one(frame);
}

void KernelDurationsPanel::describe_both(nlohmann::json& shown) const {
    shown["notes"] = both_->notes;
    for (const ComparedKernel& kernel : both_->kernels) {
        nlohmann::json chart{{"kernel", kernel.kernel},
                             {"class", kernel.kernel_class},
                             {"total_ns", describe_compared(kernel.total)},
                             {"mean_ns", describe_compared(kernel.mean)},
                             {"imbalance", describe_compared(kernel.imbalance)}};
        for (std::size_t i = 0; i < kernel.ranks.size(); ++i) {
            const core::BySide<std::optional<RankDuration>> pair{kernel.durations.baseline[i],
                                                                 kernel.durations.candidate[i]};
            const auto both = [&](double RankDuration::*value) {
                const auto of = [&](core::Side side) {
                    return pair[side] ? std::optional((*pair[side]).*value) : std::nullopt;
                };
                return describe_compared(Compared::between(of(core::Side::Baseline), of(core::Side::Candidate)));
            };
            chart["ranks"][label_of(kernel.ranks[i])] = {{"mean_ns", both(&RankDuration::mean)},
                                                         {"least_ns", both(&RankDuration::low)},
                                                         {"greatest_ns", both(&RankDuration::high)},
                                                         {"count", both(&RankDuration::count)}};
        }
        shown["charts"].push_back(std::move(chart));
    }
}

void KernelDurationsPanel::describe(nlohmann::json& shown) const {
    if (!shown_ && !both_) return;
    shown["fresh"] = fresh_;
    shown["charts"] = nlohmann::json::array();
    if (both_) return describe_both(shown);
    for (const KernelDurations& kernel : *shown_) {
        nlohmann::json chart{{"kernel", kernel.kernel}, {"class", kernel.kernel_class}, {"total_ns", kernel.total}};
        if (kernel.imbalance) chart["imbalance"] = *kernel.imbalance;
        for (const RankDuration& rank : kernel.ranks)
            chart["ranks"][core::format_rank(rank.key)] = {
                {"mean_ns", rank.mean},          {"least_ns", rank.low},
                {"greatest_ns", rank.high},      {"count", rank.count},
                {"stands_out", rank.stands_out}, {"in_filter", filters_.baseline.accepts_rank(rank.key)}};
        shown["charts"].push_back(std::move(chart));
    }
}

}  // namespace

std::unique_ptr<Panel> make_kernel_durations_panel() { return std::make_unique<KernelDurationsPanel>(); }

}  // namespace ui
