// Every kernel by name, over all ranks or per rank, by time or by count, and the top ones of each rank as bars; with
// two runs, compared.

#include "core/analysis/catalogue/registry.hpp"
#include "core/charts/comparison_chart.hpp"
#include "ui/model/deferred.hpp"
#include "ui/model/filter_clicks.hpp"
#include "ui/model/panel.hpp"
#include "ui/model/panels/kernels_model.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/table/answer_chart.hpp"
#include "ui/table/ask.hpp"
#include "ui/table/comparison_table.hpp"
#include "ui/table/explainer.hpp"
#include "ui/table/result_table.hpp"
#include "ui/table/row_clicks.hpp"
#include "ui/widgets/legend.hpp"
#include "ui/widgets/status.hpp"

#include "core/base/format.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace ui {
namespace {

constexpr std::string_view kHint = "click filters, Ctrl+click charts, double-click shows the longest";
constexpr std::string_view kComparedHint = "click filters, Ctrl+click charts, double-click shows both";
constexpr std::array kKernelClasses{core::KernelClass::Compute, core::KernelClass::Communication,
                                    core::KernelClass::Memory};

constexpr float kLeastForTopKernels = 700;  // panel width at scale 1, with one row per rank
constexpr float kLeastTopKernels = 280;
constexpr float kMostTopKernels = 460;
constexpr float kTopKernelsGap = 24;
constexpr std::array<std::string_view, 1> kTopTotal{"total"};
constexpr std::array<std::string_view, 1> kTopCount{"count"};

// The analysis kernels with one bar per rank: its most expensive kernels and the rest.
core::Analysis with_top_kernels(bool by_count) {
    core::Analysis analysis = *core::find_analysis("kernels");
    analysis.chart = {core::ChartKind::StackedBars, "rank", by_count ? kTopCount : kTopTotal, "kernel"};
    return analysis;
}

bool is_filtered_by(const core::Filter& filter, std::string_view kernel) {
    return std::ranges::any_of(filter.terms, [kernel](const core::FilterTerm& term) {
        const auto* name = std::get_if<core::NameTerm>(&term.what);
        return name && !term.negated && !name->is_regex && name->text == kernel;
    });
}

std::optional<std::string> find_kernel(const core::Table& table, std::size_t row) {
    const std::size_t column = table.find_column("kernel");
    if (column == table.columns().size() || table.absent(row, column)) return std::nullopt;
    return std::string(table.text(row, column));
}

class KernelsPanel final : public Panel {
public:
    void draw(Frame& frame) override;
    bool busy() const override;
    void describe(nlohmann::json& shown) const override;

private:
    void draw_controls(Frame& frame);
    void draw_legend_and_hint(Frame& frame);
    void draw_run(Frame& frame);
    void draw_comparison(Frame& frame);
    void draw_table(Frame& frame, const TablePtr& table, const core::AnswerPtr& answer);
    void draw_top_kernels(Frame& frame, const core::AnswerPtr& answer, ImVec2 size);
    void handle_hit(Frame& frame, const TableHit& hit, ImVec2 min, ImVec2 max);
    void choose_kernel(Frame& frame, std::string name);
    core::Result<RowMeaning> meaning(const Frame& frame, const TableHit& hit, std::size_t row) const;
    std::function<bool(const core::Table&, std::size_t)> marked(const Frame& frame) const;

    struct TopKey {
        core::AnswerPtr answer;
        bool by_count = false;
        bool operator==(const TopKey&) const = default;
    };
    Deferred<core::AnswerPtr, core::Table> merged_;
    Deferred<TopKey, core::ChartModel> top_;
    std::shared_ptr<const core::ChartModel> shown_top_;  // of the last draw; null: no room
    RowClicks clicks_;
    ResultTable table_;
    std::array<ComparisonTable, 2> comparisons_;  // all ranks together; per rank
    std::string search_;
    int per_rank_ = 0;
    int by_count_ = 0;
    bool fresh_ = false;
    bool working_ = false;  // sorting the rows of one run
    bool comparing_ = false;
};

// Legend of classes (clickable) and the number of rows, at the right end of the controls.
void KernelsPanel::draw_legend_and_hint(Frame& frame) {
    std::array<BarPart, kKernelClasses.size()> parts;
    const core::Filter& filter = frame.session.filter();
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const core::ClassSet set = core::set_of(kKernelClasses[i]);
        parts[i] = {.name = std::string(core::name_of_set(set)),
                    .color = color::of_class(kKernelClasses[i]),
                    .clickable = true,
                    .off = leaves_out_class(filter, set),
                    .hint = describe_class_click(filter, set)};
    }
    const float legend = legend_width(parts);
    same_line_for(legend, px(16));
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() + px(4));
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float room = ImGui::GetContentRegionAvail().x;
    if (const auto clicked = draw_legend(parts, std::min(legend, room) + 1)) {
        RowFacets facets;
        facets.classes = core::set_of(kKernelClasses[*clicked]);
        clicks_.filter_by(frame, facets);
    }
    const std::size_t shown = comparing_ ? comparisons_[per_rank_ == 1].shown_rows() : table_.shown_rows();
    const std::string rows = core::format_count(static_cast<std::int64_t>(shown)) + (shown == 1 ? " row" : " rows");
    const std::string with_hint = rows + "  \xC2\xB7  " + std::string(comparing_ ? kComparedHint : kHint);
    for (const std::string& hint : {with_hint, rows}) {
        if (legend + px(24) + text_width(small_style(), hint) > room) continue;
        draw_text_right(ImGui::GetWindowDrawList(), small_style(), {at.x + room, at.y + px(1)}, color::palette().faint,
                        hint);
        break;
    }
}

void KernelsPanel::draw_controls(Frame& frame) {
    choose("ranks", {"All ranks", "Per rank"}, per_rank_);
    ImGui::SameLine(0, px(16));
    choose("by", {"By time", "By count"}, by_count_);
    const float search = px(comparing_ ? 130 : 180);
    same_line_for(search, px(16));
    input_text("##search", "Search kernels", search_, search);
    if (comparing_) comparisons_[per_rank_ == 1].draw_choices();
    if (!frame.choices().chosen_kernels.empty()) {
        same_line_for(toggle_width("Clear chosen"), px(8));
        if (quiet_button("Clear chosen##clear")) frame.intents.push_back(ChooseKernels{});
    }
    draw_legend_and_hint(frame);
}

void KernelsPanel::choose_kernel(Frame& frame, std::string name) {
    std::vector<std::string> names = frame.choices().chosen_kernels;
    if (const auto found = std::ranges::find(names, name); found != names.end())
        names.erase(found);
    else
        names.push_back(std::move(name));
    frame.intents.push_back(ChooseKernels{std::move(names)});
}

std::function<bool(const core::Table&, std::size_t)> KernelsPanel::marked(const Frame& frame) const {
    return [this, &frame](const core::Table& shown, std::size_t row) {
        const bool clicked = comparing_
                                 ? clicks_.marks(frame, comparisons_[per_rank_ == 1].meaning_of(frame, shown, row),
                                                 class_of_row(shown, row))
                                 : clicks_.marks(frame, shown, row);
        const std::optional<std::string> kernel = find_kernel(shown, row);
        return clicked || (kernel && (std::ranges::find(frame.choices().chosen_kernels, *kernel) !=
                                          frame.choices().chosen_kernels.end() ||
                                      is_filtered_by(frame.session.filter(), *kernel)));
    };
}

// A click on the swatch selects the class, any other click the kernel on all ranks.
core::Result<RowMeaning> KernelsPanel::meaning(const Frame& frame, const TableHit& hit, std::size_t row) const {
    const bool of_class = hit.column && hit.table->columns()[*hit.column].facet == core::Facet::Class;
    const std::array columns{of_class ? *hit.column : hit.table->find_column("kernel")};
    if (comparing_) return comparisons_[per_rank_ == 1].meaning_of(frame, *hit.table, row, columns);
    RowMeaning of_row = meaning_of(frame, *hit.table, row);
    of_row.facets = facets_of(*hit.table, row, columns);
    return of_row;
}

void KernelsPanel::handle_hit(Frame& frame, const TableHit& hit, ImVec2 min, ImVec2 max) {
    if (hit.clicked && ImGui::GetIO().KeyCtrl) {
        if (std::optional<std::string> kernel = find_kernel(*hit.table, *hit.clicked))
            choose_kernel(frame, *std::move(kernel));
        return;
    }
    clicks_.handle(frame, hit, min, max, [&](std::size_t row) { return meaning(frame, hit, row); });
}

void KernelsPanel::draw_top_kernels(Frame& frame, const core::AnswerPtr& answer, ImVec2 size) {
    const TopKey key{answer, by_count_ == 1};
    const auto made = top_.ask(frame.session.pool(), key, [key] {
        return core::ChartModel::of(with_top_kernels(key.by_count), key.answer->main(), {});
    });
    working_ |= !top_.fresh();
    if (!made || !top_.fresh()) return ImGui::Dummy(size);
    shown_top_ = made;
    std::string series;
    core::OverRanks over = core::OverRanks::Mean;  // each bar belongs to one rank
    const ChartHit hit = draw_answer_chart(*made, nullptr, series, over, size, {});
    if (hit.item)
        clicks_.filter_by(frame, facets_of(answer->main(), made->items[*hit.item].row, std::array{made->category}));
}

void KernelsPanel::draw_table(Frame& frame, const TablePtr& table, const core::AnswerPtr& answer) {
    if (table->rows() == 0) return empty_gpu_state(frame);
    TableOptions options;
    options.sort_column = by_count_ == 1 ? "count" : "total";
    options.bar_column = by_count_ == 1 && per_rank_ == 0 ? "count_share" : "share";
    if (per_rank_ == 0) options.hidden = {by_count_ == 1 ? "share" : "count_share"};
    options.search = search_;
    options.marked = marked(frame);
    const Explainer explainer(frame, *core::find_analysis("kernels"), {answer, nullptr});
    options.explainer = &explainer;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImVec2 size = ImGui::GetContentRegionAvail();
    const float beside = size.x - find_table_width(*table, options) - px(kTopKernelsGap);
    const bool has_chart = beside >= px(kLeastTopKernels) || (per_rank_ == 1 && size.x > px(kLeastForTopKernels));
    const float chart =
        std::floor(std::clamp(beside, std::min(size.x * 0.42f, px(kMostTopKernels)), px(kMostTopKernels)));
    if (has_chart) size.x -= chart + px(kTopKernelsGap);
    const TableHit hit = table_.draw("kernels", frame.session.pool(), table, options, size);
    working_ |= !table_.fresh();
    handle_hit(frame, hit, at, {at.x + size.x, at.y + size.y});
    if (!has_chart) return;
    ImGui::SetCursorScreenPos({at.x + size.x + px(kTopKernelsGap), at.y});
    draw_top_kernels(frame, answer, {chart, size.y});
}

void KernelsPanel::draw_run(Frame& frame) {
    const core::Request request = ask(frame, "kernels", "kernels");
    TablePtr table = per_rank_ == 1 ? main_table(request.answer) : nullptr;
    if (per_rank_ == 0 && request.answer)
        table = merged_.ask(frame.session.pool(), request.answer,
                            [answer = request.answer] { return merge_ranks(answer->main()); });
    working_ = per_rank_ == 0 && merged_.busy();
    fresh_ = request.fresh && !working_ && table_.fresh();
    if (!begin_answer(request, "kernels", !working_ && table_.fresh())) return;
    if (table) draw_table(frame, table, request.answer);
    end_answer();
}

void KernelsPanel::draw_comparison(Frame& frame) {
    const core::Analysis* analysis = core::find_analysis("kernels");
    ComparisonTable& comparison = comparisons_[per_rank_ == 1];
    ComparisonOptions options;
    options.lead = by_count_ == 1 ? "count" : "total";
    options.search = search_;
    options.prepare = per_rank_ == 1 ? nullptr : merge_ranks;
    options.marked = marked(frame);
    const core::BySide<core::Request> requests = ask_both(frame, "kernels", *analysis, standard_params(*analysis));
    comparison.update(frame, *analysis, requests, options);
    fresh_ = comparison.fresh();
    if (!begin_answer(requests, "kernels", comparison.fresh())) return;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImVec2 size = ImGui::GetContentRegionAvail();
    const TableHit hit = comparison.draw("kernels", frame, options, size);
    handle_hit(frame, hit, at, {at.x + size.x, at.y + size.y});
    end_answer();
}

void KernelsPanel::draw(Frame& frame) {
    fresh_ = false;
    shown_top_ = nullptr;
    if (!frame.run()) return empty_state("No run", "Open a folder of traces.");
    comparing_ = frame.candidate != nullptr;
    draw_controls(frame);
    clicks_.poll_search(frame);
    clicks_.draw_refusal();
    const KeepsRows keeps(frame, clicks_);
    if (comparing_) return draw_comparison(frame);
    draw_run(frame);
}

bool KernelsPanel::busy() const {
    if (clicks_.busy()) return true;
    return comparing_ ? comparisons_[per_rank_ == 1].busy() : working_;
}

void KernelsPanel::describe(nlohmann::json& shown) const {
    shown["fresh"] = fresh_;
    shown["per_rank"] = per_rank_ == 1;
    shown["top_by"] = by_count_ == 1 ? "count" : "time";
    shown["search"] = search_;
    if (shown_top_) {
        shown["top"]["parts"] = shown_top_->parts;
        for (const core::ChartModel::Item& item : shown_top_->items) shown["top"]["bars"][item.label] = item.values;
    }
    if (comparing_)
        comparisons_[per_rank_ == 1].describe(shown["comparison"]);
    else
        table_.describe(shown["table"]);
}

}  // namespace

std::unique_ptr<Panel> make_kernels_panel() { return std::make_unique<KernelsPanel>(); }

}  // namespace ui
