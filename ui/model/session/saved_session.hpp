#pragma once
// Session files (.lockstep, JSON): runs, filter, alignment, views, marks with notes, the window's
// layout. Times are nanoseconds from the start of each run. Reading keeps valid members and uses
// defaults for the others; only a file that isn't a session is an error. No ImGui.

#include "core/collectives/choose_clocks.hpp"
#include "core/session/session.hpp"
#include "ui/model/intent.hpp"

#include <nlohmann/json_fwd.hpp>

namespace ui {

inline constexpr std::string_view kSessionExtension = ".lockstep";
bool is_session_file(const std::filesystem::path&);

struct SavedMark {
    core::Duration begin{0};  // from the run's start, like all times here
    core::Duration end{0};
    core::Note note = {};
    bool operator==(const SavedMark&) const = default;
};

struct SavedBookmark {
    std::size_t number = 0;  // 0 …
    SavedMark view;
    std::string rank = {};
    bool operator==(const SavedBookmark&) const = default;
};

struct SavedSide {
    std::vector<std::filesystem::path> paths;
    std::optional<std::pair<core::Duration, core::Duration>> view;  // unset: the whole run
    std::string selected_rank = {};  // empty: no selection
    std::string selected_name = {};
    core::Duration selected_start{0};
    std::vector<SavedMark> marks = {};
    std::vector<SavedBookmark> bookmarks = {};
    core::ClockChoice clocks = core::ClockChoice::Auto;
    bool gaps_cut = false;  // the time between captures is cut out of all times here
    bool operator==(const SavedSide&) const = default;
};

struct SavedSession {
    core::BySide<SavedSide> sides;
    std::string filter;  // as text
    core::AlignBy align;  // alignment by moments counts nanoseconds from each run's start
    core::NameRules names;
    core::StatisticsOptions statistics;  // for comparisons
    std::optional<core::BySide<core::RunPart>> parts = {};  // both sides are parts of the baseline
};

// folder: the session file's; paths below it are also written relative to it, so that the folder can be moved as a
// whole.
nlohmann::json write_session(const SavedSession&, const UiChoices&, const std::filesystem::path& folder);
// Overwrites the choices that the file contains.
core::Result<SavedSession> read_session(const nlohmann::json&, const std::filesystem::path& folder, UiChoices&);

core::Result<SavedSession> read_session_file(const std::filesystem::path&, UiChoices&);
// Contents of a session file in that folder.
std::string session_text(const SavedSession&, const UiChoices&, const std::filesystem::path& folder);

// Settings kept between starts of the program: panels, drawers, sizes, colours.
nlohmann::json write_layout(const UiChoices&);
void read_layout(const nlohmann::json&, UiChoices&);

// Saves the open runs and the view; for a side without a run, only its paths.
SavedSession save_session(const core::Session&, const core::BySide<View>&);
// Restores view, selection and marks for a run that has been read.
void restore_side(const SavedSide&, const core::Run&, View&);
core::Marks restore_marks(const SavedSide&, const core::Run&);
core::AlignBy restore_alignment(const core::AlignBy&, const core::Session&);

}  // namespace ui
