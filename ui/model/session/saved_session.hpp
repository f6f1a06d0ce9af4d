#pragma once
// Session files (.lockstep, JSON): runs, filter, alignment, views, marks with notes, the window's layout. Times are
// nanoseconds from the start of each run. Reading keeps valid members and uses defaults for the others; only a file
// that isn't a session is an error. No ImGui.

#include "core/collectives/choose_clocks.hpp"
#include "core/session/session.hpp"
#include "ui/model/intent.hpp"

#include <nlohmann/json_fwd.hpp>

namespace ui {

inline constexpr std::string_view kSessionExtension = ".lockstep";
bool is_session_file(const std::filesystem::path&);

struct SavedMark {
    core::Duration begin{0};  // from the run's start, as all here
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
    std::string selected_rank = {};  // empty: nothing is selected
    std::string selected_name = {};
    core::Duration selected_start{0};
    std::vector<SavedMark> marks = {};
    std::vector<SavedBookmark> bookmarks = {};
    core::ClockChoice clocks = core::ClockChoice::Auto;
    bool gaps_cut = false;  // the time between captures is not on the axis; then times are of the shorter one
    bool operator==(const SavedSide&) const = default;
};

struct SavedSession {
    core::BySide<SavedSide> sides;
    std::string filter;  // in its text form
    core::AlignBy align;  // of moments the nanoseconds from each run's start
    core::NameRules names;
    core::StatisticsOptions statistics;  // of a comparison
    std::optional<core::BySide<core::RunPart>> parts = {};  // of the baseline, on both sides
};

// folder: of the file; paths below it are written as seen from there too, so that a folder can be moved as a whole.
nlohmann::json write_session(const SavedSession&, const UiChoices&, const std::filesystem::path& folder);
// Choices become those of the file as far as it has any.
core::Result<SavedSession> read_session(const nlohmann::json&, const std::filesystem::path& folder, UiChoices&);

core::Result<SavedSession> read_session_file(const std::filesystem::path&, UiChoices&);
// What such a file in that folder holds.
std::string session_text(const SavedSession&, const UiChoices&, const std::filesystem::path& folder);

// Settings kept from one start of the program to the next: panels, drawers, sizes, colours.
nlohmann::json write_layout(const UiChoices&);
void read_layout(const nlohmann::json&, UiChoices&);

// Saves what is open and shown; of a side without a run only its paths.
SavedSession save_session(const core::Session&, const core::BySide<View>&);
// To a run that has been read: view and selection; its marks.
void restore_side(const SavedSide&, const core::Run&, View&);
core::Marks restore_marks(const SavedSide&, const core::Run&);
core::AlignBy restore_alignment(const core::AlignBy&, const core::Session&);

}  // namespace ui
