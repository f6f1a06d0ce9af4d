#include "ui/widgets/status.hpp"

#include "ui/style/items.hpp"
#include "ui/style/text.hpp"

#include <algorithm>

namespace ui {

void draw_scope(const std::string& scope) {
    if (scope.empty()) return;
    const FontScope font(small_style());
    fitted_text(scope, color::palette().faint);
    record_item("##scope");
}

bool begin_answer(const core::Request& request, std::string_view what, bool derived_fresh) {
    if (!request.error.empty()) {
        empty_state(std::string("No ").append(what), request.error);
        return false;
    }
    const bool fresh = request.fresh && derived_fresh;
    if (!fresh) progress_line(request.fresh ? 1 : request.progress, ImGui::GetContentRegionAvail().x);
    if (!request.answer) {
        empty_state(std::string("Computing ").append(what), "");
        return false;
    }
    ImGui::PushStyleVar(ImGuiStyleVar_Alpha, fresh ? 1.0f : kStaleAlpha);
    draw_scope(request.scope);
    return true;
}

bool begin_answer(const core::BySide<core::Request>& both, std::string_view what, bool derived_fresh) {
    core::Request joined = both.baseline;
    if (!both.candidate.answer) joined.answer = nullptr;
    joined.fresh &= both.candidate.fresh;
    const auto share = [](const core::Request& request) { return request.fresh ? 1 : request.progress; };
    if (both.candidate.scope != both.baseline.scope)
        joined.scope = both.baseline.scope + "  |  " + both.candidate.scope;
    joined.progress = (share(both.baseline) + share(both.candidate)) / 2;
    for (const core::Side side : core::kSides)
        if (!both[side].error.empty())
            joined.error = std::string("The ").append(name_of(side)).append(": ").append(both[side].error);
    return begin_answer(joined, what, derived_fresh);
}

bool begin_answer(const core::BySide<core::Request>& requests, std::span<const core::Side> asked, std::string_view what,
                  bool derived_fresh) {
    if (asked.size() == 1) return begin_answer(requests[asked.front()], what, derived_fresh);
    return begin_answer(requests, what, derived_fresh);
}

void end_answer() { ImGui::PopStyleVar(); }

void progress_line(double share, float width) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float top = at.y - px(4);
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float end = at.x + width * static_cast<float>(std::clamp(share, 0.02, 1.0));
    list->AddRectFilled({at.x, top}, {end, top + px(2)}, color::palette().accent);
}

void progress_bar(double share, ImVec2 size) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float rounding = size.y / 2;
    list->AddRectFilled(at, {at.x + size.x, at.y + size.y}, color::palette().line, rounding);
    const float filled = size.x * static_cast<float>(std::clamp(share, 0.0, 1.0));
    if (filled >= size.y) list->AddRectFilled(at, {at.x + filled, at.y + size.y}, color::palette().accent, rounding);
    ImGui::Dummy(size);
}

}  // namespace ui
