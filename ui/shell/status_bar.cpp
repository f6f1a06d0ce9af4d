#include "ui/shell/status_bar.hpp"

#include "core/query/filter_text.hpp"
#include "ui/shell/welcome.hpp"
#include "ui/widgets/fill.hpp"
#include "ui/style/items.hpp"
#include "ui/widgets/status.hpp"
#include "ui/style/text.hpp"

#include <cmath>
#include <cstdio>

namespace ui {
namespace {

std::string size_text(const core::Run& run) {
    return plural(run.event_count(), "event", "events") + "  \xC2\xB7  " + plural(run.ranks().size(), "rank", "ranks");
}

// Left of `right`; returns where its room begins.
float draw_notice(Frame& frame, const Notice& notice, ImVec2 min, float text_y, float right) {
    if (notice.words.empty()) return right;
    const float close = px(22);
    const float width = std::min(text_width(small_style(), notice.words), (right - min.x) * 0.6f);
    const float x = std::floor(right - close - width);
    draw_text(ImGui::GetWindowDrawList(), small_style(), {x, text_y}, notice.is_error ? color::kError : color::kText,
              notice.words, width);
    record_rect("##notice", {x, min.y}, {right - close, min.y + px(26)}, false);
    const FontScope font(small_style());
    ImGui::SetCursorScreenPos({right - close + px(4), min.y + px(2)});
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {px(5), px(3)});
    if (quiet_button("\xC3\x97##close-notice")) frame.intents.push_back(CloseNotice{});
    ImGui::PopStyleVar();
    return x - px(16);
}

}  // namespace

void draw_status_bar(Frame& frame, ImVec2 min, ImVec2 size, double frame_ms, const Notice& notice) {
    const ItemScope scope("status");
    ImDrawList* list = ImGui::GetWindowDrawList();
    fill(list, min, {min.x + size.x, min.y + size.y}, color::kPanel);
    list->AddRectFilled(min, {min.x + size.x, min.y + 1}, color::kLine);
    const float text_y = min.y + std::floor((size.y - small_style().size_px) / 2) - px(1);
    float right = min.x + size.x - px(12);
    if (frame_ms >= 0) {
        char time[32];
        std::snprintf(time, sizeof time, "%.1f ms", frame_ms);
        draw_text_right(list, mono_style(), {right, text_y - px(1)}, color::kFaint, time);
        right -= px(76);
    }
    if (const std::size_t running = frame.results.running(); running > 0) {
        const std::string jobs = "Computing " + plural(running, "answer", "answers");
        draw_text_right(list, small_style(), {right, text_y}, color::kMuted, jobs);
        right -= text_width(small_style(), jobs) + px(16);
    }
    right = draw_notice(frame, notice, min, text_y, right);
    float x = min.x + px(12);
    const core::RunLoad* load = frame.session.load();
    if (frame.session.run() && load && !load->finished()) {
        ImGui::SetCursorScreenPos({x, min.y + std::floor((size.y - px(4)) / 2)});
        progress_bar(load_share(*load), {px(120), px(4)});
        const std::string words = load_text(*load);
        draw_text(list, small_style(), {x + px(132), text_y}, color::kMuted, words);
        x += px(132) + text_width(small_style(), words) + px(12);
    } else if (const core::RunPtr& run = frame.session.run()) {
        std::string words = size_text(*run);
        if (const core::RunPtr& candidate = frame.session.run(core::Side::Candidate))
            words += "  |  " + size_text(*candidate);
        words += "  \xC2\xB7  " + (frame.session.filter().empty() ? std::string("no filter")
                                                                  : core::format_filter(frame.session.filter()));
        for (const core::Side side : core::kSides)
            if (const core::RunLoad* any = frame.session.load(side); any && any->finished() && !any->error().empty())
                words += "  \xC2\xB7  " + any->error();
        draw_text(list, small_style(), {x, text_y}, color::kMuted, words, right - x);
    }
    if (!frame.session.run() || !load || load->finished() || load->cancelled()) return;
    const FontScope font(small_style());
    ImGui::SetCursorScreenPos({x, min.y + px(2)});
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {px(8), px(3)});
    if (button("Cancel##cancel")) frame.intents.push_back(CancelLoad{});
    ImGui::PopStyleVar();
}

}  // namespace ui
