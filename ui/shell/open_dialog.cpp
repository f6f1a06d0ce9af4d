#include "ui/shell/open_dialog.hpp"

#include "core/base/ascii.hpp"
#include "core/base/format.hpp"
#include "core/ingest/remote/remote_path.hpp"
#include "ui/style/compat.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"

#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ui {
namespace {

namespace fs = std::filesystem;
constexpr const char* kTitle = "Open a run";
constexpr float kEntryHeight = 26;  // sizes at scale 1
constexpr float kRecentRow = 42;
constexpr float kRecentWidth = 250;

std::string with_slash(const fs::path& folder) {
    std::string text = folder.string();
    if (!text.ends_with('/')) text += '/';
    return text;
}

// A row over the whole width; true when it was clicked.
bool row_button(const std::string& id, ImVec2 size, bool chosen) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const bool clicked = invisible_button(id.c_str(), size);
    record_item(id);
    const ImU32 back = chosen                   ? color::mix(color::palette().raised, color::palette().accent, 0.3f)
                       : ImGui::IsItemHovered() ? color::palette().line
                                                : 0;
    if (back != 0) ImGui::GetWindowDrawList()->AddRectFilled(at, {at.x + size.x, at.y + size.y}, back, px(4));
    return clicked;
}

}  // namespace

const core::RecentRuns::Paths* draw_recent_runs(const core::RecentRuns& recent, float width, std::size_t most) {
    const core::RecentRuns::Paths* clicked = nullptr;
    ImDrawList* list = ImGui::GetWindowDrawList();
    for (std::size_t i = 0; i < std::min(most, recent.runs().size()); ++i) {
        const core::RecentRuns::Paths& paths = recent.runs()[i];
        std::string name = paths.front().filename().string();
        if (paths.size() > 1) name += " and " + std::to_string(paths.size() - 1) + " more";
        const ImVec2 at = ImGui::GetCursorScreenPos();
        if (row_button("##recent:" + std::to_string(i), {width, px(kRecentRow)}, false)) clicked = &paths;
        tooltip(paths.front().string());
        draw_text(list, ui_style(), {at.x + px(8), at.y + px(4)}, color::palette().text, name, width - px(16));
        draw_text(list, small_style(), {at.x + px(8), at.y + px(22)}, color::palette().muted,
                  paths.front().parent_path().string(), width - px(16));
    }
    return clicked;
}

const core::BySide<core::RecentRuns::Paths>* draw_recent_pairs(const core::RecentRuns& recent, float width,
                                                               std::size_t most) {
    const core::BySide<core::RecentRuns::Paths>* clicked = nullptr;
    ImDrawList* list = ImGui::GetWindowDrawList();
    for (std::size_t i = 0; i < std::min(most, recent.pairs().size()); ++i) {
        const core::BySide<core::RecentRuns::Paths>& pair = recent.pairs()[i];
        core::BySide<std::string> names;
        for (const core::Side side : core::kSides) {
            names[side] = pair[side].front().filename().string();
            if (pair[side].size() > 1) names[side] += " and " + std::to_string(pair[side].size() - 1) + " more";
        }
        const ImVec2 at = ImGui::GetCursorScreenPos();
        if (row_button("##pair:" + std::to_string(i), {width, px(kRecentRow)}, false)) clicked = &pair;
        tooltip(pair.baseline.front().string() + "\n" + pair.candidate.front().string());
        draw_text(list, ui_style(), {at.x + px(8), at.y + px(4)}, color::palette().text,
                  names.baseline + " | " + names.candidate, width - px(16));
        draw_text(list, small_style(), {at.x + px(8), at.y + px(22)}, color::palette().muted,
                  pair.baseline.front().parent_path().string(), width - px(16));
    }
    return clicked;
}

void open_pair(Frame& frame, const core::BySide<core::RecentRuns::Paths>& pair) {
    if (frame.session.comparing()) frame.intents.push_back(CloseRun{});
    for (const core::Side side : core::kSides) frame.intents.push_back(OpenPaths{pair[side], side});
}

void OpenDialog::start(const core::RecentRuns& recent) {
    std::error_code error;
    const fs::path here = fs::current_path(error);
    const auto is_here = [](const core::RecentRuns::Paths& paths) { return !core::is_remote_path(paths.front()); };
    const auto last = std::ranges::find_if(recent.runs(), is_here);
    browse(last == recent.runs().end() ? here : last->front().parent_path());
}

void OpenDialog::browse(const fs::path& folder) {
    folder_ = folder;
    text_ = with_slash(folder);
    read_ = text_;
    part_.clear();
    chosen_.clear();
    walked_.reset();
    focus_ = true;
}

// The entries that fit what is typed, in the order of the list.
void OpenDialog::collect_rows() {
    rows_.clear();
    if (!listing_.fresh() || !listed_ || !listed_->error.empty()) return;
    for (const core::FolderEntry& entry : listed_->entries)
        if (core::contains_any_case(entry.name, part_)) rows_.push_back(&entry);
    if (walked_ && *walked_ >= rows_.size()) walked_.reset();
}

// Lists the folder before the last slash; the text after it narrows the list.
void OpenDialog::read_path() {
    if (text_ == read_) return;
    read_ = text_;
    chosen_.clear();
    walked_.reset();
    const std::size_t slash = text_.rfind('/');
    if (slash == std::string::npos) {
        part_ = text_;
        return;
    }
    folder_ = slash == 0 ? "/" : text_.substr(0, slash);
    part_ = text_.substr(slash + 1);
}

// The walked row, else what the names that begin like the typed part have in common.
void OpenDialog::complete(ImGuiInputTextCallbackData& data) const {
    std::string name;
    bool folder = false;
    if (walked_) {
        name = rows_[*walked_]->name;
        folder = rows_[*walked_]->is_folder;
    } else {
        std::size_t fit = 0;
        for (const core::FolderEntry* entry : rows_) {
            if (!entry->name.starts_with(part_)) continue;
            folder = entry->is_folder;
            if (fit++ == 0) {
                name = entry->name;
                continue;
            }
            const auto differs = std::ranges::mismatch(name, entry->name);
            name.erase(differs.in1, name.end());
        }
        if (fit == 0) return;
        folder = folder && fit == 1;
    }
    if (folder) name += '/';
    const std::string_view typed(data.Buf, static_cast<std::size_t>(data.BufTextLen));
    const std::size_t slash = typed.rfind('/');
    const int keep = slash == std::string_view::npos ? 0 : static_cast<int>(slash) + 1;
    data.DeleteChars(keep, data.BufTextLen - keep);
    data.InsertChars(keep, name.c_str());
}

int OpenDialog::on_text_event(ImGuiInputTextCallbackData& data) {
    if (data.EventFlag == ImGuiInputTextFlags_CallbackCompletion) {
        complete(data);
    } else if (data.EventFlag == ImGuiInputTextFlags_CallbackHistory && !rows_.empty()) {
        if (data.EventKey == ImGuiKey_DownArrow)
            walked_ = walked_ ? std::min(*walked_ + 1, rows_.size() - 1) : 0;
        else if (walked_)
            walked_ = *walked_ == 0 ? std::optional<std::size_t>() : *walked_ - 1;
        scroll_ = true;
    } else if (data.EventFlag == ImGuiInputTextFlags_CallbackAlways && to_end_) {
        data.ClearSelection();
        data.CursorPos = data.BufTextLen;
        to_end_ = false;
    }
    return 0;
}

// Opens what the arrows are on, a folder in the list; without, the path.
void OpenDialog::enter(Frame& frame) {
    if (walked_ && *walked_ < rows_.size()) {
        const core::FolderEntry& entry = *rows_[*walked_];
        if (entry.is_folder) return browse(folder_ / entry.name);
        return open(frame, {folder_ / entry.name});
    }
    if (!text_.empty()) open(frame, {text_});
}

void OpenDialog::open(Frame& frame, std::vector<fs::path> paths) {
    frame.intents.push_back(OpenPaths{std::move(paths), side_});
    close_ = true;
}

void OpenDialog::draw(Frame& frame, const core::RecentRuns& recent, std::optional<core::Side> open_for) {
    if (open_for) {
        side_ = *open_for;
        start(recent);
        ImGui::OpenPopup(kTitle);
    }
    const ImVec2 full = ImGui::GetIO().DisplaySize;
    const ImVec2 size{std::min(px(880), full.x - px(32)), std::min(px(560), full.y - px(32))};
    ImGui::SetNextWindowPos({std::floor((full.x - size.x) / 2), std::floor((full.y - size.y) * 0.45f)});
    ImGui::SetNextWindowSize(size);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(20), px(16)});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, px(6));
    shown_ = ImGui::BeginPopupModal(kTitle, nullptr,
                                    ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize |
                                        ImGuiWindowFlags_NoScrollbar);
    ImGui::PopStyleVar(2);
    if (!shown_) return;
    const ItemScope scope("dialog");
    close_ = compat::is_key_pressed(GLFW_KEY_ESCAPE);
    const fs::path asked = folder_;
    listed_ = listing_.ask(frame.session.pool(), asked, [asked] { return core::list_folder(asked); });
    collect_rows();
    heading(side_ == core::Side::Baseline ? kTitle : "Open a run to compare with");
    const ImVec2 room = ImGui::GetContentRegionAvail();
    draw_path(frame, room.x);
    const float height = ImGui::GetContentRegionAvail().y - ImGui::GetFrameHeightWithSpacing() - px(8);
    const bool any_recent = !recent.runs().empty() && room.x > px(600);
    if (any_recent) {
        draw_recent(frame, recent, {px(kRecentWidth), height});
        ImGui::SameLine(0, px(12));
    }
    draw_entries(frame, {ImGui::GetContentRegionAvail().x, height});
    ImGui::Dummy({0, px(2)});
    draw_buttons(frame);
    if (close_) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
}

// Lists the folder before the last slash; text after the slash narrows the list.
void OpenDialog::draw_path(Frame& frame, float width) {
    if (ImGui::IsWindowAppearing() || focus_) {
        ImGui::SetKeyboardFocusHere();
        focus_ = false;
        to_end_ = true;
    }
    ImGui::PushStyleColor(ImGuiCol_FrameBg, color::palette().background);
    const float up = text_width(ui_style(), "Up") + px(24);
    ImGui::SetNextItemWidth(width - up - px(8));
    const auto callback = [](ImGuiInputTextCallbackData* data) {
        return static_cast<OpenDialog*>(data->UserData)->on_text_event(*data);
    };
    const bool entered =
        ImGui::InputTextWithHint("##path", "/path/to/traces", &text_,
                                 ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackAlways |
                                     ImGuiInputTextFlags_CallbackCompletion | ImGuiInputTextFlags_CallbackHistory,
                                 callback, this);
    record_item("##path");
    ImGui::PopStyleColor();
    read_path();
    if (entered) enter(frame);
    ImGui::SameLine(0, px(8));
    if (button("Up##up", {up, 0}) && folder_.has_parent_path()) browse(folder_.parent_path());
    ImGui::Dummy({0, px(2)});
}

void OpenDialog::draw_recent(Frame& frame, const core::RecentRuns& recent, ImVec2 size) {
    ImGui::BeginChild("recent", size, false);
    const float width = ImGui::GetContentRegionAvail().x;
    if (!recent.pairs().empty()) {
        muted_text("Recent pairs");
        if (const core::BySide<core::RecentRuns::Paths>* pair = draw_recent_pairs(recent, width, kMostPairs)) {
            open_pair(frame, *pair);
            close_ = true;
        }
        ImGui::Dummy({0, px(8)});
    }
    muted_text("Recent runs");
    if (const core::RecentRuns::Paths* paths = draw_recent_runs(recent, width, core::RecentRuns::kMost))
        open(frame, *paths);
    ImGui::EndChild();
}

void OpenDialog::draw_entries(Frame& frame, ImVec2 size) {
    ImGui::PushStyleColor(ImGuiCol_ChildBg, color::palette().background);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(6), px(6)});
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    ImGui::BeginChild("entries", size, false, ImGuiWindowFlags_AlwaysUseWindowPadding);
    ImGui::PopStyleVar(2);
    ImGui::PopStyleColor();
    if (!listing_.fresh() || !listed_) {
        muted_text("Listing\xE2\x80\xA6");
    } else if (!listed_->error.empty()) {
        text(folder_.string() + ": " + listed_->error, color::palette().error);
    } else {
        collect_rows();
        if (rows_.empty())
            muted_text(listed_->other_files > 0 ? "No folders, and no files named like traces (.json, .json.gz)"
                                                : "Nothing here");
        const float width = ImGui::GetContentRegionAvail().x;
        if (std::exchange(scroll_, false) && walked_)
            ImGui::SetScrollY(px(kEntryHeight) * static_cast<float>(*walked_) - size.y / 2);
        ImGuiListClipper clipper;
        clipper.Begin(static_cast<int>(rows_.size()), px(kEntryHeight));
        while (clipper.Step()) {
            for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
                draw_entry(frame, static_cast<std::size_t>(i), width);
        }
        if (listed_->more) muted_text("and more: type a part of the name");
    }
    ImGui::EndChild();
}

void OpenDialog::draw_entry(Frame& frame, std::size_t row, float width) {
    const core::FolderEntry& entry = *rows_[row];
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const bool marked = walked_ ? *walked_ == row : chosen_.contains(entry.name);
    const bool clicked = row_button("##entry:" + entry.name, {width, px(kEntryHeight)}, marked);
    const bool twice = ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(0);
    ImDrawList* list = ImGui::GetWindowDrawList();
    const std::string size = entry.is_folder ? "" : core::format_bytes(static_cast<std::int64_t>(entry.bytes));
    draw_text(list, ui_style(), {at.x + px(8), at.y + px(5)}, color::palette().text,
              entry.is_folder ? entry.name + "/" : entry.name, width - px(110));
    draw_text_right(list, mono_style(), {at.x + width - px(8), at.y + px(5)}, color::palette().muted, size);
    if (entry.is_folder) {
        if (clicked) browse(folder_ / entry.name);
        return;
    }
    if (twice) return open(frame, {folder_ / entry.name});
    if (!clicked) return;
    const bool was_chosen = chosen_.contains(entry.name);
    if (!ImGui::GetIO().KeyCtrl) chosen_.clear();
    if (was_chosen)
        chosen_.erase(entry.name);
    else
        chosen_.insert(entry.name);
}

void OpenDialog::draw_buttons(Frame& frame) {
    std::size_t traces = 0;
    if (listed_)
        traces = static_cast<std::size_t>(std::ranges::count(listed_->entries, false, &core::FolderEntry::is_folder));
    ImGui::PushStyleColor(ImGuiCol_Button, color::mix(color::palette().raised, color::palette().accent, 0.45f));
    const std::string words = chosen_.empty()       ? "Open this folder"
                              : chosen_.size() == 1 ? "Open the file"
                                                    : "Open " + std::to_string(chosen_.size()) + " files as one run";
    if (button((words + "##ok").c_str())) {
        std::vector<fs::path> paths;
        for (const std::string& name : chosen_) paths.push_back(folder_ / name);
        if (paths.empty()) paths.emplace_back(folder_);
        open(frame, std::move(paths));
    }
    ImGui::PopStyleColor();
    ImGui::SameLine(0, px(8));
    if (button("Cancel##cancel")) close_ = true;
    ImGui::SameLine(0, px(16));
    ImGui::AlignTextToFramePadding();
    const std::string hint =
        traces == 0 ? std::string() : std::to_string(traces) + (traces == 1 ? " trace here" : " traces here");
    fitted_text(hint.empty() ? "Searches subfolders, too" : hint, color::palette().muted);
}

}  // namespace ui
