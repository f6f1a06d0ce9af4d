#include "core/analysis/catalogue/registry.hpp"
#include "ui/panels/communication/communication_views.hpp"

#include "core/base/format.hpp"
#include "ui/shell/side_title.hpp"
#include "ui/style/hatch.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/table/explainer.hpp"
#include "ui/widgets/status.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr float kArrivalRow = 18;  // height at scale 1
constexpr float kLeastArrivals = 120;

std::string join(std::initializer_list<std::string> parts) {
    std::string all;
    for (const std::string& part : parts)
        if (!part.empty()) all += (all.empty() ? "" : "  \xC2\xB7  ") + part;
    return all;
}

std::string format_size(const ArrivalsModel& model) {
    std::string text = model.bytes ? core::format_bytes(*model.bytes) : "size not known";
    if (model.bus_bandwidth) text += ", " + core::format_bytes_per_second(*model.bus_bandwidth) + " on the bus";
    return text;
}

void show_arrival_tooltip(const ArrivalsModel& model, const Arrival& arrival) {
    ImGui::BeginTooltip();
    heading("Rank " + core::format_rank(arrival.rank));
    const std::size_t all = model.arrivals.size();
    tooltip_line("Arrived", std::to_string(arrival.place) + " of " + std::to_string(all));
    tooltip_line("After the first", core::format_duration(arrival.arrival - model.first));
    if (arrival.wait) tooltip_line("Waits", core::format_duration(*arrival.wait), color::palette().waiting);
    if (arrival.transfer)
        tooltip_line("Transfers", core::format_duration(*arrival.transfer), color::palette().communication);
    tooltip_line("Duration", core::format_duration(arrival.duration));
    muted_text("Click goes to its event");
    ImGui::EndTooltip();
}

// Label, bar, wait on the right; the bar from the first arrival to the last end.
void draw_arrival(const ArrivalsModel& model, const Arrival& arrival, bool is_culprit, ImVec2 at, ImVec2 size,
                  bool hovered) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float label = px(64), value = px(72);
    const ImU32 ink = hovered ? color::palette().text : color::palette().muted;
    const float y = at.y + (size.y - small_style().size_px) / 2 - px(1);
    draw_text(list, small_style(), {at.x, y}, is_culprit ? color::palette().error : ink,
              "rank " + core::format_rank(arrival.rank), label - px(4));
    const double whole = std::max<double>(1, static_cast<double>((model.end - model.first).count()));
    const float plot = std::max(px(20), size.x - label - value);
    const auto x = [&](core::Duration from_first) {
        return std::floor(at.x + label + static_cast<float>(static_cast<double>(from_first.count()) / whole) * plot);
    };
    const core::Duration begin = arrival.arrival - model.first;
    const core::Duration wait = arrival.wait.value_or(core::Duration{0});
    const float top = at.y + px(3), bottom = at.y + size.y - px(3);
    const ImVec2 wait_min{x(begin), top}, wait_max{x(begin + wait), bottom};
    const ImVec2 rest_min{x(begin + wait), top};
    const ImVec2 rest_max{std::max(rest_min.x + 1, x(begin + arrival.duration)), bottom};
    draw_rect(list, rest_min, rest_max, arrival.wait ? color::palette().communication : color::palette().unclassed);
    if (wait.count() > 0) {
        draw_rect(list, wait_min, wait_max, color::palette().waiting);
        draw_hatch(list, wait_min, wait_max);
    }
    const std::string words =
        arrival.wait ? (is_culprit ? "last" : core::format_duration(*arrival.wait)) : std::string(kAbsentText);
    draw_text_right(list, small_style(), {at.x + size.x, y}, is_culprit ? color::palette().error : ink, words);
}

}  // namespace

void CollectivesView::draw_arrivals(Frame& frame, Of& of, ImVec2 size) {
    of.has_arrivals = true;
    const Key key{frame.run(), of.open};
    of.shown = of.arrivals.ask(frame.session.pool(), key, [run = frame.run(), open = of.open]() {
        const core::WaitsPtr waits = core::waits_of(*run);
        const auto number = find_collective(*run, waits, open->group, open->operation, open->sequence);
        return number ? describe_arrivals(*run, *waits, *number) : ArrivalsModel{};
    });
    if (!of.shown || !of.arrivals.fresh() || of.shown->arrivals.empty()) {
        ImGui::Dummy(size);
        return;
    }
    const ArrivalsModel& model = *of.shown;
    ImGui::BeginChild("arrivals", size);
    {
        const FontScope font(heading_style());
        fitted_text(
            join({std::string(core::name_of(model.operation)) + " " + std::to_string(model.sequence), model.group}));
    }
    fitted_text(join({format_size(model), model.matched, model.doubts, model.missing}), color::palette().muted);
    if (!model.counts) fitted_text("Not in sums of waiting: " + model.why_not, color::palette().warning);
    if (model.counts && !model.culprit)
        fitted_text("No last rank: all arrived within the error of the clocks, " + core::format_duration(model.error),
                    color::palette().muted);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(model.arrivals.size()), px(kArrivalRow));
    while (clipper.Step()) {
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
            const auto at = static_cast<std::size_t>(i);
            const Arrival& arrival = model.arrivals[at];
            const ImVec2 corner = ImGui::GetCursorScreenPos();
            const ImVec2 row{ImGui::GetContentRegionAvail().x, px(kArrivalRow)};
            const std::string id = "##arrival:" + core::format_rank(arrival.rank);
            const bool pressed = invisible_button(id.c_str(), row);
            record_item(id);
            const bool hovered = ImGui::IsItemHovered();
            draw_arrival(model, arrival, model.culprit == at, corner, row, hovered);
            if (pressed) frame.intents.push_back(SelectEvent{arrival.event, true});
            if (!hovered) continue;
            ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
            show_arrival_tooltip(model, arrival);
        }
    }
    ImGui::PopStyleVar();
    ImGui::EndChild();
}

void CollectivesView::draw_side(Frame& frame, Of& of) {
    of.why_empty.clear();
    of.clicks.poll_search(frame);
    const core::Request request = ask(frame, "communication/collectives", "collectives");
    of.fresh = request.fresh;
    if (!begin_answer(request, "collectives")) return;
    const core::Table& table = request.answer->main();
    if (table.rows() == 0) {
        of.why_empty = request.fresh ? why_no_collectives(frame) : std::string();
        empty_state("No collectives", of.why_empty);
        return end_answer();
    }
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const bool beside = of.open && room.x >= px(760);
    const float width = beside ? std::floor(room.x * 0.6f) : room.x;
    const float height =
        of.open && !beside ? std::max(least_table_height(), std::floor(room.y - px(kLeastArrivals))) : room.y;
    TableOptions options;
    options.search = search_;
    options.sort_column = "wait";
    options.hidden = {"end_spread", "algbw"};
    const std::size_t group = table.find_column("group"), operation = table.find_column("operation");
    const std::size_t sequence = table.find_column("sequence");
    const auto row_of = [&](const core::Table& shown, std::size_t row) {
        return OpenRow{.group = std::string(shown.text(row, group)),
                       .operation = std::string(shown.text(row, operation)),
                       .sequence = shown.integer(row, sequence)};
    };
    // Compares numbers before texts: this runs for every drawn row in every frame.
    options.marked = [&](const core::Table& shown, std::size_t row) {
        return of.open && shown.integer(row, sequence) == of.open->sequence && row_of(shown, row) == *of.open;
    };
    const Explainer explainer(frame, *core::find_analysis("collectives"), {});
    options.explainer = &explainer;
    of.has_table = true;
    const TableHit hit =
        of.table.draw("collectives", frame.session.pool(), main_table(request.answer), options, {width, height});
    if (hit.clicked && hit.table) {
        const OpenRow row = row_of(*hit.table, *hit.clicked);
        of.open = of.open == row && !hit.activated ? std::nullopt : std::optional(row);
    } else if (hit.escaped && of.open) {
        of.open.reset();
        frame.intents.push_back(TakeEscape{});
    }
    if (of.open) {
        if (beside) ImGui::SameLine(0, px(20));
        draw_arrivals(frame, of, {ImGui::GetContentRegionAvail().x, beside ? room.y : px(kLeastArrivals)});
    }
    end_answer();
}

void CollectivesView::draw(Frame& frame) {
    comparing_ = frame.candidate != nullptr;
    for (const core::Side side : core::kSides) {
        sides_[side].shown = nullptr;
        sides_[side].has_table = sides_[side].has_arrivals = false;
    }
    if (comparing_) return draw_side_by_side(frame, [&](Frame& own) { draw_side(own, sides_[own.side]); });
    draw_side(frame, sides_.baseline);
}

bool CollectivesView::busy() const {
    const auto is_busy = [](const Of& of) {
        return (of.has_table && of.table.busy()) || (of.has_arrivals && of.arrivals.busy()) || of.clicks.busy();
    };
    return is_busy(sides_.baseline) || (comparing_ && is_busy(sides_.candidate));
}

void CollectivesView::describe(nlohmann::json& shown) const {
    const auto describe_side = [](const Of& of, nlohmann::json& into) {
        into["fresh"] = of.fresh;
        if (!of.why_empty.empty()) into["why_empty"] = of.why_empty;
        of.table.describe(into["table"]);
        if (!of.shown) return;
        const ArrivalsModel& model = *of.shown;
        into["open"] = {{"group", model.group},       {"operation", core::name_of(model.operation)},
                        {"sequence", model.sequence}, {"matched", model.matched},
                        {"doubts", model.doubts},     {"counts", model.counts}};
        if (model.culprit) into["open"]["last_rank"] = core::format_rank(model.arrivals[*model.culprit].rank);
        for (const Arrival& arrival : model.arrivals) {
            nlohmann::json one{{"rank", core::format_rank(arrival.rank)},
                               {"after_first_ns", (arrival.arrival - model.first).count()},
                               {"duration_ns", arrival.duration.count()}};
            if (arrival.wait) one["wait_ns"] = arrival.wait->count();
            if (arrival.transfer) one["transfer_ns"] = arrival.transfer->count();
            into["open"]["arrivals"].push_back(std::move(one));
        }
    };
    describe_side(sides_.baseline, shown);
    if (comparing_) describe_side(sides_.candidate, shown["candidate"]);
}

}  // namespace ui
