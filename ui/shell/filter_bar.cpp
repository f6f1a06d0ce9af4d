#include "ui/shell/filter_bar.hpp"

#include "core/query/filter_text.hpp"
#include "ui/shell/filter_chips.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/style/text_focus.hpp"

#include <imgui_stdlib.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr float kLeastText = 220;  // sizes at scale 1
constexpr float kSuggestionHeight = 24;
constexpr float kWidest = 640;
constexpr const char* kHint = "Filter: rank:0-3 step:complete class:communication name:gemm dur:>10us";
constexpr ImGuiWindowFlags kListFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                        ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoSavedSettings |
                                        ImGuiWindowFlags_NoFocusOnAppearing;

}  // namespace

float FilterBar::least_width() const { return px(kLeastText) + chips_width(); }

const core::FilterVocabulary& FilterBar::vocabulary(Frame& frame) {
    static const core::FilterVocabulary kNothing;
    const core::RunPtr& run = frame.session.run();
    if (!run) return kNothing;
    vocabulary_ = derived_.ask(frame.session.pool(), run->id(),
                               [run](const core::JobContext& job) { return core::collect_vocabulary(*run, job); });
    return vocabulary_ ? *vocabulary_ : kNothing;
}

void FilterBar::draw(Frame& frame, bool take_focus, float width) {
    const core::FilterVocabulary& words = vocabulary(frame);
    if (take_focus || std::exchange(refocus_, false)) focus_text("##filter");
    completions_ = active_ ? core::complete_filter(text_, cursor_, words) : core::Completions{};
    if (picked_ && *picked_ >= completions_.found.size()) picked_.reset();
    draw_text_field(frame, std::max(px(120), width - chips_width()));
    ImGui::SameLine(0, px(8));
    draw_filter_chips(frame, words);
}

void FilterBar::draw_text_field(Frame& frame, float width) {
    const std::string committed = core::format_filter(frame.session.filter());
    if (!active_ && error_.empty() && !edit_) text_ = committed;
    const bool wrong = !error_.empty();
    if (wrong) ImGui::PushStyleColor(ImGuiCol_Border, color::palette().error);
    if (wrong) ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, std::max(1.0f, px(1)));
    const float clear = committed.empty() ? 0 : ImGui::GetFrameHeight();
    ImGui::SetNextItemWidth(width - clear);
    const auto callback = [](ImGuiInputTextCallbackData* data) {
        return static_cast<FilterBar*>(data->UserData)->on_text_event(*data);
    };
    const bool entered =
        ImGui::InputTextWithHint("##filter", kHint, &text_,
                                 ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackAlways |
                                     ImGuiInputTextFlags_CallbackCompletion | ImGuiInputTextFlags_CallbackHistory,
                                 callback, this);
    record_item("##filter");
    if (wrong) ImGui::PopStyleVar();
    if (wrong) ImGui::PopStyleColor();
    const bool edited = ImGui::IsItemEdited();
    const ImVec2 below{ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y + px(4)};
    const bool was_active = std::exchange(active_, ImGui::IsItemActive());
    if (edited) error_.clear();
    if (edited) listed_ = true;
    if (active_ && !was_active && !edit_) listed_ |= text_.empty();
    if (entered && picked_)
        accept(completions_.found[*picked_]);
    else if (entered)
        commit(frame);
    if (clear > 0) {
        ImGui::SameLine(0, 0);
        if (quiet_button("\xC3\x97##clear-filter")) frame.intents.push_back(SetFilter{});
        tooltip("Clear the filter");
    }
    if (!error_.empty()) return draw_error(below);
    if (listed_ && !completions_.found.empty()) draw_completions(below, width);
    const bool left = was_active && !active_ && !entered && !edit_;
    if (left) listed_ = false;
}

void FilterBar::commit(Frame& frame) {
    core::Result<core::Filter> parsed = core::parse_filter(text_);
    error_ = parsed ? std::string() : parsed.error().message;
    refocus_ = !parsed;
    listed_ = false;
    if (parsed) frame.intents.push_back(SetFilter{std::move(parsed).value()});
}

void FilterBar::accept(const core::Completion& completion) {
    edit_ = Edit{
        .begin = completions_.begin, .end = completions_.end, .text = completion.word + (completion.whole ? " " : "")};
    picked_.reset();
    listed_ = true;
    refocus_ = true;
}

void FilterBar::walk(int rows) {
    const auto count = static_cast<int>(completions_.found.size());
    if (count == 0) return;
    const int at = picked_ ? static_cast<int>(*picked_) + rows : (rows > 0 ? 0 : count - 1);
    listed_ = true;
    if (at < 0 || at >= count)
        picked_.reset();
    else
        picked_ = static_cast<std::size_t>(at);
}

int FilterBar::on_text_event(ImGuiInputTextCallbackData& data) {
    if (data.EventFlag == ImGuiInputTextFlags_CallbackHistory) {
        walk(data.EventKey == ImGuiKey_DownArrow ? 1 : -1);
    } else if (data.EventFlag == ImGuiInputTextFlags_CallbackCompletion) {
        if (!completions_.found.empty()) accept(completions_.found[picked_.value_or(0)]);
    } else if (edit_) {
        const int begin = std::min(static_cast<int>(edit_->begin), data.BufTextLen);
        data.DeleteChars(begin, std::min(static_cast<int>(edit_->end), data.BufTextLen) - begin);
        data.InsertChars(begin, edit_->text.c_str());
        data.CursorPos = begin + static_cast<int>(edit_->text.size());
        data.SelectionStart = data.SelectionEnd = data.CursorPos;
        edit_.reset();
    }
    cursor_ = static_cast<std::size_t>(std::max(data.CursorPos, 0));
    return 0;
}

void FilterBar::draw_error(ImVec2 below) const {
    ImDrawList* over = ImGui::GetForegroundDrawList();
    const float wide = text_width(ui_style(), error_) + px(20);
    over->AddRectFilled(below, {below.x + wide, below.y + px(28)}, color::palette().raised, px(4));
    draw_text(over, ui_style(), {below.x + px(10), below.y + px(6)}, color::palette().error, error_);
}

void FilterBar::draw_completions(ImVec2 below, float width) {
    const float wide = std::min(px(kWidest), std::max(width, px(kLeastText)));
    const auto rows = static_cast<float>(completions_.found.size());
    ImGui::SetNextWindowPos(below);
    ImGui::SetNextWindowSize({wide, rows * px(kSuggestionHeight) + px(8)});
    ImGui::PushStyleColor(ImGuiCol_WindowBg, color::palette().raised);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, px(4)});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, px(4));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
    ImGui::Begin("##completions", nullptr, kListFlags);
    ImGui::PopStyleVar(3);
    ImGui::PopStyleColor();
    const bool over = ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
    ImDrawList* list = ImGui::GetWindowDrawList();
    std::optional<std::size_t> clicked;
    for (std::size_t i = 0; i < completions_.found.size(); ++i) {
        const core::Completion& completion = completions_.found[i];
        const ImVec2 at{below.x, below.y + px(4) + static_cast<float>(i) * px(kSuggestionHeight)};
        const ImVec2 end{at.x + wide, at.y + px(kSuggestionHeight)};
        const bool hovered = over && ImGui::IsMouseHoveringRect(at, end);
        if (hovered || picked_ == i)
            list->AddRectFilled(
                at, end,
                hovered ? color::palette().line : color::mix(color::palette().line, color::palette().accent, 0.25f));
        const float about = completion.about.empty() ? 0 : text_width(small_style(), completion.about) + px(12);
        draw_text(list, ui_style(), {at.x + px(10), at.y + px(4)}, color::palette().text, completion.word,
                  wide - about - px(20));
        draw_text_right(list, small_style(), {end.x - px(10), at.y + px(5)}, color::palette().muted, completion.about);
        record_rect("##completion:" + completion.word, at, end, hovered);
        if (hovered && ImGui::IsMouseClicked(0)) clicked = i;
    }
    if (clicked) accept(completions_.found[*clicked]);
    ImGui::End();
}

void FilterBar::describe(nlohmann::json& shown) const {
    shown = {{"text", text_}, {"error", error_}, {"active", active_}, {"completions", nlohmann::json::array()}};
    if (!listed_) return;
    for (const core::Completion& completion : completions_.found) shown["completions"].push_back(completion.word);
}

}  // namespace ui
