#include "ui/ask.hpp"
#include "ui/panels/panels.hpp"
#include "ui/view_models/derived.hpp"
#include "ui/view_models/overview_model.hpp"
#include "ui/widgets/items.hpp"
#include "ui/widgets/text.hpp"

namespace ui {
namespace {

constexpr float kLabelWidth = 164;  // at scale 1

struct Key {
    core::RunPtr run;
    core::AnswerPtr breakdown;
    core::AnswerPtr steps;
    bool operator==(const Key&) const = default;
};

void draw_line(Frame& frame, const OverviewLine& line, int id) {
    ImGui::PushID(id);
    const bool leads_on = line.range || line.rank;
    const ImVec2 start = ImGui::GetCursorPos();
    if (leads_on) {
        ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {px(8), px(4)});
        if (selectable(("##" + line.label).c_str(), false)) {
            if (line.range) frame.intents.push_back(ShowRange{*line.range});
            if (line.rank) {
                core::Filter filter = frame.session.filter();
                filter.terms.push_back({false, core::RankTerm{{{line.rank->number, line.rank->number}}}});
                frame.intents.push_back(SetFilter{std::move(filter)});
            }
        }
        tooltip(line.range ? "Shows it on the timeline" : "Filters by this rank");
        ImGui::PopStyleVar();
        ImGui::SetCursorPos(start);
    }
    muted_text(fit_text(ui_style(), line.label, px(kLabelWidth - 8)));
    ImGui::SameLine(start.x + px(kLabelWidth), 0);
    const std::string value = fit_text(ui_style(), line.value, ImGui::GetContentRegionAvail().x);
    text(value);
    if (value != line.value) tooltip(line.value);
    if (!line.note.empty() && text_width(ui_style(), value) + text_width(ui_style(), line.note) + px(12) <
                                  ImGui::GetContentRegionMax().x - start.x - px(kLabelWidth)) {
        ImGui::SameLine(0, px(10));
        muted_text(line.note);
    }
    ImGui::PopID();
}

void draw_lines(Frame& frame, const char* title, const std::vector<OverviewLine>& lines) {
    if (lines.empty()) return;
    ImGui::PushID(title);
    if (*title != '#') heading(title);
    int id = 0;
    for (const OverviewLine& line : lines) draw_line(frame, line, ++id);
    ImGui::Dummy({0, px(6)});
    ImGui::PopID();
}

class OverviewPanel final : public Panel {
public:
    void draw(Frame& frame) override;
    bool busy() const override { return !model_.fresh(); }

private:
    Derived<Key, OverviewModel> model_;
};

void OverviewPanel::draw(Frame& frame) {
    const core::RunPtr& run = frame.session.run();
    if (!run) return empty_state("No run", "Open a folder of traces.");
    const core::Request breakdown = ask(frame, "overview", "temporal-breakdown");
    const core::Request steps = ask(frame, "overview/steps", "steps");
    const Key key{run, breakdown.answer, steps.answer};
    const auto model = model_.ask(frame.session.pool(), key, [key] {
        return OverviewModel::of(*key.run, key.breakdown ? &key.breakdown->main() : nullptr,
                                 key.steps ? &key.steps->main() : nullptr);
    });
    if (!model) return;
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {px(8), px(4)});
    ImGui::PushStyleVar(ImGuiStyleVar_Alpha, breakdown.pending() || steps.pending() ? 0.55f : 1.0f);
    draw_lines(frame, "##size", model->size);
    draw_lines(frame, "##steps", model->steps);
    draw_lines(frame, "Where the time went", model->time);
    if (model->losses > 0) {
        text("What was repaired or lost while reading", color::kAccent);
        record_item("##import");
        if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
        if (ImGui::IsItemClicked()) frame.intents.push_back(ShowPanel{"import"});
        ImGui::Dummy({0, px(6)});
    }
    draw_lines(frame, "Environment", model->environment);
    ImGui::PopStyleVar(2);
}

}  // namespace

std::unique_ptr<Panel> make_overview_panel() { return std::make_unique<OverviewPanel>(); }

}  // namespace ui
