#include "ui/shell/top_bar.hpp"

#include "core/analysis/catalogue/analysis_groups.hpp"
#include "core/base/format.hpp"
#include "core/index/rank_count.hpp"
#include "ui/commands/commands.hpp"
#include "ui/style/compat.hpp"
#include "ui/style/fill.hpp"
#include "ui/style/items.hpp"
#include "ui/style/menu_items.hpp"
#include "ui/style/text.hpp"
#include "ui/widgets/chart_export.hpp"
#include "ui/widgets/loss_chip.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr float kLine = 40;  // sizes at scale 1
constexpr float kSecondLine = 36;
constexpr float kMenu = 34;
constexpr float kWidestChip = 340;
constexpr float kWidestLoss = 240;

bool command_button(const char* label, std::string_view command_id, bool enabled) {
    const Command* command = find_command(command_id);
    ImGui::PushStyleColor(ImGuiCol_Text, enabled ? color::palette().text : color::palette().faint);
    const bool pressed = quiet_button(label) && enabled;
    ImGui::PopStyleColor();
    if (command) tooltip(std::string(command->title) + "   " + key_map().format(command->id));
    return pressed;
}

bool is_in_menu(const Frame& frame, const Command& command) {
    if (command.trait == CommandTrait::Alias || command.trait == CommandTrait::OfNumber ||
        command.trait == CommandTrait::InPalette)
        return false;
    return frame.session.comparing() || command.trait != CommandTrait::AboutTwoRuns;
}

void draw_command(Frame& frame, const Command& command) {
    const bool pressed = menu_item(std::string(command.title).c_str(), key_map().format(command.id).c_str());
    record_item(command.id);
    if (takes_typed(command.title) || pressed) frame.intents.push_back(command.intent(frame.choices()));
}

// A menu for each subject, what an analysis answers as its tooltip.
void draw_analyses(Frame& frame) {
    for (const core::AnalysisGroup& subject : core::analysis_groups()) {
        const std::string name(subject.title);
        const bool open = begin_menu(name.c_str());
        record_item("##subject:" + name);
        if (!open) continue;
        for (const core::Analysis* analysis : core::collect_analyses(subject)) {
            const Command* command = find_command("analysis-" + std::string(analysis->id));
            if (!command) continue;
            draw_command(frame, *command);
            tooltip(analysis->summary);
        }
        ImGui::EndMenu();
    }
}

// The commands of one group with their keys beside them.
void draw_group(Frame& frame, CommandGroup group) {
    for (const Command& command : all_commands()) {
        if (command.group == group && is_in_menu(frame, command)) draw_command(frame, command);
    }
    if (group == CommandGroup::Analyses) draw_analyses(frame);
}

// Every command, a menu for each group.
void draw_menu_content(Frame& frame) {
    const ItemScope scope("menu");
    for (std::size_t i = 0; i < kCommandGroups; ++i) {
        const auto group = static_cast<CommandGroup>(i);
        const std::string name(name_of(group));
        const bool open = begin_menu(name.c_str());
        record_item("##group:" + name);
        if (!open) continue;
        draw_group(frame, group);
        ImGui::EndMenu();
    }
}

void draw_menu(Frame& frame) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImVec2 size{px(kMenu), ImGui::GetFrameHeight()};
    const bool open = ImGui::IsPopupOpen("menu");
    if (invisible_button("##menu", size)) ImGui::OpenPopup("menu");
    record_item("##menu");
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (ImGui::IsItemHovered() || open)
        list->AddRectFilled(at, {at.x + size.x, at.y + size.y}, color::palette().raised, px(4));
    const float thick = std::max(1.0f, px(2) - 0.5f);
    for (int bar = -1; bar <= 1; ++bar) {
        const float y = at.y + std::floor(size.y / 2) + static_cast<float>(bar) * px(5) - std::floor(thick / 2);
        list->AddRectFilled({at.x + px(9), y}, {at.x + size.x - px(9), y + thick}, color::palette().text);
    }
    if (!open) tooltip("All commands");
    ImGui::SetNextWindowPos({at.x, at.y + size.y + px(4)});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(8), px(8)});  // of the groups' menus, too
    ImGui::PushStyleColor(ImGuiCol_PopupBg, color::palette().raised);
    if (ImGui::BeginPopup("menu")) {
        close_on_escape();
        // A hovered group of a closed menu would stay open by itself.
        if (!compat::is_key_pressed(GLFW_KEY_ESCAPE)) draw_menu_content(frame);
        ImGui::EndPopup();
    }
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
}

// The run's name on a quiet pill; takes as much room as it needs up to `most`.
void draw_run_chip(const core::Session& session, core::Side side, float most) {
    const core::RunPtr& run = session.run(side);
    const std::string name = name_on_chip(session, side);
    const std::vector<core::RankKey> of_part =
        session.parts() ? (*session.parts())[side].ranks : std::vector<core::RankKey>();
    const std::string ranks =
        run ? core::format_rank_count(of_part.empty() ? core::count_ranks(*run) : core::count_ranks(of_part)) : "";
    const float ranks_width = ranks.empty() ? 0 : text_width(small_style(), ranks) + px(8);
    const float room = most - ranks_width - px(20);
    const bool is_cut = session.comparing() && !session.parts() && text_width(heading_style(), name) > room;
    const std::string shown =
        fit_text(heading_style(), is_cut ? differing_end(name, name_on_chip(session, other_side(side))) : name, room);
    const float name_width = text_width(heading_style(), shown);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImVec2 size{name_width + ranks_width + px(20), ImGui::GetFrameHeight()};
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(at, {at.x + size.x, at.y + size.y}, color::palette().raised, px(4));
    if (session.comparing())
        list->AddRectFilled(at, {at.x + px(3), at.y + size.y}, color::of_side(side), px(4),
                            ImDrawFlags_RoundCornersLeft);
    const float y = at.y + (size.y - ui_style().size_px) / 2 - px(1);
    draw_text(list, heading_style(), {at.x + px(10), y}, run ? color::palette().text : color::palette().muted, shown);
    if (!ranks.empty())
        draw_text(list, small_style(), {at.x + px(18) + name_width, y + px(1)}, color::palette().muted, ranks);
    ImGui::Dummy(size);
    record_item(side == core::Side::Baseline ? "##run" : "##candidate");
    if (run && shown != name) tooltip(name);
}

// With what the run lacks beside it.
void draw_run(Frame& frame, core::Side side, float most) {
    const std::shared_ptr<const core::Losses> losses = losses_of(frame.session, side);
    if (!losses) return draw_run_chip(frame.session, side, most);
    const float room = std::min(px(kWidestLoss), std::floor(most * 0.6f));
    draw_run_chip(frame.session, side, most - loss_chip_width(*losses, room) - px(4));
    ImGui::SameLine(0, px(4));
    draw_loss_chip(*losses, side, room, frame.intents);
}

// The run, or two of them with a way to swap them and to close the second.
void draw_run_chips(Frame& frame, float most) {
    if (!frame.session.comparing()) return draw_run(frame, core::Side::Baseline, most);
    const float buttons = text_width(ui_style(), "Swap\xC3\x97") + px(16) * 2 + px(8);
    const float each = std::floor((most - buttons) / 2);
    draw_run(frame, core::Side::Baseline, each);
    ImGui::SameLine(0, px(2));
    if (quiet_button("Swap##swap")) frame.intents.push_back(SwapRuns{});
    tooltip("Swap baseline and candidate");
    ImGui::SameLine(0, px(2));
    draw_run(frame, core::Side::Candidate, each);
    ImGui::SameLine(0, px(2));
    if (quiet_button("\xC3\x97##close-candidate")) frame.intents.push_back(CloseRun{});
    tooltip(frame.session.parts() ? "Show the whole run again" : "Close the candidate");
}

float buttons_width() { return text_width(ui_style(), "UndoRedo") + px(16) * 2 + px(4); }

void draw_undo_buttons(Frame& frame) {
    if (command_button("Undo##undo", "undo", frame.can_undo)) frame.intents.push_back(Undo{});
    ImGui::SameLine(0, px(4));
    if (command_button("Redo##redo", "redo", frame.can_redo)) frame.intents.push_back(Redo{});
}

}  // namespace

std::string name_on_chip(const core::Session& session, core::Side side) {
    if (const core::RunPtr& run = session.run(side))
        return session.parts() ? (*session.parts())[side].title + " \xC2\xB7 " + run->name() : run->name();
    const core::RunLoad* const load = session.load(side);
    return load && !load->finished() ? "Opening\xE2\x80\xA6" : "No run";
}

std::string differing_end(std::string_view name, std::string_view other) {
    const auto same = static_cast<std::size_t>(std::ranges::mismatch(name, other).in1 - name.begin());
    if (same == name.size()) return std::string(name);
    const std::size_t part = name.substr(0, same).find_last_of("-_./ ");  // a part is never cut in its middle
    if (part == std::string_view::npos || part == 0) return std::string(name);
    return "\xE2\x80\xA6" + std::string(name.substr(part));
}

bool TopBar::two_lines(float width) const {
    return width < px(kMenu + kWidestChip * 0.6f) + filter_.least_width() + buttons_width();
}

float TopBar::height(float width) const { return px(kLine) + (two_lines(width) ? px(kSecondLine) : 0); }

void TopBar::draw(Frame& frame, bool focus_filter, ImVec2 size) {
    const ItemScope scope("top");
    ImDrawList* list = ImGui::GetWindowDrawList();
    fill(list, {0, 0}, size, color::palette().panel);
    list->AddRectFilled({0, size.y - 1}, size, color::palette().line);
    const float y = std::floor((px(kLine) - ImGui::GetFrameHeight()) / 2);
    const bool two = two_lines(size.x);
    ImGui::SetCursorPos({px(6), y});
    draw_menu(frame);
    ImGui::SameLine(0, px(6));
    const float undo = size.x - buttons_width() - px(8);
    const bool lacks =
        losses_of(frame.session, core::Side::Baseline) || losses_of(frame.session, core::Side::Candidate);
    const float chips = std::min(px(kWidestChip), size.x * 0.2f) * (frame.session.comparing() ? 1.6f : 1.0f) +
                        (lacks ? std::min(px(kWidestLoss), size.x * 0.12f) : 0);
    draw_run_chips(frame, two ? undo - ImGui::GetCursorPosX() - px(8) : chips);
    ImGui::SameLine(0, px(12));
    if (two) {
        ImGui::SetCursorPos({undo, y});
        draw_undo_buttons(frame);
        ImGui::SetCursorPos({px(8), px(kLine)});
        filter_.draw(frame, focus_filter, size.x - px(16));
        return;
    }
    filter_.draw(frame, focus_filter, undo - ImGui::GetCursorPosX() - px(8));
    ImGui::SetCursorPos({undo, y});
    draw_undo_buttons(frame);
}

}  // namespace ui
