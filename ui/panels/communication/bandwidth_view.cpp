#include "core/analysis/catalogue/registry.hpp"
#include "ui/panels/communication/communication_views.hpp"

#include "core/analysis/engine/explain_waiting.hpp"
#include "core/base/format.hpp"
#include "core/charts/axis.hpp"
#include "ui/charts/log_plot.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/table/explainer.hpp"
#include "ui/widgets/legend.hpp"
#include "ui/widgets/status.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace ui {
namespace {

struct BandwidthTable {
    const char* title;
    std::string_view analysis;
    std::string_view what;
};
constexpr std::array<BandwidthTable, 4> kBandwidthTables{
    {{.title = "Slow ones",
      .analysis = "collective-outliers",
      .what = "Collectives that were much slower than expected for their size"},
     {.title = "Sizes", .analysis = "bandwidth", .what = "The points of the plot"},
     {.title = "Lines", .analysis = "link-model", .what = "t = alpha + bytes / B of each group and operation"},
     {.title = "Predictions",
      .analysis = "link-predictions",
      .what = "Predicted times of other algorithms on the same links"}}};

constexpr std::size_t kMostSeries = 12;  // in the legend and the plot

// A series per group and operation, up to the legend's limit, then one for all slow collectives.
std::vector<LogSeries> plot_series(const BandwidthModel& model) {
    std::vector<LogSeries> all;
    for (const BandwidthSeries& one : model.series) {
        if (all.size() == kMostSeries) break;
        LogSeries series{.name = one.title(),
                         .color = color::of_series(all.size()),
                         .points = {},
                         .line = {},
                         .faint_line = one.line && one.line->poor};
        for (const BandwidthPoint& point : one.points) series.points.push_back({point.bytes, point.bus});
        if (one.line) series.line = [line = *one.line](double bytes) { return line.bus_of(bytes); };
        all.push_back(std::move(series));
    }
    if (model.slow.empty()) return all;
    LogSeries slow{
        .name = "Slow ones", .color = color::palette().warning, .points = {}, .line = {}, .faint_line = false};
    for (const SlowPoint& point : model.slow) slow.points.push_back({point.bytes, point.bus});
    all.push_back(std::move(slow));
    return all;
}

void explain_point(const BandwidthSeries& series, const BandwidthPoint& point) {
    tooltip_line("Median transfer", core::format_duration(core::Duration{std::llround(point.transfer)}));
    tooltip_line("Collectives", core::format_count(point.count));
    if (point.concurrent > 0) tooltip_line("While another one ran", core::format_ratio(point.concurrent));
    muted_text(series.line              ? (series.line->poor ? "Poor fit: half of the sizes deviate by over 25 %"
                                                             : "Transfer only, without waiting for the last rank")
               : series.verdict.empty() ? "No line"
                                        : "No line: " + series.verdict + " (at least 3 sizes that span 8 times)");
}

void explain_slow(const SlowPoint& point) {
    tooltip_line("Transfer", core::format_duration(core::Duration{std::llround(point.transfer)}));
    tooltip_line("Expected", core::format_duration(core::Duration{std::llround(point.expected)}));
    tooltip_line("Pattern", point.pattern);
    muted_text("Click goes to it on the timeline");
}

}  // namespace

// Rows of this table name a collective instead of an event. Looking it up needs the run's waits, which may still be
// measured, so it happens on the pool; poll_outlier() finishes the click.
void BandwidthView::go_to_outlier(Frame& frame, const core::Table& table, std::size_t row) {
    const EventKey key{.run = frame.run(),
                       .group = std::string(table.text(row, table.find_column("group"))),
                       .operation = std::string(table.text(row, table.find_column("operation"))),
                       .sequence = table.integer(row, table.find_column("sequence"))};
    going_ = true;
    event_.ask(frame.session.pool(), key, [run = frame.run(), key]() -> core::EventRef {
        const core::WaitsPtr waits = core::waits_of(*run);
        const auto number = find_collective(*run, waits, key.group, key.operation, key.sequence);
        return number ? describe_arrivals(*run, *waits, *number).arrivals.back().event : core::EventRef{};
    });
    poll_outlier(frame);
}

void BandwidthView::poll_outlier(Frame& frame) {
    if (!going_) return;
    const auto found = event_.last();
    if (!event_.fresh()) return;
    going_ = false;
    if (found && exists(frame.run(), *found)) frame.intents.push_back(SelectEvent{*found, true});
}

void BandwidthView::draw_tables(Frame& frame, ImVec2 size) {
    ImGui::BeginGroup();
    choose("table",
           {kBandwidthTables[0].title, kBandwidthTables[1].title, kBandwidthTables[2].title, kBandwidthTables[3].title},
           table_choice_);
    const BandwidthTable& chosen = kBandwidthTables[static_cast<std::size_t>(table_choice_)];
    tooltip(chosen.what);
    const core::Analysis& analysis = *core::find_analysis(chosen.analysis);
    const core::Request request = ask(frame, "communication/" + std::string(chosen.analysis), chosen.analysis);
    fresh_ &= request.fresh;
    size.y = std::max(least_table_height(), size.y - ImGui::GetFrameHeightWithSpacing());
    if (request.answer && request.answer->main().rows() == 0) {
        muted_text(table_choice_ == 0 ? "No collective was much slower than expected for its size."
                                      : core::explain_no_rows(analysis, *frame.run(), frame.filter()).sentence);
    } else if (request.answer) {
        has_table_ = true;
        TableOptions options;
        options.marked = [&](const core::Table& marked, std::size_t row) { return clicks_.marks(frame, marked, row); };
        const Explainer explainer(frame, analysis, {});
        options.explainer = &explainer;
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const TableHit hit = tables_[std::string(chosen.analysis)].draw("table", frame.session.pool(),
                                                                        main_table(request.answer), options, size);
        if (table_choice_ == 0) {
            if (hit.clicked && hit.table) go_to_outlier(frame, *hit.table, *hit.clicked);
        } else {
            clicks_.handle(frame, hit, at, {at.x + size.x, at.y + size.y},
                           [&](std::size_t row) { return meaning_of(frame, *hit.table, row); });
        }
    }
    ImGui::EndGroup();
}

void BandwidthView::draw_run(Frame& frame) {
    const core::Request bandwidth = ask(frame, "communication/points", "bandwidth");
    const core::Request lines = ask(frame, "communication/lines", "link-model");
    const core::Request slow = ask(frame, "communication/collective-outliers", "collective-outliers");
    shown_ = model_.last();
    const bool answered = bandwidth.fresh && lines.fresh && slow.fresh;
    if (answered)
        shown_ = model_.ask(frame.session.pool(),
                            {.bandwidth = bandwidth.answer, .link_model = lines.answer, .outliers = slow.answer},
                            [points = bandwidth.answer, model = lines.answer, outliers = slow.answer] {
                                return BandwidthModel::of(points->main(), model->main(), outliers->main());
                            });
    fresh_ = answered && model_.fresh();
    if (!begin_answer(bandwidth, "bandwidth", model_.fresh())) return;
    if (shown_ && shown_->series.empty()) {
        const bool has_rows = bandwidth.answer->main().rows() > 0;
        why_empty_ = has_rows ? "No bus bandwidth: the number of ranks in the groups is unknown."
                              : core::explain_no_sizes(*frame.run(), frame.filter());
        empty_state("No bandwidth to show", why_empty_);
    } else if (shown_) {
        const ImVec2 room = ImGui::GetContentRegionAvail();
        const bool wide = room.x >= px(640);
        const float width = wide ? std::floor(room.x * 0.46f) : room.x;
        const float least = wide ? room.y : std::max(px(180), room.y - least_table_height() - px(40));
        ImGui::BeginGroup();
        std::vector<LogSeries> series = plot_series(*shown_);
        std::vector<BarPart> parts;
        for (const LogSeries& one : series) parts.push_back({one.name, one.color});
        const float top = ImGui::GetCursorPosY();
        draw_legend(parts, width);
        if (shown_->series.size() > kMostSeries)
            muted_text("and " + std::to_string(shown_->series.size() - kMostSeries) + " more in the table Sizes");
        LogPlot plot;
        plot.series = series;
        plot.x_name = "Size";
        plot.y_name = "Bus bandwidth";
        plot.explain = [&](std::size_t s, std::size_t p) {
            if (s < shown_->series.size() && s < kMostSeries)
                explain_point(shown_->series[s], shown_->series[s].points[p]);
            else
                explain_slow(shown_->slow[p]);
        };
        const LogHit hit = draw_log_plot("##bandwidth", plot,
                                         {width, std::max(px(110), least - (ImGui::GetCursorPosY() - top) - px(4))});
        ImGui::EndGroup();
        const bool is_slow = hit.series && *hit.series >= std::min(shown_->series.size(), kMostSeries);
        if (hit.series && hit.clicked) table_choice_ = is_slow ? 0 : 1;
        if (is_slow && hit.clicked && slow.answer && shown_->slow[hit.point].row < slow.answer->main().rows())
            go_to_outlier(frame, slow.answer->main(), shown_->slow[hit.point].row);
        if (wide) ImGui::SameLine(0, px(20));
        draw_tables(frame, {ImGui::GetContentRegionAvail().x, wide ? room.y : least_table_height() + px(40)});
    }
    end_answer();
}

void BandwidthView::draw(Frame& frame) {
    shown_ = nullptr;
    has_table_ = false;
    why_empty_.clear();
    comparing_ = frame.candidate != nullptr;
    if (comparing_) return compared_.draw(frame);
    clicks_.poll_search(frame);
    clicks_.draw_refusal();
    poll_outlier(frame);
    const KeepsRows keeps(frame, clicks_);
    draw_run(frame);
}

bool BandwidthView::busy() const {
    if (comparing_) return compared_.busy();
    const auto table = tables_.find(std::string(kBandwidthTables[static_cast<std::size_t>(table_choice_)].analysis));
    return model_.busy() || going_ || clicks_.busy() || (has_table_ && table != tables_.end() && table->second.busy());
}

void BandwidthView::describe(nlohmann::json& shown) const {
    if (comparing_) return compared_.describe(shown);
    shown["fresh"] = fresh_;
    if (!why_empty_.empty()) shown["why_empty"] = why_empty_;
    if (!shown_) return;
    for (const BandwidthSeries& one : shown_->series) {
        nlohmann::json series{{"group", one.group}, {"operation", one.operation}, {"verdict", one.verdict}};
        for (const BandwidthPoint& point : one.points)
            series["points"].push_back({{"bytes", point.bytes},
                                        {"busbw", point.bus},
                                        {"transfer_ns", point.transfer},
                                        {"count", point.count}});
        if (one.line) series["line"] = {{"alpha_ns", one.line->alpha}, {"bandwidth", one.line->bandwidth}};
        shown["series"].push_back(std::move(series));
    }
    shown["slow"] = shown_ ? shown_->slow.size() : 0;
    const std::string chosen(kBandwidthTables[static_cast<std::size_t>(table_choice_)].analysis);
    shown["table"] = chosen;
    if (const auto table = tables_.find(chosen); table != tables_.end()) table->second.describe(shown["rows"]);
}

}  // namespace ui
