#pragma once
// Puts the marks, notes and bookmarks of two people's session files of the same runs together. No ImGui.

#include "ui/model/session/saved_session.hpp"

namespace ui {

struct MergedMarks {
    std::size_t added = 0;     // marks and bookmarks that only the other session had
    std::size_t combined = 0;  // marks with a note in both: both notes, the earlier first
    std::size_t left_out = 0;  // there was no room: more than core::kMostMarks, or no free key for a bookmark
};

// Adds those of `other` to `session`, whose view, filter and layout stay. A mark of the same range is one mark. A
// bookmark whose key has another view moves to the next free key. BadInput: the runs are not the same files, or their
// times count differently because gaps between captures are cut in one only.
core::Result<MergedMarks> merge_sessions(SavedSession& session, const SavedSession& other);

}  // namespace ui
