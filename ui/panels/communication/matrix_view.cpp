#include "ui/panels/communication/communication_views.hpp"

#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/table/explain.hpp"
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

}  // namespace

void MatrixView::draw_run(Frame& frame) {
    const core::Request request = ask(frame, "communication/matrix", "communication-matrix");
    shown_ = model_.last();
    const auto measure = static_cast<std::size_t>(measure_);
    if (request.fresh)
        shown_ = model_.ask(frame.session.pool(), {request.answer, measure},
                            [answer = request.answer, measure] { return MatrixModel::of(answer->main(), measure); });
    fresh_ = request.fresh && model_.fresh();
    if (!begin_answer(request, "the communication matrix", model_.fresh())) return;
    if (shown_ && shown_->sources.empty()) {
        why_empty_ = explain_no_matrix(frame);
        empty_state("No matrix to show", why_empty_);
        return end_answer();
    }
    if (!shown_) return end_answer();
    choose("measure",
           {kMatrixMeasures[0].title.data(), kMatrixMeasures[1].title.data(), kMatrixMeasures[2].title.data(),
            kMatrixMeasures[3].title.data()},
           measure_);
    tooltip(
        "Of sends, and of all-to-alls by their splits (equal shares where a trace has none).\n"
        "Time: the sender's transfer, counted for each of its messages. Bytes per second: bytes / time.");
    ImGui::SameLine(0, px(16));
    ImGui::AlignTextToFramePadding();
    {
        const FontScope font(small_style());
        fitted_text("rows send to columns; click filters by both ranks", color::palette().faint);
    }
    const MatrixMeasure& what = kMatrixMeasures[shown_->measure];
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const ChartNotes notes{[id = what.id](std::size_t) {
                               const core::Analysis& analysis = *core::find_analysis("communication-matrix");
                               return id == "bandwidth" ? std::string("bytes / time of the same messages")
                                                        : explain_briefly(analysis, id);
                           },
                           false};
    HeatMap map{shown_->source_labels,
                shown_->destination_labels,
                shown_->values,
                {},
                shown_->scale,
                what.unit,
                "rank",
                "to rank",
                what.title};
    map.notes = &notes;
    const HeatHit hit = draw_heat_map("##matrix", map, {room.x, std::max(px(kLeastMatrix), room.y - px(4))});
    end_answer();
    if (hit.escaped) frame.intents.push_back(TakeEscape{});
    if (!hit.cell && !hit.brushed) return;
    std::vector<core::RankKey> ranks;
    const HeatCells cells = hit.brushed ? *hit.brushed : HeatCells{*hit.cell, *hit.cell};
    for (std::size_t row = cells.first.row; row <= cells.last.row; ++row) ranks.push_back(shown_->sources[row]);
    for (std::size_t column = cells.first.column; column <= cells.last.column; ++column)
        if (shown_->destinations[column]) ranks.push_back({*shown_->destinations[column], 0});
    std::ranges::sort(ranks);
    const auto rest = std::ranges::unique(ranks);
    ranks.erase(rest.begin(), rest.end());
    if (hit.brushed || hit.clicked) frame.intents.push_back(SetFilter{with_cells(frame.session.filter(), ranks, {})});
}

void MatrixView::draw(Frame& frame) {
    shown_ = nullptr;
    why_empty_.clear();
    comparing_ = frame.candidate != nullptr;
    if (comparing_) return compared_.draw(frame);
    clicks_.poll_search(frame);
    draw_run(frame);
}

bool MatrixView::busy() const { return comparing_ ? compared_.busy() : !model_.fresh(); }

void MatrixView::describe(nlohmann::json& shown) const {
    if (comparing_) return compared_.describe(shown);
    shown["fresh"] = fresh_;
    if (!why_empty_.empty()) shown["why_empty"] = why_empty_;
    if (!shown_ || shown_->sources.empty()) return;
    shown["measure"] = kMatrixMeasures[shown_->measure].id;
    for (std::size_t row = 0; row < shown_->sources.size(); ++row)
        for (std::size_t column = 0; column < shown_->destinations.size(); ++column)
            if (const double value = shown_->values[row * shown_->destinations.size() + column]; std::isfinite(value))
                shown["cells"][shown_->source_labels[row]][shown_->destination_labels[column]] = value;
}

}  // namespace ui
