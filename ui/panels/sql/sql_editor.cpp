#include "ui/panels/sql/sql_editor.hpp"

#include "ui/style/items.hpp"
#include "ui/style/text.hpp"

#include <imgui_stdlib.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace ui {

void SqlEditor::set_text(std::string text) {
    text_ = std::move(text);
    cursor_to_ = text_.size();
    refocus_ = true;
}

void SqlEditor::accept(const core::SqlCompletion& completion) {
    const std::size_t begin = completions_.begin;
    std::string text = text_;
    text.replace(begin, completions_.end - begin, completion.word);
    set_text(std::move(text));
    cursor_to_ = begin + completion.word.size();
}

int SqlEditor::on_event(ImGuiInputTextCallbackData* data) {
    auto& editor = *static_cast<SqlEditor*>(data->UserData);
    if (data->EventFlag == ImGuiInputTextFlags_CallbackCompletion) {
        if (editor.completions_.found.empty()) return 0;
        const auto begin = std::min(static_cast<int>(editor.completions_.begin), data->BufTextLen);
        const auto end = std::min(static_cast<int>(editor.completions_.end), data->BufTextLen);
        data->DeleteChars(begin, end - begin);
        data->InsertChars(begin, editor.completions_.found.front().word.c_str());
    } else if (editor.cursor_to_) {
        data->CursorPos = std::min(static_cast<int>(*editor.cursor_to_), data->BufTextLen);
        data->SelectionStart = data->SelectionEnd = data->CursorPos;
        editor.cursor_to_.reset();
    }
    editor.cursor_ = static_cast<std::size_t>(std::max(data->CursorPos, 0));
    return 0;
}

bool SqlEditor::draw(ImVec2 size) {
    if (std::exchange(refocus_, false)) ImGui::SetKeyboardFocusHere();
    completions_ = active_ ? core::complete_sql(text_, cursor_) : core::SqlCompletions{};
    const std::string before = text_;
    bool entered = false;
    {
        const FontScope font(mono_style());
        entered = ImGui::InputTextMultiline("##query", &text_, size,
                                            ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackAlways |
                                                ImGuiInputTextFlags_CallbackCompletion,
                                            &SqlEditor::on_event, this);
    }
    record_item("##query");
    const bool was_active = std::exchange(active_, ImGui::IsItemActive());
    // Restores the text, because Dear ImGui's Escape undoes the edit.
    if (was_active && !active_ && ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape))) text_ = before;
    draw_completions();
    return entered;
}

// Completions in one line, which stays reserved so that the table below doesn't jump.
void SqlEditor::draw_completions() {
    const FontScope font(small_style());
    const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
    std::optional<std::size_t> clicked;
    bool any = false;
    const ItemScope scope("completions");
    for (std::size_t i = 0; i < completions_.found.size(); ++i) {
        const core::SqlCompletion& completion = completions_.found[i];
        const float width = text_width(small_style(), completion.word) + 2 * ImGui::GetStyle().FramePadding.x;
        if (any) ImGui::SameLine(0, px(2));
        if (any && ImGui::GetCursorPosX() + width > right) {
            ImGui::NewLine();
            break;
        }
        any = true;
        if (quiet_button((completion.word + "##" + completion.word).c_str())) clicked = i;
        tooltip(completion.about);
    }
    if (!any) {
        ImGui::AlignTextToFramePadding();
        muted_text("Ctrl+Enter runs the query, Tab completes a word, Escape stops");
    }
    if (clicked) accept(completions_.found[*clicked]);
}

void SqlEditor::describe(nlohmann::json& shown) const {
    shown["query"] = text_;
    shown["completions"] = nlohmann::json::array();
    for (const core::SqlCompletion& completion : completions_.found) shown["completions"].push_back(completion.word);
}

}  // namespace ui
