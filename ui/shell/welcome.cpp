#include "ui/shell/welcome.hpp"

#include "core/base/format.hpp"
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

void draw_invitation(Frame& frame, const core::RecentRuns& recent, const std::string& error, float width) {
    heading(error.empty() ? "Open a folder of traces" : "Nothing could be opened");
    ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
    if (!error.empty()) text(error, color::palette().error);
    muted_text(
        "A run is a folder with one Kineto trace (.json, .json.gz) per rank, or a single file. "
        "Drop it on this window, or give its path.");
    ImGui::PopTextWrapPos();
    ImGui::Dummy({0, px(4)});
    ImGui::PushID("welcome");
    if (button("Open\xE2\x80\xA6##open")) frame.intents.push_back(AskForPath{});
    ImGui::PopID();
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

void draw_welcome(Frame& frame, const core::RecentRuns& recent, const std::filesystem::path& left_behind,
                  const Notice& notice, ImVec2 min, ImVec2 size) {
    const ItemScope scope("welcome");
    const core::RunLoad* load = frame.session.load();
    const float width = std::min(px(560), size.x - px(48));
    ImGui::SetCursorPos({min.x + std::floor((size.x - width) / 2), min.y + std::floor(size.y * 0.28f)});
    ImGui::BeginGroup();
    if (load && !load->finished())
        draw_loading(frame, *load, width);
    else {
        draw_left_behind(frame, left_behind);
        if (notice.is_error) {
            ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
            text(notice.words, color::palette().error);
            ImGui::PopTextWrapPos();
            ImGui::Dummy({0, px(8)});
        }
        draw_invitation(frame, recent, load ? load->error() : std::string(), width);
    }
    ImGui::EndGroup();
}

}  // namespace ui
