#include "ui/panels/panels.hpp"
#include "ui/timeline/short_name.hpp"
#include "ui/view_models/derived.hpp"
#include "ui/view_models/details_model.hpp"
#include "ui/widgets/items.hpp"
#include "ui/widgets/text.hpp"

#include <algorithm>

namespace ui {
namespace {

// How far values are to the right of their labels.
float label_width() { return std::clamp(ImGui::GetContentRegionMax().x * 0.34f, px(104), px(184)); }

struct Key {
    core::RunPtr run;
    core::EventRef event;
    bool operator==(const Key&) const = default;
};

// A muted label and its value; a click copies the exact value.
void draw_line(std::string_view label, std::string_view value, std::string_view exact, bool is_number, int id) {
    ImGui::PushID(id);
    ImGui::BeginGroup();
    const float left = ImGui::GetCursorPosX();
    {
        const std::string fitted = fit_text(ui_style(), label, label_width() - px(8));
        muted_text(fitted);
        if (fitted != label) tooltip(label);
    }
    ImGui::SameLine(left + label_width(), 0);
    const FontScope font(is_number ? mono_style() : ui_style());
    ImGui::PushTextWrapPos(0);
    text(value);
    ImGui::PopTextWrapPos();
    ImGui::EndGroup();
    if (ImGui::IsItemClicked()) ImGui::SetClipboardText(std::string(exact.empty() ? value : exact).c_str());
    record_item("##line:" + std::string(label));
    if (!exact.empty() && exact != value) tooltip(std::string(exact) + "   (click copies)");
    ImGui::PopID();
}

class DetailsPanel final : public Panel {
public:
    void draw(Frame& frame) override;
    bool busy() const override { return waiting_; }

private:
    void draw_name(const EventDetails& details);
    void draw_links(Frame& frame, const EventDetails& details);
    void draw_arguments(const EventArguments& arguments);

    Derived<Key, EventArguments> arguments_;
    bool waiting_ = false;
};

void DetailsPanel::draw_name(const EventDetails& details) {
    const ImU32 swatch = color::of_name(details.name);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::GetWindowDrawList()->AddRectFilled({at.x, at.y + px(3)}, {at.x + px(10), at.y + px(13)}, swatch, px(2));
    const float room = ImGui::GetContentRegionAvail().x;
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + px(18));
    const std::string brief = short_name(details.name).normal;
    {
        const FontScope font(heading_style());
        text(fit_text(heading_style(), brief, room - px(18) - px(52)));
    }
    if (details.name != brief) tooltip(details.name);
    ImGui::SameLine(ImGui::GetCursorPosX() + room - px(44));
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {px(6), px(1)});
    if (quiet_button("Copy##copy")) ImGui::SetClipboardText(details.name.c_str());
    ImGui::PopStyleVar();
    tooltip("Copies the full name");
    if (details.name == brief) return;
    ImGui::PushTextWrapPos(0);
    const FontScope font(small_style());
    muted_text(details.name.size() > 400 ? std::string_view(details.name).substr(0, 400)
                                         : std::string_view(details.name));
    ImGui::PopTextWrapPos();
}

void DetailsPanel::draw_links(Frame& frame, const EventDetails& details) {
    int id = 1000;
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {px(8), 0});
    for (const DetailLink& link : details.links) {
        ImGui::PushID(++id);
        const float left = ImGui::GetCursorPosX();
        muted_text(link.label);
        ImGui::SameLine(left + label_width() - px(8), 0);
        const float note = text_width(mono_style(), link.note) + px(12);
        const float room = ImGui::GetContentRegionAvail().x - note;
        const std::string name = fit_text(ui_style(), short_name(link.name).normal, room - px(20));
        ImGui::PushStyleColor(ImGuiCol_Text, color::kAccent);
        if (quiet_button((name + "##link:" + link.label).c_str()))
            frame.intents.push_back(SelectEvent{link.event, true});
        ImGui::PopStyleColor();
        tooltip(link.name + (link.label == "Launched by" ? "\nThe time from its end to the start" : ""));
        ImGui::SameLine(0, px(4));
        mono_text(link.note, color::kMuted);
        ImGui::PopID();
    }
    ImGui::PopStyleVar();
    if (details.more_links > 0) muted_text("and " + std::to_string(details.more_links) + " more");
}

void DetailsPanel::draw_arguments(const EventArguments& arguments) {
    if (!arguments.error.empty()) return text(arguments.error, color::kError);
    if (arguments.arguments.empty()) return muted_text("No arguments");
    heading("Arguments");
    ImGui::SameLine(0, px(8));
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {px(6), px(1)});
    if (quiet_button("Copy all##copy-all")) ImGui::SetClipboardText(arguments.all.c_str());
    ImGui::PopStyleVar();
    int id = 2000;
    for (const Argument& argument : arguments.arguments) {
        constexpr std::size_t kMost = 600;
        const bool cut = argument.value.size() > kMost;
        const std::string shown = cut ? argument.value.substr(0, kMost) + "\xE2\x80\xA6" : argument.value;
        draw_line(argument.key, shown, cut ? std::string_view(argument.value) : std::string_view{}, !argument.is_text,
                  ++id);
    }
}

void DetailsPanel::draw(Frame& frame) {
    const core::RunPtr& run = frame.session.run();
    const core::EventRef event = frame.state.selected;
    waiting_ = false;
    if (!run || !event.valid()) return empty_state("Nothing is selected", "Click an event on the timeline.");
    const EventDetails details = describe_event(*run, event);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {px(8), px(4)});
    draw_name(details);
    ImGui::Dummy({0, px(4)});
    int id = 0;
    for (const DetailLine& line : details.lines) draw_line(line.label, line.value, line.exact, line.is_number, ++id);
    ImGui::Dummy({0, px(4)});
    draw_links(frame, details);
    ImGui::Dummy({0, px(4)});
    const auto arguments =
        arguments_.ask(frame.session.pool(), Key{run, event}, [run, event] { return read_arguments(*run, event); });
    waiting_ = !arguments_.fresh();
    if (arguments && !waiting_) draw_arguments(*arguments);
    ImGui::PopStyleVar();
}

}  // namespace

std::unique_ptr<Panel> make_details_panel() { return std::make_unique<DetailsPanel>(); }

}  // namespace ui
