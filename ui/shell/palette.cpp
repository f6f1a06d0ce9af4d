#include "ui/shell/palette.hpp"

#include "core/base/ascii.hpp"
#include "ui/commands/commands.hpp"
#include "ui/style/compat.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace ui {
namespace {

constexpr const char* kPaletteTitle = "Palette";
constexpr float kPaletteWidth = 620;  // sizes at scale 1
constexpr float kSheetWidth = 960;
constexpr float kPaletteRow = 26;
constexpr float kKeysColumn = 160;
constexpr float kGroupColumn = 116;
constexpr std::size_t kMostShown = 12;
constexpr std::size_t kMostPlaces = 200;
constexpr std::string_view kTimelineGroup = "Timeline";

bool has_all_words(std::string_view title, std::string_view text) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        if (!core::contains_any_case(title, text.substr(0, end))) return false;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return true;
}

struct SheetLine {
    std::string keys;  // of a heading none
    std::string does;
};

constexpr Gesture kKeysOfTables[] = {
    {"Tab, Shift+Tab", "Next, previous of tabs, tables and timeline"},
    {"\xE2\x86\x91 \xE2\x86\x93 PageUp PageDown", "Walk the rows of the clicked table"},
    {"Home, End", "First, last row, once walking"},
    {"Enter, Space", "Click the row; again takes it back"},
    {"Shift+Enter", "Show the row on the timeline"},
    {"\xE2\x86\x90 \xE2\x86\x92", "Previous, next tab, once in the tabs"},
};

// Keys of the timeline, then commands, each group below its name.
std::vector<SheetLine> sheet_lines() {
    std::vector<SheetLine> lines{{{}, "Timeline"}};
    for (const TimelineKey& key : all_timeline_keys())
        if (!key_map().chords(key.id).empty()) lines.push_back({key_map().format(key.id), std::string(key.does)});
    for (const Gesture& gesture : all_gestures())
        lines.push_back({std::string(gesture.keys), std::string(gesture.does)});
    lines.push_back({{}, "Tabs and tables"});
    for (const Gesture& key : kKeysOfTables) lines.push_back({std::string(key.keys), std::string(key.does)});
    std::optional<CommandGroup> group;
    for (const Command& command : all_commands()) {
        if (key_map().chords(command.id).empty() || command.trait == CommandTrait::OfNumber) continue;
        if (group != command.group) lines.push_back({{}, std::string(name_of(command.group))});
        group = command.group;
        lines.push_back({key_map().format(command.id), std::string(command.title)});
    }
    return lines;
}

// As many columns as there is room for; no heading ends one.
void draw_sheet(float width) {
    heading("All keys");
    ImGui::Dummy({0, px(4)});
    std::vector<SheetLine> lines = sheet_lines();
    const std::size_t columns = width > px(700) ? 2 : 1;
    const std::size_t rows = (lines.size() + columns) / columns;
    if (columns > 1 && lines[rows - 1].keys.empty())
        lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(rows) - 1, SheetLine{});
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float column = std::floor(width / static_cast<float>(columns));
    ImDrawList* list = ImGui::GetWindowDrawList();
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::size_t of_columns = i / rows;
        const float x = at.x + static_cast<float>(of_columns) * column;
        const float y = at.y + static_cast<float>(i % rows) * px(22);
        if (lines[i].keys.empty()) {
            draw_text(list, small_style(), {x, y + px(4)}, color::palette().faint, lines[i].does);
            continue;
        }
        draw_text(list, ui_style(), {x, y}, color::palette().text, lines[i].keys, px(kKeysColumn - 12));
        draw_text(list, ui_style(), {x + px(kKeysColumn), y}, color::palette().muted, lines[i].does,
                  column - px(kKeysColumn + 12));
    }
    ImGui::Dummy({width, static_cast<float>(rows) * px(22)});
    record_item("##sheet");
}

}  // namespace

// Keys of the timeline.
void Palette::add_timeline_keys(std::vector<Row>& rows, std::vector<Row>& others) const {
    for (const TimelineKey& key : all_timeline_keys()) {
        const std::string words = std::string(key.does) + " Timeline";
        const bool by_name = has_all_words(words, text_);
        if (!by_name && !has_all_words(words + " " + std::string(key.synonyms), text_)) continue;
        (by_name ? rows : others)
            .push_back(
                {std::string(key.does), key_map().format(key.id), {PressKey{std::string(key.id)}}, {}, kTimelineGroup});
    }
}

std::vector<Palette::Row> Palette::rows_of_commands(const Frame& frame) const {
    std::vector<Row> rows, others;  // others: found by other words than those shown
    for (const Command& command : all_commands()) {
        if (command.trait == CommandTrait::Alias || command.trait == CommandTrait::NotInPalette) continue;
        if (command.trait == CommandTrait::AboutTwoRuns && !frame.session.comparing()) continue;
        const std::string words = std::string(command.title) + " " + std::string(name_of(command.group));
        const bool by_name = has_all_words(words, text_);
        if (!by_name && !has_all_words(words + " " + std::string(synonyms_of(command)), text_)) continue;
        (by_name ? rows : others)
            .push_back({std::string(command.title),
                        key_map().format(command.id),
                        {command.intent(frame.choices())},
                        {},
                        name_of(command.group)});
    }
    add_timeline_keys(rows, others);
    std::ranges::move(others, std::back_inserter(rows));
    return rows;
}

std::vector<Palette::Row> Palette::rows_of_places(Frame& active) {
    std::vector<Row> rows;
    const core::RunPtr& run = active.run();
    if (!run) return rows;
    const Key key{.run = run, .view = view_, .text = text_};
    const auto found = found_.ask(active.session.pool(), key,
                                  [run, key] { return find_destinations(*run, key.view, key.text, kMostPlaces); });
    if (!found || !found_.fresh()) return rows;
    for (const Destination& place : *found) {
        Row row{.title = place.title, .note = place.note, .window = {}, .view = {}, .group = {}};
        if (place.range) row.view.push_back(ShowRange{*place.range});
        if (place.reveal.valid()) row.view.push_back(RevealEvent{place.reveal});
        rows.push_back(std::move(row));
    }
    return rows;
}

void Palette::draw_rows(const std::vector<Row>& rows, float width, bool no_run) {
    const float pitch = px(kPaletteRow);
    const std::size_t shown = std::clamp<std::size_t>(rows.size(), 1, kMostShown);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    ImGui::BeginChild("rows", {width, pitch * static_cast<float>(shown)}, false);
    ImDrawList* list = ImGui::GetWindowDrawList();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const float right = at.x + ImGui::GetContentRegionAvail().x;
        const std::string id = "##row:" + std::to_string(i);
        if (invisible_button(id.c_str(), {right - at.x, pitch})) {
            chosen_ = i;
            take_ = true;
        }
        record_item(id);
        if (ImGui::IsItemHovered() && (ImGui::GetIO().MouseDelta.x != 0 || ImGui::GetIO().MouseDelta.y != 0))
            chosen_ = i;
        if (i == chosen_) {
            draw_rect(list, at, {right, at.y + pitch},
                      color::mix(color::palette().raised, color::palette().accent, 0.3f), px(4));
            if (!ImGui::IsItemVisible()) ImGui::SetScrollHereY();
        }
        const float y = at.y + std::floor((pitch - ui_style().size_px) / 2) - px(1);
        const float note = rows[i].note.empty() ? 0 : text_width(ui_style(), rows[i].note) + px(20);
        const bool is_first = !rows[i].group.empty() && (i == 0 || rows[i - 1].group != rows[i].group);
        const float left = at.x + px(8) + (rows[i].group.empty() ? 0 : px(kGroupColumn));
        if (is_first) draw_text(list, small_style(), {at.x + px(8), y + px(1)}, color::palette().faint, rows[i].group);
        draw_text(list, ui_style(), {left, y}, color::palette().text, rows[i].title, right - left - note - px(8));
        draw_text_right(list, ui_style(), {right - px(8), y}, color::palette().muted, rows[i].note);
    }
    if (rows.empty()) {
        const ImVec2 at = ImGui::GetCursorScreenPos();
        draw_text(list, ui_style(), {at.x + px(8), at.y + px(4)}, color::palette().muted,
                  no_run   ? "No run is open"
                  : busy() ? "Looking\xE2\x80\xA6"
                           : "No match",
                  width - px(16));
    }
    ImGui::EndChild();
    ImGui::PopStyleVar();
}

void Palette::draw_list(Frame& frame, Frame& active) {
    const float width = ImGui::GetContentRegionAvail().x;
    // Enter ends the text field: where there was nothing to take one goes on typing.
    if (ImGui::IsWindowAppearing() || std::exchange(focus_, false)) ImGui::SetKeyboardFocusHere();
    const char* hint = mode_ == PaletteMode::Commands ? "A command" : "1.2345s, +5ms, step 12, rank 3, stream 7";
    take_ |= input_text("##text", hint, text_, width, ImGuiInputTextFlags_EnterReturnsTrue);
    if (ImGui::IsItemEdited()) {
        chosen_ = 0;
        take_ = false;
    }
    ImGui::Dummy({0, px(2)});
    const std::vector<Row> rows = mode_ == PaletteMode::Commands ? rows_of_commands(frame) : rows_of_places(active);
    if (compat::is_key_pressed(GLFW_KEY_DOWN, true)) ++chosen_;
    if (compat::is_key_pressed(GLFW_KEY_UP, true) && chosen_ > 0) --chosen_;
    chosen_ = std::min(chosen_, rows.empty() ? 0 : rows.size() - 1);
    draw_rows(rows, width, mode_ == PaletteMode::GoTo && !active.run());
    if (!take_ || busy()) return;
    take_ = false;
    focus_ = rows.empty();
    if (rows.empty()) return;
    for (const Intent& intent : rows[chosen_].window) frame.intents.push_back(intent);
    for (const Intent& intent : rows[chosen_].view) active.intents.push_back(intent);
    close_ = true;
}

void Palette::draw(Frame& frame, Frame& active, std::optional<PaletteMode> open) {
    if (open) {
        mode_ = *open;
        text_.clear();
        chosen_ = 0;
        take_ = focus_ = false;
        view_ = active.view().time.range();
        ImGui::OpenPopup(kPaletteTitle);
    }
    const ImVec2 full = ImGui::GetIO().DisplaySize;
    const float width = std::min(px(mode_ == PaletteMode::Keys ? kSheetWidth : kPaletteWidth), full.x - px(32));
    ImGui::SetNextWindowPos({std::floor((full.x - width) / 2), std::floor(full.y * 0.12f)});
    ImGui::SetNextWindowSize({width, 0});
    ImGui::SetNextWindowSizeConstraints({width, 0}, {width, std::floor(full.y * 0.86f)});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(12), px(12)});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, px(6));
    ImGui::PushStyleColor(ImGuiCol_PopupBg, color::palette().raised);
    shown_ = ImGui::BeginPopup(kPaletteTitle, ImGuiWindowFlags_NoMove);
    ImGui::PopStyleColor();
    ImGui::PopStyleVar(2);
    if (!shown_) return;
    const ItemScope scope("palette");
    close_on_escape();
    close_ = false;
    if (mode_ == PaletteMode::Keys)
        draw_sheet(ImGui::GetContentRegionAvail().x);
    else
        draw_list(frame, active);
    if (close_) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
}

}  // namespace ui
