#include "core/analysis/catalogue/registry.hpp"
#include "ui/panels/communication/communication_views.hpp"

#include "core/analysis/engine/explain_waiting.hpp"
#include "ui/style/text.hpp"
#include "ui/table/answer_chart.hpp"
#include "ui/table/explainer.hpp"
#include "ui/widgets/status.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr float kLeastComparedChart = 200;
constexpr float kComparedGap = 20;

}  // namespace

void ComparedAnswers::draw(Frame& frame) {
    const core::Analysis& analysis = *core::find_analysis(analysis_);
    charting_ = false;
    clicks_.poll_search(frame);
    clicks_.draw_refusal();
    const KeepsRows keeps(frame, clicks_);
    ComparisonOptions options;
    options.marked = [&](const core::Table& marked, std::size_t row) {
        return clicks_.marks(frame, table_.meaning_of(frame, marked, row), class_of_row(marked, row));
    };
    const core::BySide<core::Request> requests = ask_both(frame, who_, analysis, standard_params(analysis));
    table_.update(frame, analysis, requests, options);
    if (!begin_answer(requests, analysis.title, table_.fresh())) return;
    const std::shared_ptr<const core::Comparison> comparison = table_.comparison();
    if (!comparison) return end_answer();
    if (comparison->table.rows() == 0) {
        empty_state("Nothing to compare", "Neither run has such rows under the filter.");
        return end_answer();
    }
    charting_ = true;
    const auto chart =
        chart_.ask(frame.session.pool(), {comparison, over_}, [comparison, &analysis, series = series_, over = over_] {
            return core::ComparisonChart::of(analysis, *comparison, series, over);
        });
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const float beside = room.x - table_.least_width() - px(kComparedGap);
    if (chart && chart_.fresh() && chart->sides.baseline.kind != core::ChartKind::None &&
        beside >= px(kLeastComparedChart)) {
        const ChartNotes notes = notes_of_column(analysis, analysis.chart.measures.front());
        draw_answer_chart(chart->sides.baseline, &chart->sides.candidate, series_, over_,
                          {std::floor(std::min(beside, room.x * 0.4f)), room.y}, notes);
        ImGui::SameLine(0, px(kComparedGap));
    }
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImVec2 size{ImGui::GetContentRegionAvail().x, room.y};
    ImGui::BeginGroup();
    const TableHit hit = table_.draw("comparison", frame, options, size);
    ImGui::EndGroup();
    clicks_.handle(frame, hit, at, {at.x + size.x, at.y + size.y},
                   [&](std::size_t row) { return table_.meaning_of(frame, *hit.table, row); });
    end_answer();
}

void ComparedAnswers::describe(nlohmann::json& shown) const { table_.describe(shown["comparison"]); }

std::string why_no_collectives(const Frame& frame) {
    const std::string note = note_missing_ranks(frame);
    return note.empty() ? core::explain_no_waiting(*frame.run(), frame.filter()) : note;
}

}  // namespace ui
