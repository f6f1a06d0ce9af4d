#include "ui/shell/status_bar.hpp"

#include "core/base/format.hpp"
#include "core/index/rank_count.hpp"
#include "core/query/filter_text.hpp"
#include "ui/shell/welcome.hpp"
#include "ui/style/fill.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/widgets/status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

std::string size_text(const core::Run& run) {
    return core::format_plural(run.event_count(), "event", "events") + "  \xC2\xB7  " +
           core::format_rank_count(core::count_ranks(run));
}

// Left of `right`; returns where its room begins.
float draw_notice(Frame& frame, const Notice& notice, ImVec2 min, float text_y, float right) {
    if (notice.words.empty()) return right;
    const float close = px(22);
    const float width = std::min(text_width(small_style(), notice.words), (right - min.x) * 0.6f);
    const float x = std::floor(right - close - width);
    draw_text(ImGui::GetWindowDrawList(), small_style(), {x, text_y},
              notice.is_error ? color::palette().error : color::palette().text, notice.words, width);
    record_rect("##notice", {x, min.y}, {right - close, min.y + px(26)}, false);
    const FontScope font(small_style());
    ImGui::SetCursorScreenPos({right - close + px(4), min.y + px(2)});
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {px(5), px(3)});
    if (quiet_button("\xC3\x97##close-notice")) frame.intents.push_back(CloseNotice{});
    ImGui::PopStyleVar();
    return x - px(16);
}

// Warns that files changed since they were read. Returns the width of the warning.
float draw_source_changes(Frame& frame, ImVec2 min, float text_y, float right) {
    float x = min.x;
    for (const core::Side side : core::kSides) {
        const std::string& changes = frame.session.source_changes(side);
        if (changes.empty()) continue;
        const std::string words = changes + " since it was opened  \xC2\xB7  ";
        const float width = std::min(text_width(small_style(), words), (right - x) * 0.6f);
        draw_text(ImGui::GetWindowDrawList(), small_style(), {x, text_y}, color::palette().warning, words, width);
        record_rect("##sources:" + std::string(core::name_of(side)), {x, min.y}, {x + width, min.y + px(26)}, false);
        x += width;
    }
    return x - min.x;
}

// "Watching traces: 12 files, 2 being written"; empty: nothing is watched.
std::string watch_text(const core::FolderWatch* watch) {
    if (!watch) return {};
    std::string words = "Watching";
    if (!watch->paths.empty()) words += " " + watch->paths.front().filename().string();
    words += ": " + core::format_plural(watch->look.finished.size(), "file", "files");
    if (const std::size_t growing = watch->look.growing.size(); growing > 0)
        words += ", " + core::format_count(static_cast<std::uint64_t>(growing)) + " being written";
    return words;
}

}  // namespace

void draw_status_bar(Frame& frame, ImVec2 min, ImVec2 size, double frame_ms, const Notice& notice) {
    const ItemScope scope("status");
    ImDrawList* list = ImGui::GetWindowDrawList();
    fill(list, min, {min.x + size.x, min.y + size.y}, color::palette().panel);
    list->AddRectFilled(min, {min.x + size.x, min.y + 1}, color::palette().line);
    const float text_y = min.y + std::floor((size.y - small_style().size_px) / 2) - px(1);
    float right = min.x + size.x - px(12);
    if (frame_ms >= 0) {
        draw_text_right(list, mono_style(), {right, text_y - px(1)}, color::palette().faint,
                        fmt::format("{:.1f} ms", frame_ms));
        right -= px(76);
    }
    if (const std::size_t running = frame.results.running(); running > 0) {
        const std::string jobs = "Computing " + core::format_plural(running, "answer", "answers");
        draw_text_right(list, small_style(), {right, text_y}, color::palette().muted, jobs);
        right -= text_width(small_style(), jobs) + px(16);
    }
    right = draw_notice(frame, notice, min, text_y, right);
    float x = min.x + px(12);
    const core::RunLoad* load = frame.session.load();
    if (const std::string watching = watch_text(frame.session.watched()); !watching.empty()) {
        draw_text(list, small_style(), {x, text_y}, color::palette().text, watching);
        const float width = text_width(small_style(), watching);
        record_rect("##watch", {x, min.y}, {x + width, min.y + px(26)}, false);
        x += width + px(16);
    }
    if (frame.session.run() && load && !load->finished()) {
        ImGui::SetCursorScreenPos({x, min.y + std::floor((size.y - px(4)) / 2)});
        progress_bar(load_share(*load), {px(120), px(4)});
        const std::string words = load_text(*load);
        draw_text(list, small_style(), {x + px(132), text_y}, color::palette().muted, words);
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
        x += draw_source_changes(frame, {x, min.y}, text_y, right);
        draw_text(list, small_style(), {x, text_y}, color::palette().muted, words, right - x);
    }
    if (!frame.session.run() || !load || load->finished() || load->cancelled()) return;
    const FontScope font(small_style());
    ImGui::SetCursorScreenPos({x, min.y + px(2)});
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {px(8), px(3)});
    if (button("Cancel##cancel")) frame.intents.push_back(CancelLoad{});
    ImGui::PopStyleVar();
}

}  // namespace ui
