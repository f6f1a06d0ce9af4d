#include "core/analysis/catalogue/registry.hpp"
#include "ui/panels/communication/communication_views.hpp"

#include "core/base/format.hpp"
#include "ui/model/charts/chart_table.hpp"
#include "ui/style/hatch.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/table/explainer.hpp"
#include "ui/widgets/chart_export.hpp"
#include "ui/widgets/legend.hpp"
#include "ui/widgets/status.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace ui {
namespace {

constexpr float kWaitingGap = 20;       // sizes at scale 1
constexpr float kNarrowWaiting = 560;   // narrower panels stack everything
constexpr float kLeastMap = 110;
constexpr float kMostMap = 260;
constexpr float kWaitRow = 26;
constexpr float kCaption = 18;

std::string ns_text(double ns) { return core::format_duration(core::Duration{std::llround(ns)}); }

void draw_caption(std::string_view words, float width, std::string_view hint) {
    draw_text(ImGui::GetWindowDrawList(), small_style(), ImGui::GetCursorScreenPos(), color::palette().muted, words,
              width);
    ImGui::Dummy({width, px(kCaption)});
    tooltip(hint);
}

// Draws the label, two thin bars, one below the other, and their values on the right.
void draw_wait_row(const WaitingRank& rank, bool directly, ImVec2 at, ImVec2 size, float label, float value,
                   double most, bool hovered) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImU32 ink = hovered ? color::palette().text : rank.faded ? color::palette().faint : color::palette().muted;
    const float line = size.y - px(4);
    draw_text(list, ui_style(), {at.x, at.y + (size.y - ui_style().size_px) / 2 - px(1)}, ink,
              core::format_rank(rank.rank), label - px(8));
    const float plot = std::max(px(20), size.x - label - value);
    const float half = std::floor(line / 2);
    const auto bar = [&](double ns, float top, ImU32 fill, bool is_wait) {
        if (!(ns > 0) || !(most > 0)) return;
        if (rank.faded) fill = color::mix(color::palette().panel, fill, 0.3f);
        const ImVec2 min{at.x + label, top};
        const ImVec2 max{min.x + std::max(1.0f, std::floor(static_cast<float>(ns / most) * plot)), top + half - 1};
        draw_rect(list, min, max, fill);
        if (is_wait) draw_hatch(list, min, max);
    };
    bar(rank.of(directly), at.y + px(2), color::palette().error, false);
    bar(rank.waited, at.y + px(2) + half, color::palette().waiting, true);
    const float right = at.x + size.x;
    const float upper = at.y + px(2) + (half - small_style().size_px) / 2 - px(1);
    draw_text_right(list, small_style(), {right, upper}, ink, ns_text(rank.of(directly)));
    draw_text_right(list, small_style(), {right, upper + half}, rank.faded ? color::palette().faint : ink,
                    ns_text(rank.waited));
}

void show_rank_tooltip(const WaitingRank& rank) {
    ImGui::BeginTooltip();
    heading("Rank " + core::format_rank(rank.rank) + (rank.flagged ? ", a straggler" : ""));
    tooltip_line("As root cause", ns_text(rank.rooted), color::palette().error);
    tooltip_line("Caused directly, as last to arrive", ns_text(rank.caused));
    tooltip_line("Own waiting", ns_text(rank.waited), color::palette().waiting);
    tooltip_line("Saved if it arrived with the next rank", ns_text(rank.gain));
    tooltip_line("Last in", core::format_count(rank.last) + " of " + core::format_count(rank.collectives));
    if (!rank.cause.empty()) tooltip_line("Mostly", rank.cause);
    muted_text(explain_briefly(*core::find_analysis("stragglers"), "wait_rooted"));
    ImGui::EndTooltip();
}

ChartTable table_of_ranks(const WaitingModel& model) {
    std::vector<std::string> labels;
    std::vector<double> rooted, caused, waited;
    for (const std::size_t i : model.order) {
        labels.push_back(model.rank_labels[i]);
        rooted.push_back(model.ranks[i].rooted);
        caused.push_back(model.ranks[i].caused);
        waited.push_back(model.ranks[i].waited);
    }
    ChartTable table;
    table.add_texts("rank", std::move(labels));
    table.add_numbers("wait rooted", core::Unit::Ns, std::move(rooted));
    table.add_numbers("wait caused", core::Unit::Ns, std::move(caused));
    table.add_numbers("own wait", core::Unit::Ns, std::move(waited));
    return table;
}

core::Table causes_of(const core::Table& all, const std::vector<core::RankKey>& captures) {
    core::Table kept(all.columns());
    const std::size_t at = all.find_column("rank");
    for (std::size_t row = 0; row < all.rows(); ++row) {
        const core::RankKey rank = core::RankKey::unpacked(all.integer(row, at));
        if (std::ranges::find(captures, rank) == captures.end()) continue;
        std::vector<core::Cell> cells;
        for (std::size_t c = 0; c < all.columns().size(); ++c) cells.push_back(all.cell(row, c));
        kept.add_row(cells);
    }
    return kept;
}

}  // namespace

void WaitingView::draw_head(const WaitingModel& model) {
    {
        const FontScope font(heading_style());
        fitted_text(model.headline);
    }
    record_item("##headline");
    choose("blame", {"Root cause", "Directly"}, directly_);
    tooltip(
        "Root cause: each wait is traced back through the groups to the rank where it began.\n"
        "Directly: to the last rank of the collective.");
    ImGui::SameLine(0, px(16));
    ImGui::AlignTextToFramePadding();
    const bool warns = !model.remark.empty();
    const FontScope small(small_style());
    fitted_text(warns ? model.remark + "  \xC2\xB7  " + model.clocks : model.clocks,
                warns ? color::palette().warning : color::palette().faint);
    record_item("##clocks");
}

void WaitingView::draw_bars(Frame& frame, const WaitingModel& model, ImVec2 size) {
    const bool directly = directly_ == 1;
    const std::array parts{
        BarPart{.name = directly ? "caused directly" : "as root cause", .color = color::palette().error},
        BarPart{.name = "own waiting", .color = color::palette().waiting}};
    const float top = ImGui::GetCursorPosY();
    draw_legend(parts, size.x);
    size.y = std::max(px(kWaitRow), size.y - (ImGui::GetCursorPosY() - top));
    double most = 0;
    float label = px(20), value = px(40);
    for (std::size_t i = 0; i < model.order.size(); ++i) {
        const WaitingRank& rank = model.ranks[model.order[i]];
        most = std::max({most, rank.of(directly), rank.waited});
        if (i >= 512) continue;  // the first rows determine the widths
        label = std::max(label, text_width(ui_style(), model.rank_labels[model.order[i]]) + px(8));
        value = std::max({value, text_width(small_style(), ns_text(rank.of(directly))) + px(8),
                          text_width(small_style(), ns_text(rank.waited)) + px(8)});
    }
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::BeginChild("bars", size);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    const float row_height =
        std::clamp(std::floor(size.y / static_cast<float>(model.order.size())), px(kWaitRow), px(34));
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(model.order.size()), row_height);
    while (clipper.Step()) {
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
            const WaitingRank& rank = model.ranks[model.order[static_cast<std::size_t>(i)]];
            const ImVec2 corner = ImGui::GetCursorScreenPos();
            const ImVec2 row{ImGui::GetContentRegionAvail().x, row_height};
            const std::string id = "##bar:" + core::format_rank(rank.rank);
            const bool pressed = invisible_button(id.c_str(), row);
            record_item(id);
            const bool hovered = ImGui::IsItemHovered();
            draw_wait_row(rank, directly, corner, row, label, value, most, hovered);
            RowFacets facets;
            facets.rank = rank.rank;
            if (pressed) clicks_.filter_by(frame, facets);
            if (!hovered) continue;
            ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
            show_rank_tooltip(rank);
            if (ImGui::IsMouseReleased(ImGuiMouseButton_Right))
                clicks_.open_menu(meaning_of_facets(frame, facets, "rank " + core::format_rank(rank.rank)));
        }
    }
    ImGui::PopStyleVar();
    ImGui::EndChild();
    chart_export().offer_chart("##waits", at, {at.x + size.x, at.y + size.y}, [&] {
        return ChartSheet{.title = "Waiting of ranks", .legend = parts, .table = [numbers = table_of_ranks(model)] {
                              return numbers.table();
                          }};
    });
}

void WaitingView::draw_pairs(Frame& frame, const WaitingModel& model, ImVec2 size) {
    ImGui::BeginGroup();
    const bool some = model.paired.size() < model.ranks.size();
    const std::string caption =
        "Waiting rank (row), awaited rank (column)" +
        (some ? ": the " + std::to_string(model.paired.size()) + " ranks that cause most waiting" : "");
    draw_caption(caption, size.x,
                 "For the last rank to arrive. Click: both ranks. Double-click: the longest of these waits");
    const auto rank_at = [&](std::size_t pair) { return model.ranks[model.paired[pair]].rank; };
    HeatMap map{.rows = model.pair_labels,
                .columns = model.pair_labels,
                .values = model.pairs,
                .faded = {},
                .scale = model.pair_scale,
                .unit = core::Unit::Ns,
                .row_name = "rank",
                .column_name = "waiting for rank",
                .value_name = "Waited"};
    map.owner = shown_;
    const HeatHit hit = draw_heat_map("##pairs", map, {size.x, size.y - px(kCaption)});
    ImGui::EndGroup();
    if (hit.escaped) frame.intents.push_back(TakeEscape{});
    const auto filter_ranks = [&](std::vector<core::RankKey> ranks) {
        std::ranges::sort(ranks);
        const auto rest = std::ranges::unique(ranks);
        ranks.erase(rest.begin(), rest.end());
        frame.intents.push_back(SetFilter{with_cells(frame.session.filter(), ranks, {})});
    };
    if (hit.brushed) {
        std::vector<core::RankKey> ranks;
        for (std::size_t row = hit.brushed->first.row; row <= hit.brushed->last.row; ++row)
            ranks.push_back(rank_at(row));
        for (std::size_t column = hit.brushed->first.column; column <= hit.brushed->last.column; ++column)
            ranks.push_back(rank_at(column));
        filter_ranks(std::move(ranks));
    }
    if (!hit.cell) return;
    if (hit.clicked) filter_ranks({rank_at(hit.cell->row), rank_at(hit.cell->column)});
    const core::EventRef event = model.pair_events[model.at(hit.cell->row, hit.cell->column)];
    if (hit.activated && exists(frame.run(), event)) frame.intents.push_back(SelectEvent{event, true});
}

void WaitingView::draw_steps(Frame& frame, const WaitingModel& model, ImVec2 size) {
    ImGui::BeginGroup();
    draw_caption(directly_ == 1 ? "Waiting caused directly, by step" : "Waiting as root cause, by step", size.x,
                 "Click: the rank in that step. The column none has collectives without a common step");
    const ChartNotes notes =
        notes_of_column(*core::find_analysis("wait-by-step"), directly_ == 1 ? "wait_caused" : "wait_rooted");
    HeatMap map{.rows = model.rank_labels,
                .columns = model.step_labels,
                .values = model.by_step,
                .faded = {},
                .scale = model.step_scale,
                .unit = core::Unit::Ns,
                .row_name = "rank",
                .column_name = "step",
                .value_name = "Wait caused"};
    map.notes = &notes;
    map.owner = shown_;
    const HeatHit hit = draw_heat_map("##steps", map, {size.x, size.y - px(kCaption)});
    ImGui::EndGroup();
    if (hit.escaped) frame.intents.push_back(TakeEscape{});
    if (hit.brushed) {
        std::vector<core::RankKey> ranks;
        std::vector<std::int64_t> steps;
        for (std::size_t row = hit.brushed->first.row; row <= hit.brushed->last.row; ++row)
            ranks.push_back(model.ranks[row].rank);
        for (std::size_t column = hit.brushed->first.column; column <= hit.brushed->last.column; ++column)
            if (model.steps[column]) steps.push_back(*model.steps[column]);
        frame.intents.push_back(SetFilter{with_cells(frame.session.filter(), ranks, steps)});
    }
    if (!hit.cell || !(hit.clicked || hit.activated)) return;
    const core::RankKey rank = model.ranks[hit.cell->row].rank;
    const std::optional<std::int64_t> step = model.steps[hit.cell->column];
    if (!step) {
        frame.intents.push_back(SetFilter{with_rank(frame.session.filter(), rank)});
        return;
    }
    if (hit.clicked) frame.intents.push_back(SetFilter{with_cell(frame.session.filter(), rank, *step)});
    const core::RunRange range = range_of_step(*frame.run(), *step, rank);
    if (!range.empty()) frame.intents.push_back(ShowRange{range});
}

void WaitingView::draw_causes(Frame& frame, const WaitingModel& model, const core::Request& causes, ImVec2 size) {
    const std::optional<std::size_t> chosen = model.chosen(frame.filter());
    if (!chosen || !causes.answer) return;
    const core::RankKey rank = model.ranks[*chosen].rank;
    const core::AnswerPtr answer = causes.answer;
    const std::vector<core::RankKey>& captures = model.ranks[*chosen].captures;
    const std::shared_ptr<const core::Table> made = causes_.ask(
        frame.session.pool(), {answer, captures}, [answer, captures] { return causes_of(answer->main(), captures); });
    causes_table_ = made;
    has_causes_ = true;
    ImGui::BeginGroup();
    draw_caption("Why rank " + core::format_rank(rank) + " was late (double-click shows an example)", size.x,
                 "The only rank in the filter, or else the rank that the others wait for most");
    size.y = std::max(least_table_height(), size.y - px(kCaption));
    if (made && made->rows() == 0) {
        muted_text("It was never last in a counted collective and is the root cause of no wait.");
    } else if (made) {
        TableOptions options;
        options.hidden = {"compute", "memory", "communication", "idle", "example"};
        if (captures.size() == 1) options.hidden.push_back("rank");
        options.marked = [&](const core::Table& marked, std::size_t row) {
            return causes_clicks_.marks(frame, marked, row);
        };
        const Explainer explainer(frame, *core::find_analysis("straggler-causes"), {});
        options.explainer = &explainer;
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const TableHit hit = table_.draw("causes", frame.session.pool(), made, options, size);
        causes_clicks_.handle(frame, hit, at, {at.x + size.x, at.y + size.y},
                              [&](std::size_t row) { return meaning_of(frame, *hit.table, row); });
    }
    ImGui::EndGroup();
}

// Bars left, maps and causes right of them; a narrow panel stacks all four. The causes' table keeps its least height
// and the maps get the rest.
void WaitingView::draw_model(Frame& frame, const WaitingModel& model, const core::Request& causes) {
    draw_head(model);
    const ImVec2 left = ImGui::GetContentRegionAvail();
    const float gap = px(kWaitingGap);
    const auto rows = static_cast<float>(model.ranks.size());
    if (left.x < px(kNarrowWaiting)) {
        const float map = std::clamp(rows * px(13) + px(40 + kCaption), px(kLeastMap), px(kMostMap));
        draw_bars(frame, model, {left.x, std::clamp((rows + 1) * px(kWaitRow), px(80), px(kMostMap))});
        draw_causes(frame, model, causes, {left.x, least_table_height() + px(40)});
        draw_pairs(frame, model, {left.x, map});
        draw_steps(frame, model, {left.x, map});
        return;
    }
    const float table = least_table_height() + px(kCaption);
    const float bars = std::floor(left.x * 0.32f);
    const float beside = left.x - bars - gap;
    const float wanted = rows * px(14) + px(26 + kCaption);
    const float map = std::clamp(std::min(wanted, left.y - table - px(8)), px(kLeastMap), px(kMostMap));
    const float height = std::max(left.y - px(16), map + table + px(8));
    ImGui::BeginGroup();
    draw_bars(frame, model, {bars, height - px(4)});
    ImGui::EndGroup();
    ImGui::SameLine(0, gap);
    ImGui::BeginGroup();
    const float half = std::floor((beside - gap) / 2);
    draw_pairs(frame, model, {half, map});
    ImGui::SameLine(0, gap);
    draw_steps(frame, model, {half, map});
    draw_causes(frame, model, causes, {beside, height - map - px(12)});
    ImGui::EndGroup();
}

void WaitingView::draw_run(Frame& frame) {
    // Rank and step terms only fade here, so that the ranks they exclude remain for comparison.
    const core::Filter ranks = without_rank(frame.filter());
    const core::Request stragglers = ask(frame, "communication/ranks", "stragglers", ranks);
    const core::Request by_step =
        ask(frame, "communication/steps", "wait-by-step", without_rank_and_step(frame.filter()));
    const core::Request causes = ask(frame, "communication/causes", "straggler-causes", ranks);
    shown_ = model_.last();
    if (stragglers.fresh && by_step.fresh) {
        const Key key{.run = frame.run(),
                      .stragglers = stragglers.answer,
                      .by_step = by_step.answer,
                      .filter = frame.filter(),
                      .directly = directly_ == 1};
        shown_ = model_.ask(frame.session.pool(), key, [run = frame.run(), key] {
            return WaitingModel::of(*run, *key.stragglers, key.by_step->main(), key.filter, key.directly);
        });
    }
    fresh_ = stragglers.fresh && by_step.fresh && causes.fresh && model_.fresh();
    if (!begin_answer(stragglers, "waiting", model_.fresh())) return;
    if (!by_step.error.empty()) text(by_step.error, color::palette().error);
    if (shown_ && shown_->ranks.empty()) {
        why_empty_ = why_no_collectives(frame);
        empty_state("No waiting to show", why_empty_);
    } else if (shown_) {
        draw_model(frame, *shown_, causes);
    }
    end_answer();
}

void WaitingView::draw(Frame& frame) {
    shown_ = nullptr;
    has_causes_ = false;
    why_empty_.clear();
    comparing_ = frame.candidate != nullptr;
    if (comparing_) return compared_.draw(frame);
    clicks_.poll_search(frame);
    clicks_.draw_menu(frame);
    clicks_.draw_refusal();
    causes_clicks_.poll_search(frame);
    draw_run(frame);
}

bool WaitingView::busy() const {
    if (comparing_) return compared_.busy();
    return model_.busy() || clicks_.busy() || causes_clicks_.busy() ||
           (has_causes_ && (causes_.busy() || (causes_table_ && causes_table_->rows() > 0 && table_.busy())));
}

void WaitingView::describe(nlohmann::json& shown) const {
    if (comparing_) return compared_.describe(shown);
    shown["fresh"] = fresh_;
    if (!why_empty_.empty()) shown["why_empty"] = why_empty_;
    if (!shown_ || shown_->ranks.empty()) return;
    shown["headline"] = shown_->headline;
    shown["clocks"] = shown_->clocks;
    if (!shown_->remark.empty()) shown["remark"] = shown_->remark;
    shown["total_ns"] = shown_->total;
    shown["directly"] = directly_ == 1;
    for (const std::size_t i : shown_->order) {
        const WaitingRank& rank = shown_->ranks[i];
        shown["order"].push_back(shown_->rank_labels[i]);
        shown["ranks"][shown_->rank_labels[i]] = {{"wait_caused_ns", rank.caused}, {"wait_rooted_ns", rank.rooted},
                                                  {"own_wait_ns", rank.waited},    {"last", rank.last},
                                                  {"cause", rank.cause},           {"flagged", rank.flagged},
                                                  {"in_filter", !rank.faded}};
    }
    for (std::size_t row = 0; row < shown_->paired.size(); ++row)
        for (std::size_t column = 0; column < shown_->paired.size(); ++column)
            if (const double wait = shown_->pairs[shown_->at(row, column)]; std::isfinite(wait))
                shown["pairs"][shown_->pair_labels[row]][shown_->pair_labels[column]] = wait;
    for (std::size_t row = 0; row < shown_->ranks.size(); ++row) {
        for (std::size_t step = 0; step < shown_->steps.size(); ++step)
            if (const double wait = shown_->by_step[row * shown_->steps.size() + step]; std::isfinite(wait))
                shown["steps"][shown_->rank_labels[row]][shown_->step_labels[step]] = wait;
    }
    table_.describe(shown["causes"]);
}

}  // namespace ui
