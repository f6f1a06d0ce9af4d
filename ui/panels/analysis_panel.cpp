// Panel for any analysis of the registry: choice of analysis, its parameters, chart and table; with two runs, their
// comparison.

#include "core/analysis/catalogue/analysis_groups.hpp"
#include "core/analysis/catalogue/registry.hpp"
#include "core/analysis/engine/scope.hpp"
#include "core/charts/comparison_chart.hpp"
#include "core/query/filter_text.hpp"
#include "ui/charts/distribution_plot.hpp"
#include "ui/model/charts/distribution.hpp"
#include "ui/model/charts/duration_click.hpp"
#include "ui/model/filter_clicks.hpp"
#include "ui/model/panel.hpp"
#include "ui/panels/flame_view.hpp"
#include "ui/shell/side_title.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/table/answer_chart.hpp"
#include "ui/table/ask.hpp"
#include "ui/table/comparison_table.hpp"
#include "ui/table/dimmed_classes.hpp"
#include "ui/table/explainer.hpp"
#include "ui/table/row_clicks.hpp"
#include "ui/widgets/chart_export.hpp"
#include "ui/widgets/status.hpp"

#include "core/base/format.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace ui {
namespace {

constexpr float kLeastChart = 240;  // widths at scale 1
constexpr float kMostChart = 640;
constexpr float kGap = 24;
constexpr float kParamWidth = 110;
constexpr float kTitleColumn = 270;  // in the list of analyses
constexpr float kSummaryColumn = 480;

template <class Shown>
struct ChartKey {
    std::shared_ptr<const Shown> shown;
    std::string series;
    core::OverRanks over;
    bool operator==(const ChartKey&) const = default;
};

// View state for one run's answer.
struct AnswerView {
    std::map<std::pair<std::string_view, std::string>, ResultTable> tables;  // by analysis and table
    std::vector<std::string> names;  // names of its answer's tables
    std::string shown;               // one of names
    std::string chart_words;         // meaning of bars over several ranks
    Deferred<ChartKey<core::Answer>, core::ChartModel> chart;
    Deferred<core::AnswerPtr, std::vector<Distribution>> distributions;
    std::shared_ptr<const std::vector<Distribution>> shown_distributions;  // of the last draw; null: none
    core::AnswerPtr chosen_in;                 // answer that the next two refer to
    std::optional<DistributionHit> chosen;     // bar whose rows the table shows
    std::shared_ptr<const std::vector<bool>> chosen_rows;
    RowClicks clicks;
    bool fresh = true;
    bool busy = false;  // the drawn chart or table is being computed
};

double launches_saved(const core::Table& table, std::size_t row) {
    return table.number(row, table.find_column("count")) * (table.number(row, table.find_column("length")) - 1);
}

// Sorts by cost and replaces the number of kernels by what one kernel in their place would save.
void show_sequences(TableOptions& options) {
    options.columns = {{.name = "operator", .least_width = 150},
                       {.name = "kernels", .title = "Kernels in order", .least_width = 300},
                       {.name = "count"},
                       {.name = "kernel_time"},
                       {.name = "operator_time"},
                       {.name = "length", .title = "Launches saved if fused"}};
    options.kept = 1;
    options.sort_column = "kernel_time";
    options.write = [](const core::Table& table, std::size_t row, std::size_t column) {
        if (table.absent(row, column)) return CellText{std::string(kAbsentText), color::palette().faint};
        if (table.columns()[column].name != "length")
            return CellText{core::format_cell(table, row, column), color::palette().text,
                            core::format_cell_exact(table, row, column)};
        const auto kernels = static_cast<std::uint64_t>(table.integer(row, column));
        const auto saved = static_cast<std::uint64_t>(launches_saved(table, row));
        if (kernels < 2)
            return CellText{std::string(kAbsentText), color::palette().faint, "One kernel: nothing to fuse"};
        return CellText{
            core::format_count(saved), color::palette().text,
            core::format_count(kernels) + " kernels \xE2\x86\x92 1, " + core::format_count(saved) + " launches fewer"};
    };
    options.weight = [](const core::Table& table, std::size_t row, std::size_t column) {
        if (table.absent(row, column)) return std::nan("");
        return table.columns()[column].name == "length" ? launches_saved(table, row) : table.number(row, column);
    };
}

std::string why_no_rows(const Frame& frame, const core::Analysis& analysis) {
    std::string note = note_missing_ranks(frame);
    return note.empty() ? core::explain_no_rows(analysis, *frame.run(), frame.filter()).sentence : note;
}

// Keys of a bar: a row that has them, and the key columns that apply.
struct BarKeys {
    std::size_t row;
    std::vector<std::size_t> columns;
};
BarKeys keys_of(const core::ChartModel& model, const core::Table& table, const ChartHit& hit) {
    const core::ChartModel::Item& item = model.items[*hit.listed];
    // Each error bar is one row; any other bar sums all rows of a category, or those of one part.
    if (model.kind == core::ChartKind::ErrorBars) return {item.row, key_columns_of(table)};
    if (model.split && hit.listed_part && item.rows_of_parts[*hit.listed_part]) {
        const std::size_t row = *item.rows_of_parts[*hit.listed_part];
        if (!facets_of(table, row, std::array{*model.split}).empty()) return {row, {model.category, *model.split}};
    }
    return {item.row, {model.category}};
}

class AnalysisPanel final : public Panel {
public:
    void draw(Frame& frame) override;
    bool busy() const override;
    void describe(nlohmann::json& shown) const override;

private:
    ChartNotes notes_of(const core::ChartModel&, const core::Table&) const;
    // Classes whose time stays in the chart although the filter excludes all their events.
    core::ClassSet find_dimmed(Frame& frame) {
        return core::is_of_all_work(*analysis_) ? classes_.ask(frame, "analysis/classes") : core::ClassSet{0};
    }
    void choose(const core::Analysis&);
    void draw_choice(const Frame& frame);
    void draw_params(core::Params& params);
    void draw_table_choice();
    void draw_controls(const Frame& frame, core::Params& params);
    void draw_run(Frame& frame, const core::Params& params);
    bool is_tree() const { return analysis_->id == "operators" && !comparing_ && !as_table_; }
    void draw_shape();
    void draw_tree(Frame& frame);
    void draw_answer(Frame& frame, AnswerView& view, const core::AnswerPtr& answer);
    void draw_launch_distributions(Frame& frame, AnswerView& view, const core::AnswerPtr& answer, ImVec2 size);
    void draw_each_run(Frame& frame, const core::Params& params);
    void draw_comparison(Frame& frame, const core::Params& params);
    void draw_compared(Frame& frame, ComparisonTable& table, const ComparisonOptions& options);
    void draw_compared_chart(Frame& frame, const ComparisonTable& table, const core::Comparison& comparison,
                             const core::ComparisonChart& chart, ImVec2 size);

    const core::Analysis* analysis_ = core::find_analysis("overlap");
    std::map<std::string_view, core::Params> params_;
    core::BySide<AnswerView> views_;
    std::map<std::string_view, ComparisonTable> comparisons_;
    Deferred<ChartKey<core::Comparison>, core::ComparisonChart> compared_chart_;
    RowClicks compared_clicks_;
    DimmedClasses classes_;
    FlameView tree_;  // for operators
    FlameChoice tree_choice_;
    bool as_table_ = false;
    bool chart_busy_ = false;  // the drawn chart of both runs
    std::string series_;
    core::OverRanks over_ = core::OverRanks::Mean;
    std::string table_;        // shown table of the answer; the main one if the answer lacks it
    std::string search_;
    bool comparing_ = false;   // last frame showed one joined table
    bool each_ = false;        // last frame showed one table per run
};

// Notes of parts, which are measures, or values of a key with one measure each.
ChartNotes AnalysisPanel::notes_of(const core::ChartModel& model, const core::Table& table) const {
    const auto explain = [&model, analysis = analysis_](std::size_t part) {
        const bool are_measures = !model.split && part < model.parts.size();
        return explain_briefly(*analysis, are_measures ? model.parts[part] : analysis->chart.measures.front());
    };
    const core::Facet facet =
        model.kind == core::ChartKind::None ? core::Facet::None : table.columns()[model.category].facet;
    return {explain, facet != core::Facet::None && facet != core::Facet::Annotation};
}

void AnalysisPanel::choose(const core::Analysis& analysis) {
    analysis_ = &analysis;
    series_.clear();
    table_.clear();
    for (const core::Side side : core::kSides) views_[side].names.clear();
}

// Lists the analyses by subject, each with the question it answers.
void AnalysisPanel::draw_choice(const Frame& frame) {
    ImGui::SetNextItemWidth(std::min(px(300), ImGui::GetContentRegionAvail().x * 0.45f));
    if (!begin_combo("##analysis", std::string(analysis_->title), ImGuiComboFlags_HeightLarge)) return;
    const float left = px(kTitleColumn), width = left + px(kSummaryColumn);
    for (const core::AnalysisGroup& group : core::analysis_groups()) {
        const std::vector<const core::Analysis*> analyses = core::collect_analyses(group);
        if (analyses.empty()) continue;
        text(group.title, color::palette().faint);
        ImGui::SameLine(left);
        text(group.summary, color::palette().faint);
        for (const core::Analysis* analysis : analyses) {
            const std::string label = std::string(analysis->title) + "##" + std::string(analysis->id);
            const ImVec2 at = ImGui::GetCursorScreenPos();
            if (selectable(label.c_str(), analysis == analysis_, 0, {width, 0}))
                frame.intents.push_back(ShowAnalysis{std::string(analysis->id)});
            if (analysis == analysis_ && ImGui::IsWindowAppearing()) ImGui::SetScrollHereY();
            tooltip(analysis->summary);
            draw_text(ImGui::GetWindowDrawList(), ui_style(), {at.x + left - ImGui::GetStyle().WindowPadding.x, at.y},
                      color::palette().muted, analysis->summary, px(kSummaryColumn));
        }
    }
    ImGui::EndCombo();
}

// "30 us": uses the largest unit that gives a whole number.
std::string param_text(std::int64_t ns) {
    constexpr std::array kUnits{std::pair{"s", std::int64_t{1'000'000'000}}, std::pair{"ms", std::int64_t{1'000'000}},
                                std::pair{"\xC2\xB5s", std::int64_t{1'000}}};
    for (const auto& [name, size] : kUnits)
        if (ns >= size && ns % size == 0) return std::to_string(ns / size) + " " + name;
    return std::to_string(ns) + " ns";
}

// Parses "30 us", "1.5 ms" or nanoseconds without a unit.
std::optional<std::int64_t> read_param(std::string typed) {
    std::erase(typed, ' ');
    if (!typed.empty() && typed.find_first_not_of("0123456789") == std::string::npos) typed += "ns";
    const core::Result<core::Duration> duration = core::parse_duration(typed);
    return duration ? std::optional(duration->count()) : std::nullopt;
}

void AnalysisPanel::draw_params(core::Params& params) {
    for (std::size_t i = 0; i < analysis_->params.size() && i < params.size(); ++i) {
        const core::Param& param = analysis_->params[i];
        const std::string title = title_of(param.name);
        same_line_for(text_width(ui_style(), title) + px(6 + kParamWidth), px(16));
        ImGui::PushID(static_cast<int>(i));
        ImGui::AlignTextToFramePadding();
        muted_text(title);
        tooltip(param.summary);
        ImGui::SameLine(0, px(6));
        const std::string id = "##param:" + std::string(param.name);
        if (!param.choices.empty()) {
            const auto at = static_cast<std::size_t>(
                std::clamp<std::int64_t>(params[i], 0, static_cast<std::int64_t>(param.choices.size()) - 1));
            ImGui::SetNextItemWidth(px(kParamWidth));
            if (begin_combo(id.c_str(), std::string(param.choices[at]))) {
                for (std::size_t c = 0; c < param.choices.size(); ++c)
                    if (selectable(std::string(param.choices[c]).c_str(), c == at))
                        params[i] = static_cast<std::int64_t>(c);
                ImGui::EndCombo();
            }
        } else if (param.unit == core::Unit::Ns) {
            std::string typed = param_text(params[i]);
            if (input_text(id.c_str(), "30 us", typed, px(kParamWidth), ImGuiInputTextFlags_EnterReturnsTrue))
                params[i] = std::clamp(read_param(typed).value_or(params[i]), param.least, param.most);
        } else {
            ImGui::SetNextItemWidth(px(kParamWidth));
            std::int64_t value = params[i];
            const char* const format = param.unit == core::Unit::Flop      ? "%lld MFLOP"
                                       : param.unit == core::Unit::Percent ? "%lld %%"
                                                                           : "%lld";
            if (ImGui::InputScalar(id.c_str(), ImGuiDataType_S64, &value, nullptr, nullptr, format,
                                   ImGuiInputTextFlags_EnterReturnsTrue))
                params[i] = std::clamp(value, param.least, param.most);
        }
        if (param.choices.empty()) record_item(id);
        ImGui::PopID();
    }
}

// Choice of the table, for answers with several.
void AnalysisPanel::draw_table_choice() {
    std::vector<std::string> names = views_.baseline.names.size() > 1 ? views_.baseline.names : views_.candidate.names;
    if (comparing_) names = comparisons_[analysis_->id].tables();
    if (names.size() < 2) return;
    const bool known = std::ranges::find(names, table_) != names.end();
    const std::string& chosen = known ? table_ : names.front();
    same_line_for(text_width(ui_style(), "Table") + px(6 + kParamWidth), px(16));
    ImGui::AlignTextToFramePadding();
    muted_text("Table");
    tooltip("Other tables of the answer. In tables of single events, a double click shows the event.");
    ImGui::SameLine(0, px(6));
    ImGui::SetNextItemWidth(px(kParamWidth));
    if (!begin_combo("##table", title_of(chosen))) return;
    for (const std::string& name : names)
        if (selectable((title_of(name) + "##table:" + name).c_str(), name == chosen)) table_ = name;
    ImGui::EndCombo();
}

void draw_path_choice(const Frame& frame) {
    const std::string words = frame.choices().critical_path ? "Hide on the timeline" : "Show on the timeline";
    same_line_for(text_width(ui_style(), words) + px(16), px(16));
    if (quiet_button((words + "##path").c_str())) frame.intents.push_back(ShowPath{!frame.choices().critical_path});
    tooltip("The path over the rows of its rank   P");
}

// Choice between the call tree and flat names. A flat total includes the time of everything the name calls.
void AnalysisPanel::draw_shape() {
    if (analysis_->id != "operators" || comparing_) return;
    same_line_for(toggle_width("Tree") + toggle_width("Table") + px(2), px(16));
    int shape = as_table_ ? 1 : 0;
    if (ui::choose("shape", {"Tree##tree", "Table##table"}, shape)) as_table_ = shape == 1;
    tooltip("The tree adds up: a name's total is its own time and that of the names below it.");
    if (as_table_) return;
    same_line_for(toggle_width("CPU time") + toggle_width("Kernel time") + px(2), px(16));
    int measure = tree_choice_.measure == FlameMeasure::CpuTime ? 0 : 1;
    if (ui::choose("measure", {"CPU time##cpu", "Kernel time##kernel"}, measure))
        tree_choice_.measure = measure == 0 ? FlameMeasure::CpuTime : FlameMeasure::KernelTime;
}

void AnalysisPanel::draw_tree(Frame& frame) {
    tree_choice_.as_tree = true;
    tree_choice_.search = search_;
    const core::Request request =
        ask(frame, "analysis/tree", core::flame_graph(), {static_cast<std::int64_t>(core::FlameKind::Operators)});
    tree_.draw(frame, tree_choice_, request, nullptr);
}

void AnalysisPanel::draw_controls(const Frame& frame, core::Params& params) {
    draw_shape();
    if (is_tree()) {
        same_line_for(px(80), px(16));
        input_text("##search", "Search", search_,
                   std::max(px(80), std::min(px(200), ImGui::GetContentRegionAvail().x)));
        return;
    }
    draw_params(params);
    draw_table_choice();
    const float search = px(frame.candidate ? 130 : 200);
    same_line_for(px(80), px(16));
    input_text("##search", "Search", search_, std::max(px(80), std::min(search, ImGui::GetContentRegionAvail().x)));
    if (comparing_) comparisons_[analysis_->id].draw_choices();
    if (analysis_->id == "critical-path") draw_path_choice(frame);
}

// Durations of calls and of their GPU work, and the delays between them. A click on a bar of GPU work filters by
// duration; the other bars aren't durations of GPU events, so a click keeps their rows in the table.
void AnalysisPanel::draw_launch_distributions(Frame& frame, AnswerView& view, const core::AnswerPtr& answer,
                                              ImVec2 size) {
    static constexpr std::array kColumns{"gpu", "delay", "call"};
    const auto made = view.distributions.ask(frame.session.pool(), answer, [answer] {
        std::vector<Distribution> distributions;
        for (const char* column : kColumns) distributions.push_back(Distribution::of(answer->main(), column));
        return distributions;
    });
    view.busy |= !view.distributions.fresh();
    if (!made || !view.distributions.fresh()) return ImGui::Dummy(size);
    view.shown_distributions = made;
    const std::array<std::string, 3> titles{"GPU work of a launch", "Launch delay", "Launch call"};
    const std::array<ImU32, 3> bars{color::palette().compute, color::of_series(0), color::of_series(1)};
    std::array<DistributionChart, 3> charts;
    for (std::size_t i = 0; i < charts.size(); ++i) {
        charts[i] = {.distribution = &(*made)[i], .title = titles[i], .bar = bars[i]};
        if (view.chosen && view.chosen->chart == i) charts[i].chosen = view.chosen->bin;
    }
    charts.front().click = "Click: filter by these durations";
    const std::optional<DistributionHit> hit = draw_distributions(charts, size);
    if (!hit) return;
    if (hit->chart == 0)
        return frame.intents.push_back(
            SetFilter{with_durations(frame.session.filter(), durations_of_bin(made->front().bins, hit->bin))});
    const bool again = view.chosen && view.chosen->chart == hit->chart && view.chosen->bin == hit->bin;
    view.chosen = again ? std::nullopt : hit;
    view.chosen_rows = nullptr;
    if (again) return;
    std::vector<bool> rows;
    for (const std::uint32_t bin : (*made)[hit->chart].bin_of_row) rows.push_back(bin == hit->bin);
    view.chosen_rows = std::make_shared<const std::vector<bool>>(std::move(rows));
}

void AnalysisPanel::draw_answer(Frame& frame, AnswerView& view, const core::AnswerPtr& answer) {
    const auto chart = view.chart.ask(frame.session.pool(), {.shown = answer, .series = series_, .over = over_},
                                      [answer, analysis = analysis_, series = series_, over = over_] {
                                          return core::ChartModel::of(*analysis, answer->main(), series, nullptr, over);
                                      });
    view.busy |= !view.chart.fresh();
    const auto chosen = std::ranges::find(answer->tables, table_, &core::NamedTable::name);
    const bool is_main = chosen == answer->tables.end() || chosen == answer->tables.begin();
    const core::NamedTable& shown = is_main ? answer->tables.front() : *chosen;
    view.names.clear();
    for (const core::NamedTable& named : answer->tables) view.names.push_back(named.name);
    view.shown = shown.name;
    view.chart_words.clear();
    // An older answer does not describe the current filter.
    const std::string why = view.fresh ? why_no_rows(frame, *analysis_) : std::string();
    if (is_main && chart && view.chart.fresh() && !chart->has_numbers) return empty_state("No rows", why);
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const bool is_list = analysis_->id == "kernel-sequences";  // its table needs the space
    const bool has_chart = is_main && chart && view.chart.fresh() && chart->kind != core::ChartKind::None &&
                           room.x > px(is_list ? 1400 : 560);
    if (has_chart) {
        const float beside = room.x - find_table_width(answer->main(), {}) - px(kGap);
        const float width = std::clamp(beside, std::min(px(kLeastChart), room.x * 0.4f), px(kMostChart));
        const ChartHit hit = draw_answer_chart(*chart, nullptr, series_, over_, {std::floor(width), room.y},
                                               notes_of(*chart, answer->main()), find_dimmed(frame));
        view.chart_words = chart->words_of_ranks();
        const auto filter_by = [&](std::size_t row, std::size_t column) {
            view.clicks.filter_by(frame, facets_of(answer->main(), row, std::array{column}));
        };
        if (hit.item) filter_by(chart->items[*hit.item].row, chart->category);
        if (hit.listed) {
            const BarKeys bar = keys_of(*chart, answer->main(), hit);
            view.clicks.open_menu(meaning_of(frame, answer->main(), bar.row, bar.columns));
        }
        if (hit.part && chart->split && chart->part_rows[*hit.part])
            filter_by(*chart->part_rows[*hit.part], *chart->split);
        ImGui::SameLine(0, px(kGap));
    }
    if (view.chosen_in != answer) {
        view.chosen.reset();
        view.chosen_rows = nullptr;
        view.chosen_in = answer;
    }
    view.shown_distributions = nullptr;
    const bool has_distributions =
        is_main && analysis_->id == "launches" && answer->main().rows() > 0 && room.x > px(560);
    if (has_distributions) {
        draw_launch_distributions(frame, view, answer, {std::floor(std::min(px(kMostChart), room.x * 0.42f)), room.y});
        ImGui::SameLine(0, px(kGap));
    }
    if (shown.table.rows() == 0) {
        const bool has_others = !is_main && answer->main().rows() > 0;
        return empty_state("No rows", has_others ? "This table of the answer is empty." : why);
    }
    TableOptions options;
    options.search = search_;
    if (has_distributions) options.only = view.chosen_rows;
    if (is_main && analysis_->id == "kernel-sequences") show_sequences(options);
    options.marked = [&](const core::Table& marked, std::size_t row) { return view.clicks.marks(frame, marked, row); };
    core::BySide<core::AnswerPtr> answers;
    answers[frame.side] = answer;
    const Explainer explainer(frame, *analysis_, answers);
    options.explainer = &explainer;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImVec2 size{ImGui::GetContentRegionAvail().x, room.y};
    ResultTable& table = view.tables[{analysis_->id, shown.name}];
    const TableHit hit = table.draw("table", frame.session.pool(), TablePtr(answer, &shown.table), options, size);
    view.busy |= !table.fresh();
    view.fresh &= table.fresh();
    view.clicks.handle(frame, hit, at, {at.x + size.x, at.y + size.y},
                       [&](std::size_t row) { return meaning_of(frame, *hit.table, row, find_only_rank(*answer)); });
}

void AnalysisPanel::draw_run(Frame& frame, const core::Params& params) {
    AnswerView& view = views_[frame.side];
    view.clicks.poll_search(frame);
    view.clicks.draw_refusal();
    const KeepsRows keeps(frame, view.clicks);
    const core::Request request = ask(frame, "analysis", *analysis_, params);
    view.fresh = request.fresh;
    view.busy = false;
    if (!begin_answer(request, analysis_->title)) return;
    const bool same = std::ranges::equal(request.answer->main().columns(),
                                         analysis_->columns ? analysis_->columns() : request.answer->main().columns(),
                                         {}, &core::Column::name, &core::Column::name);
    if (same) draw_answer(frame, view, request.answer);  // otherwise the last answer belongs to another analysis
    end_answer();
}

// Draws tables whose rows have no partners next to each other, one per run.
void AnalysisPanel::draw_each_run(Frame& frame, const core::Params& params) {
    fitted_text(core::refuse_incomparable(*analysis_).message, color::palette().muted);
    draw_side_by_side(frame, [&](Frame& own) { draw_run(own, params); });
}

void AnalysisPanel::draw_compared_chart(Frame& frame, const ComparisonTable& table, const core::Comparison& comparison,
                                        const core::ComparisonChart& chart, ImVec2 size) {
    const core::ChartModel& model = chart.sides.baseline;
    const ChartHit hit = draw_answer_chart(model, &chart.sides.candidate, series_, over_, size,
                                           notes_of(model, comparison.table), find_dimmed(frame));
    const auto filter_by = [&](std::size_t row, std::size_t column) {
        compared_clicks_.filter_by_row(frame, table.meaning_of(frame, comparison.table, row, std::array{column}));
    };
    if (hit.item) filter_by(model.items[*hit.item].row, model.category);
    if (hit.listed) {
        const BarKeys bar = keys_of(model, comparison.table, hit);
        compared_clicks_.open_menu(table.meaning_of(frame, comparison.table, bar.row, bar.columns));
    }
    if (hit.part && model.split && model.part_rows[*hit.part]) filter_by(*model.part_rows[*hit.part], *model.split);
    ImGui::SameLine(0, px(kGap));
}

void AnalysisPanel::draw_compared(Frame& frame, ComparisonTable& table, const ComparisonOptions& options) {
    const std::shared_ptr<const core::Comparison> comparison = table.comparison();
    if (!comparison) return;
    const bool has_model = table.shows_main();  // other tables have no chart
    const std::shared_ptr<const core::ComparisonChart> chart =
        has_model ? compared_chart_.ask(frame.session.pool(), {.shown = comparison, .series = series_, .over = over_},
                                        [comparison, analysis = analysis_, series = series_, over = over_] {
                                            return core::ComparisonChart::of(*analysis, *comparison, series, over);
                                        })
                  : nullptr;
    chart_busy_ = has_model && !compared_chart_.fresh();
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const float beside = room.x - table.least_width() - px(kGap);
    const bool has_chart = chart && compared_chart_.fresh() && chart->sides.baseline.kind != core::ChartKind::None &&
                           beside >= px(kLeastChart);
    if (has_chart) {
        const float width = std::clamp(beside, px(kLeastChart), std::max(px(kLeastChart), room.x * 0.38f));
        draw_compared_chart(frame, table, *comparison, *chart, {std::floor(width), room.y});
    }
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImVec2 size{ImGui::GetContentRegionAvail().x, room.y};
    ImGui::BeginGroup();
    const TableHit hit = table.draw("comparison", frame, options, size);
    ImGui::EndGroup();
    compared_clicks_.handle(frame, hit, at, {at.x + size.x, at.y + size.y},
                            [&](std::size_t row) { return table.meaning_of(frame, *hit.table, row); });
}

void AnalysisPanel::draw_comparison(Frame& frame, const core::Params& params) {
    chart_busy_ = false;
    compared_clicks_.poll_search(frame);
    compared_clicks_.draw_refusal();
    const KeepsRows keeps(frame, compared_clicks_);
    ComparisonTable& table = comparisons_[analysis_->id];
    ComparisonOptions options;
    options.search = search_;
    options.marked = [&](const core::Table& marked, std::size_t row) {
        return compared_clicks_.marks(frame, table.meaning_of(frame, marked, row), class_of_row(marked, row));
    };
    if (table_ != "main") options.table = table_;
    const core::BySide<core::Request> requests = ask_both(frame, "analysis", *analysis_, params);
    table.update(frame, *analysis_, requests, options);
    if (!begin_answer(requests, analysis_->title, table.fresh())) return;
    draw_compared(frame, table, options);
    end_answer();
}

void AnalysisPanel::draw(Frame& frame) {
    if (!analysis_) return empty_state("There is no analysis", "");
    const core::Analysis* const chosen = core::find_analysis(frame.choices().analysis);
    if (chosen && chosen != analysis_) choose(*chosen);
    chart_export().set_topic(analysis_->title);
    draw_choice(frame);
    tooltip(analysis_->definition.join_lines());
    auto [at, fresh] = params_.try_emplace(analysis_->id);
    if (fresh) at->second = standard_params(*analysis_);
    comparing_ = frame.candidate && analysis_->comparable;
    each_ = frame.candidate && !analysis_->comparable;
    draw_controls(frame, at->second);
    if (is_tree()) return draw_tree(frame);
    if (comparing_) return draw_comparison(frame, at->second);
    if (each_) return draw_each_run(frame, at->second);
    draw_run(frame, at->second);
}

bool AnalysisPanel::busy() const {
    const auto is_busy = [](const AnswerView& view) { return view.busy || view.clicks.busy(); };
    if (classes_.busy()) return true;
    if (analysis_ && is_tree()) return tree_.busy() || !tree_.fresh();
    if (!comparing_) return is_busy(views_.baseline) || (each_ && is_busy(views_.candidate));
    const auto table = comparisons_.find(analysis_->id);
    return (table != comparisons_.end() && table->second.busy()) || chart_busy_ || compared_clicks_.busy();
}

void AnalysisPanel::describe(nlohmann::json& shown) const {
    if (!analysis_) return;
    shown["analysis"] = analysis_->id;
    if (const auto params = params_.find(analysis_->id); params != params_.end())
        shown["parameters"] = core::format_params(*analysis_, params->second);
    if (is_tree()) {
        tree_.describe(shown["tree"]);
        return;
    }
    if (comparing_) {
        shown["refusal"] = compared_clicks_.refusal();
        if (const auto table = comparisons_.find(analysis_->id); table != comparisons_.end()) {
            shown["fresh"] = table->second.fresh();
            table->second.describe(shown["comparison"]);
        }
        return;
    }
    const auto describe_view = [&](const AnswerView& view, nlohmann::json& into) {
        into["fresh"] = view.fresh;
        into["refusal"] = view.clicks.refusal();
        into["tables"] = view.names;
        into["shown"] = view.shown;
        into["chart"] = view.chart_words;
        for (std::size_t i = 0; view.shown_distributions && i < view.shown_distributions->size(); ++i) {
            const Distribution& of = (*view.shown_distributions)[i];
            into["distributions"][of.column] = {{"values", of.values},
                                                {"not_positive", of.not_positive},
                                                {"median_ns", of.median.count()},
                                                {"p99_ns", of.p99.count()},
                                                {"counts", of.bins.counts}};
        }
        into["rows_of_bar"] = view.chosen_rows ? std::ranges::count(*view.chosen_rows, true) : 0;
        const auto table = view.tables.find({analysis_->id, view.shown});
        if (table != view.tables.end()) table->second.describe(into["table"]);
    };
    describe_view(views_.baseline, shown);
    if (each_) describe_view(views_.candidate, shown["candidate"]);
}

}  // namespace

std::unique_ptr<Panel> make_analysis_panel() { return std::make_unique<AnalysisPanel>(); }

}  // namespace ui
