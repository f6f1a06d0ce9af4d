#include "ui/side_title.hpp"

#include "ui/widgets/fill.hpp"
#include "ui/widgets/text.hpp"

namespace ui {

void draw_side_title(const core::Session& session, core::Side side, ImVec2 min, float width) {
    const core::RunPtr& run = session.run(side);
    if (!run) return;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImVec2 end{min.x + width, min.y + px(kSideTitle)};
    fill(list, min, end, color::kRaised);
    fill(list, min, {min.x + px(3), end.y}, color::of_side(side));
    const float y = min.y + px(3);
    const std::string_view title = side == core::Side::Baseline ? "Baseline" : "Candidate";
    draw_text(list, small_style(), {min.x + px(12), y}, color::of_side(side), title);
    const float x = min.x + px(20) + text_width(small_style(), title);
    draw_text(list, small_style(), {x, y}, color::kText, run->name(), end.x - x - px(8));
}

}  // namespace ui
