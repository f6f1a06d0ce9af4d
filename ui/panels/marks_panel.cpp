// Marks and bookmarks of a run with notes: position, length, distance from the previous one. A click goes there.

#include "ui/commands/key_map.hpp"
#include "ui/model/charts/chart_table.hpp"
#include "ui/model/panel.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/widgets/chart_export.hpp"
#include "ui/widgets/key_list.hpp"

#include "core/base/format.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace ui {
namespace {

constexpr ImGuiTableFlags kMarkTable =
    ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg | ImGuiTableFlags_NoSavedSettings;

constexpr float kLeastNote = 120;    // at scale 1, also the next
constexpr float kNumberColumn = 80;  // minimum width of number columns, at scale 1
constexpr std::size_t kMostAuthorBytes = 200;

class MarksPanel final : public Panel {
public:
    void draw(Frame& frame) override;
    void describe(nlohmann::json& shown) const override;

private:
    void draw_marks(Frame& frame);
    void draw_bookmarks(Frame& frame);
    std::string format_at(const Frame& frame, core::RunTime at) const;

    KeyPress end_row(float top);

    KeyList keys_;  // marks, then bookmarks
    core::Marks marks_;  // as of the end of this frame
};

core::RunTime zero_of(const Frame& frame) {
    const core::RunAlignment* alignment = frame.session.alignment();
    return alignment ? alignment->anchor[frame.side] : frame.run()->origin();
}

std::string MarksPanel::format_at(const Frame& frame, core::RunTime at) const {
    return core::format_time_offset(at - zero_of(frame), core::Duration{1});
}

void move_to_right(float width) {
    const float left = ImGui::GetContentRegionAvail().x - width;
    if (left > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + left);
}

bool begin_mark_table(const char* id, std::initializer_list<std::pair<const char*, float>> columns, float height) {
    float least = px(kLeastNote);
    for (const auto& column : columns) least += px(column.second) + 2 * ImGui::GetStyle().CellPadding.x;
    const bool wide = least > ImGui::GetContentRegionAvail().x;  // scrolls sideways
    if (wide) height += ImGui::GetStyle().ScrollbarSize;
    if (!ImGui::BeginTable(id, static_cast<int>(columns.size()), kMarkTable | (wide ? ImGuiTableFlags_ScrollX : 0),
                           {0, height}, wide ? least : 0.0f))
        return false;
    for (const auto& [title, width] : columns) {
        const auto how = width > 0 ? ImGuiTableColumnFlags_WidthFixed : ImGuiTableColumnFlags_WidthStretch;
        ImGui::TableSetupColumn(title, how, width > 0 ? px(width) : 1);
    }
    ImGui::TableSetupScrollFreeze(0, 1);
    ImGui::TableNextRow();
    for (const auto& [title, width] : columns) {
        ImGui::TableNextColumn();
        if (width >= kNumberColumn) move_to_right(text_width(ui_style(), title));
        muted_text(title);
    }
    return true;
}

void number_cell(std::string_view number) {
    ImGui::TableNextColumn();
    move_to_right(text_width(mono_style(), number));
    mono_text(number);
}

void note_cell(core::Note& note) {
    ImGui::TableNextColumn();
    input_text("##note", "Note", note.text, -1);
    ImGui::TableNextColumn();
    ImGui::AlignTextToFramePadding();
    muted_text(cut_text(note.author, kMostAuthorBytes));
    if (const std::string by = format_signature(note); !by.empty()) tooltip(by);
}

// Times from the run's begin, as displayed.
void offer_marks(const Frame& frame, const core::Marks& marks) {
    std::vector<std::string> numbers, notes, authors, written;
    std::vector<double> at, length, since;
    for (std::size_t i = 0; i < marks.kept.size(); ++i) {
        const core::KeptMark& mark = marks.kept[i];
        const std::optional<core::Duration> before = since_previous(marks, i);
        numbers.push_back(std::to_string(i + 1));
        at.push_back(static_cast<double>((mark.range.begin - frame.run()->origin()).count()));
        length.push_back(static_cast<double>(mark.range.length().count()));
        since.push_back(before ? static_cast<double>(before->count()) : std::nan(""));
        notes.push_back(mark.note.text);
        authors.push_back(mark.note.author);
        written.push_back(format_written(mark.note));
    }
    ChartTable table;
    table.add_texts("mark", std::move(numbers));
    table.add_numbers("at", core::Unit::Ns, std::move(at));
    table.add_numbers("length", core::Unit::Ns, std::move(length));
    table.add_numbers("since the last", core::Unit::Ns, std::move(since));
    table.add_texts("note", std::move(notes));
    table.add_texts("author", std::move(authors));
    table.add_texts("written", std::move(written));
    chart_export().offer_table(
        "marks", ImGui::GetItemRectMin(), ImGui::GetItemRectMax(),
        {.table = std::make_shared<const core::Table>(table.table()), .rows = {}, .columns = {}});
}

void offer_bookmarks(const Frame& frame, const core::Marks& marks) {
    std::vector<std::string> keys, ranks, notes, authors, written;
    std::vector<double> from, length;
    for (std::size_t i = 0; i < core::kBookmarks; ++i) {
        if (!marks.bookmarks[i]) continue;
        const core::Bookmark& bookmark = *marks.bookmarks[i];
        keys.push_back(std::to_string(i + 1));
        from.push_back(static_cast<double>((bookmark.view.begin - frame.run()->origin()).count()));
        length.push_back(static_cast<double>(bookmark.view.length().count()));
        ranks.push_back(bookmark.rank);
        notes.push_back(bookmark.note.text);
        authors.push_back(bookmark.note.author);
        written.push_back(format_written(bookmark.note));
    }
    ChartTable table;
    table.add_texts("key", std::move(keys));
    table.add_numbers("from", core::Unit::Ns, std::move(from));
    table.add_numbers("shows", core::Unit::Ns, std::move(length));
    table.add_texts("rank on top", std::move(ranks));
    table.add_texts("note", std::move(notes));
    table.add_texts("author", std::move(authors));
    table.add_texts("written", std::move(written));
    chart_export().offer_table(
        "bookmarks", ImGui::GetItemRectMin(), ImGui::GetItemRectMax(),
        {.table = std::make_shared<const core::Table>(table.table()), .rows = {}, .columns = {}});
}

// Ends the item of a row that was drawn from `top`.
KeyPress MarksPanel::end_row(float top) {
    const float left = ImGui::GetWindowPos().x;
    const float right =
        left + ImGui::GetWindowWidth() - (ImGui::GetScrollMaxY() > 0 ? ImGui::GetStyle().ScrollbarSize : 0);
    const float bottom = top + ImGui::GetFrameHeight();
    ImGui::PushClipRect({left, ImGui::GetWindowPos().y}, {right, ImGui::GetWindowPos().y + ImGui::GetWindowHeight()},
                        false);
    const KeyPress pressed = keys_.item({left, top}, {right, bottom});
    ImGui::PopClipRect();
    return pressed;
}

void MarksPanel::draw_marks(Frame& frame) {
    const float rows = static_cast<float>(marks_.kept.size() + 1);
    const float height = std::min(rows * ImGui::GetFrameHeightWithSpacing() + px(4),
                                  std::max(px(80), ImGui::GetContentRegionAvail().y * 0.6f));
    if (!begin_mark_table(
            "marks",
            {{"Mark", 56}, {"At", 130}, {"Length", 90}, {"Since the last", 104}, {"Note", 0}, {"By", 72}, {"", 64}},
            height))
        return;
    for (std::size_t i = 0; i < marks_.kept.size(); ++i) {
        core::KeptMark& mark = marks_.kept[i];
        const std::string number = std::to_string(i + 1);
        const ItemScope scope("mark:" + number);
        ImGui::PushID(static_cast<int>(i));
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        const float top = ImGui::GetCursorScreenPos().y;
        if (quiet_button((number + "##go").c_str()) || end_row(top) != KeyPress::None)
            frame.intents.push_back(ShowRange{range_to_show(mark.range)});
        number_cell(format_at(frame, mark.range.begin));
        number_cell(core::format_duration(mark.range.length()));
        const std::optional<core::Duration> since = since_previous(marks_, i);
        number_cell(since ? core::format_duration(*since) : std::string(kAbsentText));
        note_cell(mark.note);
        ImGui::TableNextColumn();
        if (quiet_button("Remove##remove")) remove_mark(marks_, i);
        ImGui::PopID();
    }
    ImGui::EndTable();
    offer_marks(frame, marks_);
}

void MarksPanel::draw_bookmarks(Frame& frame) {
    if (!begin_mark_table(
            "bookmarks",
            {{"Key", 56}, {"From", 130}, {"Shows", 90}, {"Rank on top", 104}, {"Note", 0}, {"By", 72}, {"", 64}},
            ImGui::GetContentRegionAvail().y))
        return;
    for (std::size_t i = 0; i < core::kBookmarks; ++i) {
        if (!marks_.bookmarks[i]) continue;
        core::Bookmark& bookmark = *marks_.bookmarks[i];
        const std::string number = std::to_string(i + 1);
        const ItemScope scope("bookmark:" + number);
        ImGui::PushID(static_cast<int>(i));
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        const float top = ImGui::GetCursorScreenPos().y;
        if (quiet_button((number + "##go").c_str()) || end_row(top) != KeyPress::None)
            frame.intents.push_back(GoToBookmark{i, frame.side});
        number_cell(format_at(frame, bookmark.view.begin));
        number_cell(core::format_duration(bookmark.view.length()));
        number_cell(bookmark.rank);
        note_cell(bookmark.note);
        ImGui::TableNextColumn();
        if (quiet_button("Remove##remove")) marks_.bookmarks[i].reset();
        ImGui::PopID();
    }
    ImGui::EndTable();
    offer_bookmarks(frame, marks_);
}

void MarksPanel::draw(Frame& frame) {
    marks_ = frame.marks();
    if (!frame.run()) return empty_state("No run", "Open a folder of traces.");
    if (marks_.empty())
        return empty_state("No marks yet",
                           key_map().format("mark") +
                               " marks the selected event, the dragged area or the moment under the pointer, " +
                               key_map().format("keep-mark") + " keeps it. " + key_map().format("set-bookmark-1") +
                               " sets the first of nine bookmarks, " + key_map().format("bookmark-1") + " goes there.");
    keys_.begin("marks-list");
    if (!marks_.kept.empty()) {
        draw_marks(frame);
        ImGui::Dummy({0, px(8)});
    }
    const bool any = std::ranges::any_of(marks_.bookmarks, [](const auto& bookmark) { return bookmark.has_value(); });
    if (any) draw_bookmarks(frame);
    if (marks_.kept.empty() && !any) muted_text(key_map().format("keep-mark") + " keeps the mark.");
    if (!(marks_ == frame.marks())) frame.intents.push_back(SetMarks{marks_});
}

void MarksPanel::describe(nlohmann::json& shown) const {
    shown["marks"] = marks_.kept.size();
    const auto bookmarks = std::ranges::count_if(marks_.bookmarks, [](const auto& one) { return one.has_value(); });
    if (keys_.cursor() < marks_.kept.size() + static_cast<std::size_t>(bookmarks)) shown["cursor"] = keys_.cursor();
    shown["notes"] = nlohmann::json::array();
    for (const core::KeptMark& mark : marks_.kept) shown["notes"].push_back(mark.note.text);
}

}  // namespace

std::unique_ptr<Panel> make_marks_panel() { return std::make_unique<MarksPanel>(); }

}  // namespace ui
