#include "ui/shell/welcome.hpp"

#include "core/base/format.hpp"
#include "core/ingest/load/formats.hpp"
#include "core/ingest/remote/remote_path.hpp"
#include "ui/shell/open_dialog.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/widgets/status.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr std::size_t kMostRecent = 5;
constexpr float kColumn = 520;  // sizes at scale 1
constexpr float kBetween = 48;

void draw_loading(Frame& frame, const core::RunLoad& load, float width) {
    heading(load.cancelled() ? "Stopping" : "Opening");
    ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
    muted_text(load.paths().empty() ? std::string() : load.paths().front().string());
    ImGui::PopTextWrapPos();
    ImGui::Dummy({0, px(4)});
    progress_bar(load_share(load), {width, px(4)});
    ImGui::Dummy({0, px(2)});
    muted_text(load_text(load));
    ImGui::Dummy({0, px(4)});
    if (!load.cancelled() && button("Cancel##cancel-load")) frame.intents.push_back(CancelLoad{});
}

void draw_left_behind(Frame& frame, const std::filesystem::path& file) {
    if (file.empty()) return;
    text("Lockstep ended without saving its session.", color::palette().warning);
    ImGui::Dummy({0, px(4)});
    if (button("Restore that session##left-behind")) frame.intents.push_back(OpenPaths{{file}});
    ImGui::Dummy({0, px(16)});
}

void draw_recent(Frame& frame, const core::RecentRuns& recent, float width) {
    if (!recent.pairs().empty()) {
        ImGui::Dummy({0, px(16)});
        muted_text("Recent pairs");
        if (const core::BySide<core::RecentRuns::Paths>* pair = draw_recent_pairs(recent, width, kMostPairs))
            open_pair(frame, *pair);
    }
    if (recent.runs().empty()) return;
    ImGui::Dummy({0, px(16)});
    muted_text("Recent runs");
    if (const core::RecentRuns::Paths* paths = draw_recent_runs(recent, width, kMostRecent))
        frame.intents.push_back(OpenPaths{*paths});
}

void draw_invitation(Frame& frame, const Welcome& welcome, const std::string& error, float width) {
    heading(error.empty() ? "Open a folder of traces" : "Nothing could be opened");
    ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
    if (!error.empty()) text(error, color::palette().error);
    muted_text("A run is a folder with one file per rank, or a single file. Drop it on this window, or give its path.");
    ImGui::PopTextWrapPos();
    ImGui::Dummy({0, px(4)});
    ImGui::PushID("welcome");
    if (button("Open\xE2\x80\xA6##open")) frame.intents.push_back(AskForPath{});
    ImGui::SameLine(0, px(8));
    ImGui::BeginDisabled(welcome.makes_sample);
    if (button(welcome.makes_sample ? "Writing the sample run\xE2\x80\xA6##sample" : "Open a sample run##sample"))
        frame.intents.push_back(OpenSample{});
    ImGui::EndDisabled();
    tooltip("Eight simulated ranks, one of which is slow");
    ImGui::PopID();
    draw_recent(frame, welcome.recent, width);
}

// Row by row "PyTorch (Kineto) or Chrome trace JSON" and, fainter, ".json or .json.gz".
void draw_formats(float width) {
    heading("Formats that can be dropped here");
    ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
    for (const core::Format& format : core::all_formats()) {
        const std::size_t comma = format.title.find(", .");
        const std::size_t end = comma == std::string_view::npos ? format.title.size() : comma;
        text(format.title.substr(0, end), color::palette().muted);
        if (end == format.title.size()) continue;
        const std::string_view endings = format.title.substr(end + 2);
        same_line_for(text_width(ui_style(), endings), px(6));
        text(endings, color::palette().faint);
    }
    ImGui::PopTextWrapPos();
    record_item("formats");
}

}  // namespace

std::string load_text(const core::RunLoad& load) {
    const core::LoadProgress& progress = load.progress();
    const std::string total = core::format_bytes(static_cast<std::int64_t>(progress.bytes_total.load()));
    if (progress.fetching) {
        const auto remote = core::parse_remote_path(load.paths().front().string());
        const std::string host = remote ? remote->host : "another machine";
        if (progress.bytes_total == 0) return "Connecting to " + host;
        return "Bringing the summary from " + host + "  \xC2\xB7  " +
               core::format_bytes(static_cast<std::int64_t>(progress.bytes_done.load())) + " of " + total;
    }
    std::string text =
        "Reading " + core::format_bytes(static_cast<std::int64_t>(progress.bytes_done.load())) + " of " + total;
    if (progress.is_arranging()) text = total + " read, putting the events in order";
    text += "  \xC2\xB7  " + core::format_plural(progress.events.load(), "event", "events");
    return text + "  \xC2\xB7  " + std::to_string(progress.ranks_done.load()) + " of " +
           core::format_plural(progress.ranks_total.load(), "rank", "ranks");
}

double load_share(const core::RunLoad& load) {
    const auto total = static_cast<double>(load.progress().bytes_total.load());
    return total > 0 ? static_cast<double>(load.progress().bytes_done.load()) / total : 0;
}

void draw_welcome(Frame& frame, const Welcome& welcome, ImVec2 min, ImVec2 size) {
    const ItemScope scope("welcome");
    const core::RunLoad* load = frame.session.load();
    const bool loading = load && !load->finished();
    const bool beside = !loading && size.x >= px(2 * kColumn + kBetween + 48);
    const float width = std::min(px(kColumn), size.x - px(48));
    const float whole = beside ? 2 * width + px(kBetween) : width;
    const ImVec2 at{min.x + std::floor((size.x - whole) / 2), min.y + std::floor(size.y * (beside ? 0.2f : 0.12f))};
    ImGui::SetCursorPos({at.x, loading ? min.y + std::floor(size.y * 0.28f) : at.y});
    ImGui::BeginGroup();
    if (loading) {
        draw_loading(frame, *load, width);
    } else {
        draw_left_behind(frame, welcome.left_behind);
        if (welcome.notice.is_error) {
            ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
            text(welcome.notice.words, color::palette().error);
            ImGui::PopTextWrapPos();
            ImGui::Dummy({0, px(8)});
        }
        draw_invitation(frame, welcome, load ? load->error() : std::string(), width);
        if (!beside) ImGui::Dummy({0, px(16)});
        if (!beside) draw_formats(width);
    }
    ImGui::EndGroup();
    if (!beside) return;
    ImGui::SetCursorPos({at.x + width + px(kBetween), at.y});
    ImGui::BeginGroup();
    draw_formats(width);
    ImGui::EndGroup();
}

}  // namespace ui
