#include "core/analysis/catalogue/registry.hpp"
#include "ui/panels/communication/communication_views.hpp"

#include "core/base/format.hpp"
#include "core/query/filter_edit.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/table/explainer.hpp"
#include "ui/widgets/status.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr float kLeastMatrix = 120;

std::string explain_no_matrix(const Frame& frame) {
    if (!core::has_gpu_events(*frame.run()) || frame.run()->ranks().empty()) return why_no_collectives(frame);
    if (!frame.filter().empty()) return "No send or all-to-all of known size passes the filter.";
    return "The traces have no sends or all-to-alls of known size. All-reduces and the like move data along rings or "
           "trees that no trace shows.";
}

std::string why_no_groups(const Frame& frame) {
    if (!core::has_gpu_events(*frame.run()) || frame.run()->ranks().empty()) return why_no_collectives(frame);
    return "No communication of known size passes: sizes come from the kernels' or operators' arguments.";
}

}  // namespace

void MatrixView::draw_run(Frame& frame) {
    const core::Request request = ask(frame, "communication/matrix", "communication-matrix");
    shown_ = model_.last();
    const auto measure = static_cast<std::size_t>(measure_);
    const bool by_groups = by_groups_ != 0;
    if (request.fresh)
        shown_ =
            model_.ask(frame.session.pool(), {.answer = request.answer, .measure = measure, .by_groups = by_groups},
                       [answer = request.answer, measure, by_groups] {
                           const core::Table* const groups = answer->find("groups");
                           return by_groups && groups != nullptr ? MatrixModel::of_groups(*groups, measure)
                                                                 : MatrixModel::of(answer->main(), measure);
                       });
    fresh_ = request.fresh && model_.fresh();
    if (!begin_answer(request, "the communication matrix", model_.fresh())) return;
    if (shown_) draw_map(frame);
    end_answer();
}

void MatrixView::draw_map(Frame& frame) {
    choose("by", {"Rank pairs", "Groups"}, by_groups_);
    tooltip(
        "Rank pairs: who sends to whom, as far as traces show it.\n"
        "Groups: what each rank gives in each process group, in all operations of known size.");
    ImGui::SameLine(0, px(12));
    choose("measure",
           {kMatrixMeasures[0].title.data(), kMatrixMeasures[1].title.data(), kMatrixMeasures[2].title.data(),
            kMatrixMeasures[3].title.data()},
           measure_);
    tooltip(
        "Sends, and all-to-alls by their splits (equal shares where a trace has none).\n"
        "Time: the sender's transfer, counted for each of its messages. Bytes per second: bytes / time.");
    if (shown_->empty()) {
        why_empty_ = by_groups_ != 0 ? why_no_groups(frame) : explain_no_matrix(frame);
        return empty_state("No matrix to show", why_empty_);
    }
    const bool by_groups = !shown_->groups.empty();
    ImGui::SameLine(0, px(16));
    ImGui::AlignTextToFramePadding();
    {
        const FontScope font(small_style());
        const std::string left_out =
            shown_->left_out == 0
                ? std::string()
                : "; " + core::format_plural(shown_->left_out, "rank", "ranks") + " that send least left out";
        fitted_text(by_groups ? "click filters by group and rank"
                              : "rows send to columns; click filters by both ranks" + left_out,
                    color::palette().faint);
    }
    const MatrixMeasure& what = kMatrixMeasures[shown_->measure];
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const ChartNotes notes{[id = what.id](std::size_t) {
                               const core::Analysis& analysis = *core::find_analysis("communication-matrix");
                               return id == "bandwidth" ? std::string("bytes / time of the same messages")
                                                        : explain_briefly(analysis, id);
                           },
                           false};
    HeatMap map{.rows = shown_->source_labels,
                .columns = shown_->destination_labels,
                .values = shown_->values,
                .faded = {},
                .scale = shown_->scale,
                .unit = what.unit,
                .row_name = by_groups ? "group" : "rank",
                .column_name = by_groups ? "rank" : "to rank",
                .value_name = what.title};
    map.notes = &notes;
    map.owner = shown_;
    const HeatHit hit = draw_heat_map("##matrix", map, {room.x, std::max(px(kLeastMatrix), room.y - px(4))});
    if (hit.escaped) frame.intents.push_back(TakeEscape{});
    if (!hit.brushed && !(hit.cell && hit.clicked)) return;
    std::vector<core::RankKey> ranks;
    const HeatCells cells = hit.brushed ? *hit.brushed : HeatCells{*hit.cell, *hit.cell};
    for (std::size_t row = cells.first.row; row <= cells.last.row && row < shown_->sources.size(); ++row)
        ranks.push_back(shown_->sources[row]);
    for (std::size_t column = cells.first.column; column <= cells.last.column; ++column)
        if (shown_->destinations[column]) ranks.push_back({*shown_->destinations[column], 0});
    std::ranges::sort(ranks);
    const auto rest = std::ranges::unique(ranks);
    ranks.erase(rest.begin(), rest.end());
    core::Filter filter = with_cells(frame.session.filter(), ranks, {});
    // Several groups can't be alternatives of one filter, so only a single one gives a term.
    const std::string group = by_groups ? shown_->groups[cells.first.row] : std::string();
    if (by_groups && cells.first.row == cells.last.row && !group.starts_with("all ranks"))
        filter = core::with_term(filter, core::GroupTerm{group});
    frame.intents.push_back(SetFilter{std::move(filter)});
}

void MatrixView::draw(Frame& frame) {
    shown_ = nullptr;
    why_empty_.clear();
    comparing_ = frame.candidate != nullptr;
    if (comparing_) return compared_.draw(frame);
    clicks_.poll_search(frame);
    draw_run(frame);
}

bool MatrixView::busy() const { return comparing_ ? compared_.busy() : model_.busy(); }

void MatrixView::describe(nlohmann::json& shown) const {
    if (comparing_) return compared_.describe(shown);
    shown["fresh"] = fresh_;
    if (!why_empty_.empty()) shown["why_empty"] = why_empty_;
    if (!shown_ || shown_->empty()) return;
    shown["by"] = !shown_->groups.empty() ? "groups" : "pairs";
    shown["measure"] = kMatrixMeasures[shown_->measure].id;
    for (std::size_t row = 0; row < shown_->source_labels.size(); ++row)
        for (std::size_t column = 0; column < shown_->destinations.size(); ++column)
            if (const double value = shown_->values[row * shown_->destinations.size() + column]; std::isfinite(value))
                shown["cells"][shown_->source_labels[row]][shown_->destination_labels[column]] = value;
}

}  // namespace ui
