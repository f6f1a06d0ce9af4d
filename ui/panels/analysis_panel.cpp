// Any row of the registry as a panel: choose it, set its parameters, see its chart and its table.

#include "ui/ask.hpp"
#include "ui/charts/error_bars.hpp"
#include "ui/charts/stacked_bars.hpp"
#include "ui/panels/panels.hpp"
#include "ui/timeline/short_name.hpp"
#include "ui/view_models/chart_model.hpp"
#include "ui/view_models/derived.hpp"
#include "ui/widgets/items.hpp"
#include "ui/widgets/result_table.hpp"
#include "ui/widgets/status.hpp"
#include "ui/widgets/text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace ui {
namespace {

constexpr std::array kPartColors{color::kCompute,      color::kCommunication, color::kMemory,
                                 color::rgb(0x6FB3A2), color::rgb(0x8C7FD6),  color::rgb(0xD98C86),
                                 color::rgb(0x9CA960), color::rgb(0x728096)};

struct Key {
    core::AnswerPtr answer;
    std::string series;
    bool operator==(const Key&) const = default;
};

ImU32 color_of_part(const ChartModel& model, std::size_t part) {
    const std::string& name = model.parts[part];
    for (unsigned set = 0; model.parts_are_sets && set < core::kClassSets; ++set)
        if (core::name_of_set(static_cast<core::ClassSet>(set)) == name)
            return color::of_set(static_cast<core::ClassSet>(set));
    if (name == "idle") return color::kIdle;
    if (name == "compute") return color::kCompute;
    if (name.ends_with("communication")) return color::kCommunication;
    if (name.ends_with("memory")) return color::kMemory;
    return kPartColors[part % kPartColors.size()];
}

class AnalysisPanel final : public Panel {
public:
    void draw(Frame& frame) override;
    bool busy() const override { return !chart_.fresh() || !table_fresh_; }
    void describe(nlohmann::json& shown) const override;

private:
    void draw_choice();
    void draw_params(core::Params& params);
    void draw_answer(Frame& frame, const core::AnswerPtr& answer);
    void draw_chart(const ChartModel& model, ImVec2 size);
    void draw_series(const ChartModel& model);

    const core::Analysis* analysis_ = core::find_analysis("overlap");
    std::map<std::string_view, core::Params> params_;
    std::map<std::string_view, ResultTable> tables_;
    std::string series_;
    std::string search_;
    Derived<Key, ChartModel> chart_;
    bool table_fresh_ = true;
    bool fresh_ = false;
};

void AnalysisPanel::draw_choice() {
    ImGui::SetNextItemWidth(px(300));
    const bool open = ImGui::BeginCombo("##analysis", std::string(analysis_->title).c_str());
    record_item("##analysis");
    if (!open) return;
    for (const core::Analysis& analysis : core::all_analyses()) {
        const std::string label = std::string(analysis.title) + "##" + std::string(analysis.id);
        if (selectable(label.c_str(), &analysis == analysis_)) {
            analysis_ = &analysis;
            series_.clear();
        }
        tooltip(analysis.summary);
    }
    ImGui::EndCombo();
}

void AnalysisPanel::draw_params(core::Params& params) {
    for (std::size_t i = 0; i < analysis_->params.size() && i < params.size(); ++i) {
        const core::Param& param = analysis_->params[i];
        ImGui::SameLine(0, px(16));
        ImGui::PushID(static_cast<int>(i));
        ImGui::AlignTextToFramePadding();
        muted_text(title_of(param.name));
        tooltip(param.summary);
        ImGui::SameLine(0, px(6));
        const std::string id = "##param:" + std::string(param.name);
        if (!param.choices.empty()) {
            const auto at = static_cast<std::size_t>(
                std::clamp<std::int64_t>(params[i], 0, static_cast<std::int64_t>(param.choices.size()) - 1));
            ImGui::SetNextItemWidth(px(110));
            if (ImGui::BeginCombo(id.c_str(), std::string(param.choices[at]).c_str())) {
                for (std::size_t c = 0; c < param.choices.size(); ++c)
                    if (selectable(std::string(param.choices[c]).c_str(), c == at))
                        params[i] = static_cast<std::int64_t>(c);
                ImGui::EndCombo();
            }
        } else {
            ImGui::SetNextItemWidth(px(110));
            std::int64_t value = params[i];
            if (ImGui::InputScalar(id.c_str(), ImGuiDataType_S64, &value, nullptr, nullptr, "%lld",
                                   ImGuiInputTextFlags_EnterReturnsTrue))
                params[i] = std::clamp(value, param.least, param.most);
        }
        record_item(id);
        ImGui::PopID();
    }
}

void AnalysisPanel::draw_series(const ChartModel& model) {
    if (model.series.empty()) return;
    const std::string& shown =
        std::ranges::find(model.series, series_) != model.series.end() ? series_ : model.series.front();
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
    if (!ImGui::BeginCombo("##series", short_name(shown).normal.c_str())) return;
    for (const std::string& name : model.series)
        if (selectable((short_name(name).normal + "##" + name).c_str(), name == shown)) series_ = name;
    ImGui::EndCombo();
}

void AnalysisPanel::draw_chart(const ChartModel& model, ImVec2 size) {
    ImGui::BeginChild("chart", size, false);
    draw_series(model);
    if (model.kind == core::ChartKind::ErrorBars) {
        std::vector<ErrorBar> bars;
        for (const ChartModel::Item& item : model.items)
            bars.push_back({item.label, item.values[0], item.values[1], item.values[2]});
        draw_error_bars("##error-bars", {bars, model.unit, model.is_rank ? "rank " : "", color::kCompute},
                        ImGui::GetContentRegionAvail());
    } else {
        std::vector<BarPart> parts;
        for (std::size_t p = 0; p < model.parts.size(); ++p)
            parts.push_back({title_of(model.parts[p]), color_of_part(model, p)});
        std::vector<BarRow> rows;
        for (const ChartModel::Item& item : model.items)
            rows.push_back({model.is_rank ? "rank " + item.label : short_name(item.label).normal, item.values});
        draw_legend(parts, ImGui::GetContentRegionAvail().x);
        ImGui::Dummy({0, px(2)});
        draw_stacked_bars("bars", {parts, rows, model.unit, false}, ImGui::GetContentRegionAvail());
    }
    ImGui::EndChild();
}

void AnalysisPanel::draw_answer(Frame& frame, const core::AnswerPtr& answer) {
    const auto chart = chart_.ask(
        frame.session.pool(), Key{answer, series_},
        [answer, analysis = analysis_, series = series_] { return ChartModel::of(*analysis, answer->main(), series); });
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const bool has_chart = chart && chart_.fresh() && chart->kind != core::ChartKind::None && room.x > px(560);
    const float beside = room.x - find_table_width(answer->main(), {}) - px(24);
    const float chart_width = std::floor(std::clamp(beside, std::min(px(240), room.x * 0.4f), px(640)));
    if (has_chart) {
        draw_chart(*chart, {chart_width, room.y});
        ImGui::SameLine(0, px(24));
    }
    if (answer->main().rows() == 0) return empty_state("No rows", "Nothing passes the filter.");
    TableOptions options;
    options.search = search_;
    const float width = ImGui::GetContentRegionAvail().x;
    ResultTable& table = tables_[analysis_->id];
    table.draw("table", frame.session.pool(), main_table(answer), options, {width, room.y});
    table_fresh_ = table.fresh();
}

void AnalysisPanel::draw(Frame& frame) {
    if (!analysis_) return empty_state("There is no analysis", "");
    draw_choice();
    tooltip(analysis_->definition);
    auto [at, fresh] = params_.try_emplace(analysis_->id);
    if (fresh) at->second = standard_params(*analysis_);
    core::Params& params = at->second;
    draw_params(params);
    ImGui::SameLine(0, px(16));
    input_text("##search", "Search", search_, std::max(px(80), std::min(px(200), ImGui::GetContentRegionAvail().x)));
    const core::Request request = ask(frame, "analysis", *analysis_, params);
    table_fresh_ = true;
    fresh_ = request.fresh;
    if (!begin_answer(request, analysis_->title)) return;
    const bool same = std::ranges::equal(request.answer->main().columns(),
                                         analysis_->columns ? analysis_->columns() : request.answer->main().columns(),
                                         {}, &core::Column::name, &core::Column::name);
    if (same) draw_answer(frame, request.answer);  // else the last one is of another analysis
    end_answer();
}

void AnalysisPanel::describe(nlohmann::json& shown) const {
    if (!analysis_) return;
    shown["fresh"] = fresh_ && table_fresh_;
    shown["analysis"] = analysis_->id;
    if (const auto params = params_.find(analysis_->id); params != params_.end())
        shown["parameters"] = core::format_params(*analysis_, params->second);
    if (const auto table = tables_.find(analysis_->id); table != tables_.end()) table->second.describe(shown["table"]);
}

}  // namespace

std::unique_ptr<Panel> make_analysis_panel() { return std::make_unique<AnalysisPanel>(); }

}  // namespace ui
