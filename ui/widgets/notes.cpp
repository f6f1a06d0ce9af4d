#include "ui/widgets/notes.hpp"

#include "ui/style/items.hpp"
#include "ui/style/text.hpp"

#include <algorithm>
#include <vector>

namespace ui {
namespace {

constexpr float kNotesWidth = 360;      // at scale 1
constexpr std::size_t kMostNotes = 8;   // per axis

std::string explain_part(const ChartNotes* notes, std::size_t part) {
    return notes && notes->explain ? notes->explain(part) : std::string();
}

}  // namespace

void draw_notes(const ChartNotes* notes, std::optional<std::size_t> part, std::string_view head) {
    if (!notes) return;
    std::string all(head);
    ImGui::Dummy({0, px(2)});
    ImGui::PushTextWrapPos(px(kNotesWidth));
    if (const std::string line = part ? explain_part(notes, *part) : std::string(); !line.empty()) {
        muted_text(line);
        all += "\n" + line;
    }
    if (notes->lists) {
        constexpr std::string_view kLists = "Right click: list the events";
        text(kLists, color::palette().faint);
        all.append("\n").append(kLists);
    }
    ImGui::PopTextWrapPos();
    record_tooltip(all);
}

void draw_notes_tooltip(const ChartNotes* notes, std::size_t first_part, std::size_t parts, std::string_view below) {
    std::vector<std::string> lines;
    for (std::size_t part = first_part; part < first_part + std::min(parts, kMostNotes); ++part) {
        std::string line = explain_part(notes, part);
        if (!line.empty() && std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
    }
    if (parts > kMostNotes) lines.push_back("and " + std::to_string(parts - kMostNotes) + " more");
    if (!below.empty()) lines.emplace_back(below);
    if (lines.empty()) return;
    std::string all;
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(px(kNotesWidth));
    for (std::size_t i = 0; i < lines.size(); ++i) {
        text(lines[i], i + 1 == lines.size() && !below.empty() ? color::palette().muted : color::palette().text);
        all += (all.empty() ? "" : "\n") + lines[i];
    }
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
    record_tooltip(all);
}

}  // namespace ui
