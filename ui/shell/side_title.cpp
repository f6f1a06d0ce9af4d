#include "ui/shell/side_title.hpp"

#include "core/base/format.hpp"
#include "ui/style/fill.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/table/ask.hpp"
#include "ui/timeline/parts/align_menu.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr float kPadding = 7;    // of a word that can be clicked, at scale 1
constexpr float kLeastName = 90;
constexpr const char* kAlignMenu = "align-menu";

// A word that does something when clicked.
struct Word {
    const char* id;
    std::string words;
    std::string what;
    ImU32 color;
    std::optional<Intent> intent;  // none: opens the menu of alignments
};

float width_of(const Word& word) { return text_width(small_style(), word.words) + px(2 * kPadding); }

Word unique_events_word(const Frame& frame) {
    const SideEphemera& now = frame.ephemeral();
    const std::string here(core::name_of(frame.side));
    const std::string names = core::format_plural(now.unique_names, "name", "names");
    std::string what =
        names + " of events, and " + core::format_plural(now.unique_events->count(), "event", "events") +
        " of these names, occur only in the " + here + ".\n" +
        (frame.choices().mark_unique_events ? "A line along their upper edge marks them. Click to hide it."
                                            : "Click to mark them.");
    return {.id = "##only-here",
            .words = names + " in this run only",
            .what = std::move(what),
            .color = frame.choices().mark_unique_events ? color::of_side(frame.side) : color::palette().faint,
            .intent = MarkUniqueEvents{!frame.choices().mark_unique_events}};
}

// From left to right; what has no room is left out from the left.
std::vector<Word> collect_words(const Frame& frame) {
    const SideEphemera& now = frame.ephemeral();
    std::vector<Word> words;
    if (now.unique_events && now.unique_names > 0) words.push_back(unique_events_word(frame));
    if (frame.side == core::Side::Baseline) {
        const bool stacked = frame.choices().placement == Placement::Stacked;
        words.push_back({"##lock", frame.choices().locked ? "Unlock" : "Lock",
                         frame.choices().locked ? "Both runs zoom, pan and scroll together. Click to move them apart."
                                                : "Each run zooms, pans and scrolls alone. Click to link them.",
                         color::palette().muted, LockViews{!frame.choices().locked}});
        words.push_back({"##arrange", stacked ? "Side by side" : "Stacked",
                         stacked ? "Put the runs side by side" : "Put one run above the other", color::palette().muted,
                         PlaceRuns{stacked ? Placement::SideBySide : Placement::Stacked}});
    }
    if (std::string missing = note_missing_ranks(frame); !missing.empty())
        words.push_back({"##only-there", std::move(missing),
                         "No rank of this run matches the filter. Click to change it.", color::palette().warning,
                         FocusFilter{}});
    Word align{.id = "##align",
               .words = "Aligned at " + fit_text(small_style(), format_alignment(frame.session, frame.side), px(180)),
               .what =
                   "The moment that is the same in both runs. Click to choose another.\n"
                   "A right click on a step in the ruler aligns there, T at the step under the pointer.",
               .color = color::palette().text,
               .intent = std::nullopt};
    words.push_back(std::move(align));
    return words;
}

bool draw_word(const Word& word, ImVec2 min) {
    const FontScope font(small_style());
    ImGui::SetCursorScreenPos(min);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {px(kPadding), px(2)});
    ImGui::PushStyleColor(ImGuiCol_Text, word.color);
    const bool pressed = quiet_button((word.words + word.id).c_str());
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
    tooltip(word.what);
    return pressed;
}

void draw_align_popup(Frame& frame) {
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(8), px(8)});
    ImGui::PushStyleColor(ImGuiCol_PopupBg, color::palette().raised);
    const bool shown = ImGui::BeginPopup(kAlignMenu);
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
    if (!shown) return;
    close_on_escape();
    draw_align_menu(frame, std::nullopt);
    ImGui::EndPopup();
}

}  // namespace

void draw_side_title(const core::Session& session, core::Side side, ImVec2 min, float width, float taken) {
    const core::RunPtr& run = session.run(side);
    if (!run) return;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImVec2 end{min.x + width, min.y + px(kSideTitle)};
    fill(list, min, end, color::palette().raised);
    fill(list, min, {min.x + px(3), end.y}, color::of_side(side));
    const float y = min.y + px(3);
    const std::string_view title = side == core::Side::Baseline ? "Baseline" : "Candidate";
    draw_text(list, small_style(), {min.x + px(12), y}, color::of_side(side), title);
    const float x = min.x + px(20) + text_width(small_style(), title);
    std::string name = run->name();
    if (const std::optional<core::BySide<core::RunPart>>& parts = session.parts()) {
        name = (*parts)[side].title;
        if (side == core::Side::Candidate) name += " against " + parts->baseline.title;
        name += " \xC2\xB7 " + run->name();
    }
    record_rect("##name:" + name, {x, min.y}, {std::max(end.x - taken, x), end.y}, false);
    draw_text(list, small_style(), {x, y}, color::palette().text, name, end.x - taken - x - px(8));
}

void draw_timeline_title(Frame& frame, ImVec2 min, float width) {
    const bool second = frame.side == core::Side::Candidate;
    const ItemScope scope(second ? "candidate-title" : "title");
    ImGui::PushID(second ? "candidate-title" : "title");
    std::vector<Word> words = collect_words(frame);
    float taken = px(4);
    for (const Word& word : words) taken += width_of(word);
    while (words.size() > 1 && taken + px(kLeastName) > width) {
        taken -= width_of(words.front());
        words.erase(words.begin());
    }
    draw_side_title(frame.session, frame.side, min, width, taken);
    float x = min.x + width - taken;
    for (const Word& word : words) {
        if (draw_word(word, {x, min.y + px(1)})) {
            if (word.intent)
                frame.intents.push_back(*word.intent);
            else
                ImGui::OpenPopup(kAlignMenu);
        }
        x += width_of(word);
    }
    draw_align_popup(frame);
    ImGui::PopID();
}

void draw_side_by_side(Frame& both, const std::function<void(Frame& own)>& draw) {
    constexpr float kBetweenSides = 24;  // at scale 1
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const float half = std::floor((room.x - px(kBetweenSides)) / 2);
    for (const core::Side side : core::kSides) {
        const std::string name(core::name_of(side));
        const float x = side == core::Side::Baseline ? at.x : at.x + half + px(kBetweenSides);
        draw_side_title(both.session, side, {x, at.y}, half);
        ImGui::SetCursorScreenPos({x, at.y + px(kSideTitle + 6)});
        ImGui::BeginChild(name.c_str(), {half, std::max(px(60), room.y - px(kSideTitle + 6))}, false);
        {
            const ItemScope scope(name);
            Frame own = both.of(side);
            own.candidate = nullptr;
            draw(own);
        }
        ImGui::EndChild();
    }
}

}  // namespace ui
