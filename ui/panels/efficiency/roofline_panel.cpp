// Operators by arithmetic intensity and rate below the roofs of their devices, and those that lose most time against
// them; with two runs, arrows from the baseline to the candidate.

#include "core/analysis/catalogue/registry.hpp"
#include "core/charts/axis.hpp"
#include "ui/charts/log_plot.hpp"
#include "ui/model/deferred.hpp"
#include "ui/model/filter_clicks.hpp"
#include "ui/model/panel.hpp"
#include "ui/model/panels/roofline_model.hpp"
#include "ui/model/panels/scope_text.hpp"
#include "ui/model/weak_key.hpp"
#include "ui/panels/efficiency/efficiency_panels.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/table/ask.hpp"
#include "ui/widgets/status.hpp"

#include "core/base/format.hpp"
#include "core/store/string_table.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <span>

namespace ui {
namespace {

constexpr float kLeastForLosses = 760;  // width of the panel, at scale 1
constexpr float kLossesWidth = 330;
constexpr float kMostRadius = 15, kLeastRadius = 2.5f;
constexpr float kReachOfPoint = 5;
constexpr std::size_t kMostInputs = 160;  // bytes of a tooltip

struct RooflineKey {
    core::BySide<WeakKey<core::Run>> runs;
    core::BySide<core::AnswerPtr> answers;
    bool operator==(const RooflineKey&) const = default;
};

core::Params params_of_all() {
    const core::Result<core::Params> params = core::make_params(
        *core::find_analysis("op-efficiency"), std::vector<std::pair<std::string, std::string>>{{"of", "all"}});
    return *params;
}

// Removes names and classes from the filter: the plot fades the excluded operators instead.
core::Filter without_names(core::Filter filter) {
    std::erase_if(filter.terms, [](const core::FilterTerm& term) {
        return std::holds_alternative<core::NameTerm>(term.what) || std::holds_alternative<core::ClassTerm>(term.what);
    });
    return filter;
}

// True for operators that the filter's names exclude.
bool is_faded(const core::Filter& filter, const std::string& name) {
    for (const core::FilterTerm& term : filter.terms)
        if (const auto* const named = std::get_if<core::NameTerm>(&term.what);
            named && !named->is_regex && (name.find(named->text) == std::string::npos) != term.negated)
            return true;
    return false;
}

struct PlotArea {
    ImVec2 min, max;
    double least_x = 1, most_x = 10, least_y = 1, most_y = 10;
    float x(double value) const {
        return min.x + static_cast<float>(std::log(value / least_x) / std::log(most_x / least_x)) * (max.x - min.x);
    }
    float y(double value) const {
        return max.y - static_cast<float>(std::log(value / least_y) / std::log(most_y / least_y)) * (max.y - min.y);
    }
    ImVec2 at(const RooflinePoint& point) const { return {x(point.intensity()), y(point.rate())}; }
};

ImU32 color_of_bound(const std::string& bound) {
    const color::Palette& palette = color::palette();
    if (bound == "compute") return palette.compute;
    if (bound == "memory") return palette.memory;
    return bound == "launch" ? palette.warning : palette.unclassed;
}

class RooflinePanel final : public Panel {
public:
    void draw(Frame& frame) override;
    bool busy() const override { return pending_ || model_.busy(); }
    void describe(nlohmann::json& shown) const override;

private:
    struct DrawnRoof {
        Roof roof;
        ImU32 ink = 0;
        std::string label;
    };
    struct Hit {
        core::Side side = core::Side::Baseline;
        const RooflinePoint* point = nullptr;
    };

    void ask_model(Frame& frame);
    void draw_plot(Frame& frame, ImVec2 size);
    void draw_axes(ImDrawList* list, const PlotArea& area) const;
    std::vector<DrawnRoof> collect_roofs() const;  // highest first
    void draw_roofs(ImDrawList* list, const PlotArea& area, std::span<const DrawnRoof> roofs, float labels_at,
                    float width) const;
    Hit draw_points(const Frame& frame, ImDrawList* list, const PlotArea& area, bool hovered) const;
    void draw_arrows(ImDrawList* list, const PlotArea& area) const;
    void draw_losses(Frame& frame, core::Side side, float width);
    void draw_loss(Frame& frame, core::Side side, const RooflinePoint& point, float width);
    void draw_notes() const;
    void show_point(const Hit& hit) const;
    void filter_by(Frame& frame, const std::string& name) const;
    float radius_of(const RooflinePoint& point) const;
    bool compares() const { return shown_->sides.baseline && shown_->sides.candidate; }

    Deferred<RooflineKey, RooflineModel> model_;
    std::shared_ptr<const RooflineModel> shown_;
    ScopeText scope_;
    std::string scope_words_, error_;
    double progress_ = 0;
    bool pending_ = false;
};

void RooflinePanel::ask_model(Frame& frame) {
    RooflineKey key;
    core::BySide<core::RunPtr> runs;
    pending_ = false;
    progress_ = 0;
    error_.clear();
    const core::Analysis& analysis = *core::find_analysis("op-efficiency");
    for (const core::Side side : sides_of(frame)) {
        Frame& own = frame.of(side);
        runs[side] = own.run();
        key.runs[side] = runs[side];
        const std::uint64_t slot = core::hash_text("roofline") + static_cast<std::uint64_t>(side);
        const core::Request request =
            own.results.request(slot, analysis, own.run(), without_names(own.filter()), params_of_all());
        pending_ |= request.pending();
        progress_ += request.progress / static_cast<double>(sides_of(frame).size());
        if (!request.error.empty()) error_ = request.error;
        key.answers[side] = request.answer;
    }
    shown_ = model_.ask(frame.session.pool(), key, [runs, key] {
        core::BySide<std::optional<RooflineSide>> sides;
        for (const core::Side side : core::kSides)
            if (runs[side] && key.answers[side])
                sides[side] = RooflineModel::side_of(*runs[side], key.answers[side]->main());
        return RooflineModel::of(std::move(sides));
    });
}

float RooflinePanel::radius_of(const RooflinePoint& point) const {
    double most = 1;
    for (const core::Side side : core::kSides)
        if (shown_->sides[side] && !shown_->sides[side]->points.empty())
            most = std::max(most, shown_->sides[side]->points.front().time);
    return std::max(px(kLeastRadius), px(kMostRadius) * static_cast<float>(std::sqrt(point.time / most)));
}

void RooflinePanel::filter_by(Frame& frame, const std::string& name) const {
    frame.intents.push_back(SetFilter{with_whole_name(frame.session.filter(), name)});
}

void RooflinePanel::draw_axes(ImDrawList* list, const PlotArea& area) const {
    const auto fitting = [](float room, float each) {
        return std::max<std::size_t>(1, static_cast<std::size_t>(std::max(0.0f, room) / px(each)));
    };
    for (const double tick : find_log_ticks(area.least_x, area.most_x, 10, fitting(area.max.x - area.min.x, 70))) {
        const float x = std::floor(area.x(tick));
        draw_rect(list, {x, area.min.y}, {x + 1, area.max.y}, color::palette().grid);
        const std::string label = core::format_number(tick);
        draw_text(list, mono_style(), {x - text_width(mono_style(), label) / 2, area.max.y + px(3)},
                  color::palette().faint, label);
    }
    for (const double tick : find_log_ticks(area.least_y, area.most_y, 10, fitting(area.max.y - area.min.y, 26))) {
        const float y = std::floor(area.y(tick));
        draw_rect(list, {area.min.x, y}, {area.max.x, y + 1}, color::palette().grid);
        draw_text_right(list, mono_style(), {area.min.x - px(6), y - mono_style().size_px / 2}, color::palette().faint,
                        core::format_value(tick, core::Unit::FlopPerSecond));
    }
    draw_text_right(list, small_style(), {area.max.x, area.max.y + px(18)}, color::palette().muted,
                    "FLOP per byte; area: time");
}

std::vector<RooflinePanel::DrawnRoof> RooflinePanel::collect_roofs() const {
    std::vector<DrawnRoof> roofs;
    for (const core::Side side : core::kSides) {
        if (!shown_->sides[side]) continue;
        for (const Roof& roof : shown_->sides[side]->roofs)
            roofs.push_back(
                {.roof = roof,
                 .ink = compares() ? color::of_side(side) : color::palette().muted,
                 .label = roof.precision + " " + core::format_value(roof.flop_per_s, core::Unit::FlopPerSecond)});
    }
    std::ranges::stable_sort(roofs, std::greater{}, [](const DrawnRoof& one) { return one.roof.flop_per_s; });
    // With one device, omit its name.
    const auto is_other = [&](const DrawnRoof& one) { return one.roof.device != roofs.front().roof.device; };
    if (std::ranges::any_of(roofs, is_other))
        for (DrawnRoof& one : roofs) one.label += " \xC2\xB7 " + one.roof.device;
    return roofs;
}

// Labels are outside the plot, right of all lines and points; a thin line leads from a moved label to its roof.
void RooflinePanel::draw_roofs(ImDrawList* list, const PlotArea& area, std::span<const DrawnRoof> roofs,
                               float labels_at, float width) const {
    const float line = small_style().size_px + px(2);
    float lowest = -1e9f;  // end of the last label; labels are drawn from the top
    for (const auto& [roof, ink, label] : roofs) {
        const double ridge = roof.bytes_per_s ? roof.flop_per_s / *roof.bytes_per_s : area.least_x;
        const float top = area.y(roof.flop_per_s);
        const float from = std::max(area.min.x, area.x(ridge));
        draw_line(list, {from, top}, {area.max.x, top}, ink, px(1.5f));
        if (roof.bytes_per_s && ridge > area.least_x) {
            const double low = std::max(area.least_x, area.least_y / *roof.bytes_per_s);
            draw_line(list, {area.x(low), area.y(roof.at(low))}, {from, top}, ink, px(1.5f));
        }
        const float middle = std::max(top, lowest + line / 2);
        draw_line(list, {area.max.x + px(2), top}, {labels_at - px(3), middle}, ink, px(1));
        draw_text(list, small_style(), {labels_at, middle - line / 2}, ink, label, width);
        lowest = middle + line / 2;
    }
}

void RooflinePanel::draw_arrows(ImDrawList* list, const PlotArea& area) const {
    for (const RooflineModel::Arrow& arrow : shown_->arrows) {
        const ImVec2 from = area.at(shown_->sides.baseline->points[arrow.from]);
        const ImVec2 to = area.at(shown_->sides.candidate->points[arrow.to]);
        const float length = std::hypot(to.x - from.x, to.y - from.y);
        if (length < px(4)) continue;
        draw_line(list, from, to, color::palette().arrow, px(1));
        const ImVec2 along{(to.x - from.x) / length, (to.y - from.y) / length};
        const float head = px(6);
        const ImVec2 back{to.x - along.x * head, to.y - along.y * head};
        draw_triangle(list, to, {back.x - along.y * head / 2, back.y + along.x * head / 2},
                      {back.x + along.y * head / 2, back.y - along.x * head / 2}, color::palette().arrow);
    }
}

RooflinePanel::Hit RooflinePanel::draw_points(const Frame& frame, ImDrawList* list, const PlotArea& area,
                                              bool hovered) const {
    Hit hit;
    float nearest = 1e9f;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    for (const core::Side side : core::kSides) {
        if (!shown_->sides[side]) continue;
        const std::vector<RooflinePoint>& points = shown_->sides[side]->points;
        for (std::size_t i = 0; i < points.size(); ++i) {
            const ImVec2 at = area.at(points[i]);
            const float radius = radius_of(points[i]);
            const ImU32 ink = compares() ? color::of_side(side) : color_of_bound(points[i].bound);
            const unsigned alpha = is_faded(frame.session.filter(), points[i].name) ? 40 : 150;
            list->AddCircleFilled(at, radius, ImGui::GetColorU32(color::with_alpha(ink, alpha)));
            list->AddCircle(at, radius, ImGui::GetColorU32(color::with_alpha(ink, alpha < 100 ? 90 : 255)));
            const std::string id =
                std::string(side == core::Side::Baseline ? "##point:" : "##candidate-point:") + std::to_string(i);
            record_rect(id, {at.x - radius, at.y - radius}, {at.x + radius, at.y + radius}, false);
            const float away = std::hypot(mouse.x - at.x, mouse.y - at.y);
            if (!hovered || away > radius + px(kReachOfPoint) || away - radius >= nearest) continue;
            nearest = away - radius;
            hit = {.side = side, .point = &points[i]};
        }
    }
    return hit;
}

void RooflinePanel::show_point(const Hit& hit) const {
    const RooflinePoint& point = *hit.point;
    ImGui::BeginTooltip();
    heading(point.name + (compares() ? " \xC2\xB7 " + std::string(name_of(hit.side)) : std::string()));
    muted_text(cut_text(point.inputs, kMostInputs));
    tooltip_line("Time", core::format_duration(core::Duration{std::llround(point.time)}));
    tooltip_line("Calls", core::format_count(static_cast<std::int64_t>(point.calls)));
    tooltip_line("Rate", core::format_value(point.rate(), core::Unit::FlopPerSecond));
    tooltip_line("Bandwidth", core::format_value(point.bandwidth(), core::Unit::BytesPerSecond));
    tooltip_line("Intensity", core::format_value(point.intensity(), core::Unit::FlopPerByte));
    if (point.floor > 0) tooltip_line("Of the roof", core::format_ratio(point.roof_share()));
    if (point.loss > 0) tooltip_line("Loss", core::format_duration(core::Duration{std::llround(point.loss)}));
    tooltip_line("Precision", point.precision);
    if (!point.bound.empty()) tooltip_line("Bound by", point.bound);
    if (!point.marks.empty()) muted_text(point.marks);
    muted_text("Click: filter by the operator");
    ImGui::EndTooltip();
    record_tooltip(point.name + "\n" + point.inputs);
}

void RooflinePanel::draw_plot(Frame& frame, ImVec2 size) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    size = {std::max(size.x, px(200)), std::max(size.y, px(100))};
    const bool pressed = invisible_button("##plot", size);
    record_item("##plot");
    const bool hovered = ImGui::IsItemHovered();
    const std::vector<DrawnRoof> roofs = collect_roofs();
    float labels = 0;
    for (const DrawnRoof& roof : roofs) labels = std::max(labels, text_width(small_style(), roof.label));
    labels = std::min(labels, size.x / 2 - px(60));
    PlotArea area{.min = {at.x + px(92), at.y + px(8)},
                  .max = {at.x + size.x - labels - px(20), at.y + size.y - px(36)}};
    area.least_x = shown_->least_x / 2, area.most_x = shown_->most_x * 2;
    area.least_y = shown_->least_y / 2, area.most_y = shown_->most_y * 2;
    ImDrawList* const list = ImGui::GetWindowDrawList();
    draw_axes(list, area);
    ImGui::PushClipRect({area.min.x, at.y}, {at.x + size.x, at.y + size.y}, true);
    draw_roofs(list, area, roofs, area.max.x + px(16), labels);
    ImGui::PopClipRect();
    ImGui::PushClipRect({area.min.x, at.y}, {area.max.x + px(10), area.max.y}, true);
    const Hit hit = draw_points(frame, list, area, hovered);
    draw_arrows(list, area);
    ImGui::PopClipRect();
    if (!hit.point) return;
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    show_point(hit);
    if (pressed) filter_by(frame, hit.point->name);
}

void RooflinePanel::draw_loss(Frame& frame, core::Side side, const RooflinePoint& point, float width) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float height = 2 * small_style().size_px + px(9);
    const std::string id = std::string(side == core::Side::Baseline ? "##loss:" : "##candidate-loss:") + point.name +
                           "," + cut_text(point.inputs, 40) + "," + point.precision;
    const bool clicked = invisible_button(id.c_str(), {width, height});
    record_item(id);
    tooltip(point.name + "\n" + cut_text(point.inputs, kMostInputs) + "\n" +
            core::format_duration(core::Duration{std::llround(point.time)}) + " in " +
            core::format_count(static_cast<std::int64_t>(point.calls)) + " calls; at the roof it would be " +
            core::format_duration(core::Duration{std::llround(point.floor)}) + "\nClick: filter by the operator");
    if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    ImDrawList* const list = ImGui::GetWindowDrawList();
    const std::string loss = core::format_duration(core::Duration{std::llround(point.loss)});
    const float number = px(76);
    draw_rect(list, {at.x, at.y + px(3)}, {at.x + px(3), at.y + height - px(4)}, color_of_bound(point.bound));
    draw_text(list, small_style(), {at.x + px(9), at.y}, color::palette().text, point.name, width - number - px(12));
    draw_text_right(list, mono_style(), {at.x + width, at.y}, color::palette().text, loss);
    const std::string below = core::format_ratio(point.roof_share()) + " of the roof, " +
                              (point.bound.empty() ? "bound unknown" : point.bound) + " \xC2\xB7 " + point.inputs;
    draw_text(list, small_style(), {at.x + px(9), at.y + small_style().size_px + px(2)}, color::palette().muted, below,
              width - px(12));
    if (clicked) filter_by(frame, point.name);
}

void RooflinePanel::draw_losses(Frame& frame, core::Side side, float width) {
    const RooflineSide& own = *shown_->sides[side];
    if (own.losses.empty()) return;
    const std::string title =
        std::string("Time lost below the roof") + (compares() ? ", " + std::string(name_of(side)) : std::string());
    heading(title);
    tooltip(
        "Time minus the least time at the device's peaks, summed over the ranks: what a perfect kernel would save.");
    for (const RooflinePoint& point : own.losses) draw_loss(frame, side, point, width);
    ImGui::Dummy({0, px(4)});
}

// Explains what isn't plotted.
void RooflinePanel::draw_notes() const {
    const FontScope font(small_style());
    for (const core::Side side : core::kSides) {
        if (!shown_->sides[side]) continue;
        const RooflineSide& own = *shown_->sides[side];
        const std::string whose = compares() ? " (" + std::string(name_of(side)) + ")" : std::string();
        if (own.left_out > 0.005)
            fitted_text(
                core::format_ratio(own.left_out) + " of operator time" +
                    (own.left_out - own.no_flop < 0.0005 ? " moves data only and is not plotted"
                                                         : " is not plotted: " + core::format_ratio(own.no_flop) +
                                                               " moves data only, the bytes of the rest are unknown") +
                    whose,
                color::palette().muted);
        for (const std::string& device : own.unknown_devices)
            fitted_text(
                "No roof: the peaks of \"" + cut_text(device, 60) + "\" are not known; --peak gives them" + whose,
                color::palette().warning);
    }
}

void RooflinePanel::draw(Frame& frame) {
    shown_ = nullptr;
    if (!frame.run()) return empty_state("No run", "Open a folder of traces.");
    ask_model(frame);
    scope_words_ = scope_.ask(frame.run(), without_names(frame.filter()), {});
    if (!error_.empty()) text(error_, color::palette().error);
    if (!shown_ || !shown_->sides.baseline) return progress_line(progress_, ImGui::GetContentRegionAvail().x);
    if (busy()) progress_line(progress_, ImGui::GetContentRegionAvail().x);
    const bool has_candidate = shown_->sides.candidate.has_value();
    if (shown_->least_x == 0 ||
        (shown_->sides.baseline->points.empty() && (!has_candidate || shown_->sides.candidate->points.empty())))
        return empty_state("No operator with known FLOP and bytes",
                           "Record with record_shapes=True. Analyses, flop-coverage, says what is not counted.");
    draw_scope(scope_words_);
    draw_notes();
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const bool beside = room.x >= px(kLeastForLosses);
    const float plot = beside ? room.x - px(kLossesWidth + 20) : room.x;
    draw_plot(frame, {plot, std::max(px(180), beside ? room.y - px(4) : room.y * 0.7f)});
    if (beside) ImGui::SameLine(0, px(20));
    const float width = beside ? px(kLossesWidth) : room.x;
    ImGui::BeginChild("losses", {width, beside ? room.y - px(4) : 0.0f});
    for (const core::Side side : core::kSides)
        if (shown_->sides[side]) draw_losses(frame, side, width - px(14));
    ImGui::EndChild();
}

void RooflinePanel::describe(nlohmann::json& shown) const {
    if (!shown_) return;
    shown["of"] = scope_words_;
    shown["arrows"] = shown_->arrows.size();
    for (const core::Side side : core::kSides) {
        if (!shown_->sides[side]) continue;
        const RooflineSide& own = *shown_->sides[side];
        nlohmann::json& one = shown[std::string(name_of(side))];
        one["points"] = own.points.size();
        one["left_out"] = own.left_out;
        for (const Roof& roof : own.roofs) one["roofs"][roof.device + " " + roof.precision] = roof.flop_per_s;
        for (const RooflinePoint& loss : own.losses)
            one["losses"].push_back({{"operator", loss.name}, {"loss_ns", loss.loss}, {"bound", loss.bound}});
    }
}

}  // namespace

std::unique_ptr<Panel> make_roofline_panel() { return std::make_unique<RooflinePanel>(); }

}  // namespace ui
