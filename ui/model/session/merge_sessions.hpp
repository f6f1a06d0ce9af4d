#pragma once
// Merges the marks, notes and bookmarks of two session files of the same runs. No ImGui.

#include "ui/model/session/saved_session.hpp"

namespace ui {

struct MergedMarks {
    std::size_t added = 0;     // marks and bookmarks that only the other session has
    std::size_t combined = 0;  // marks with a note in both: joined, the earlier first
    std::size_t left_out = 0;  // over the limit: more than core::kMostMarks, or no free key for a bookmark
};

// Adds the marks and bookmarks of `other` to `session`, which keeps its view, filter and layout. Marks of the same
// range become one. A bookmark whose key is taken by another view moves to the next free key. BadInput: the runs are
// different files, or their times aren't comparable because only one cuts gaps between captures.
core::Result<MergedMarks> merge_sessions(SavedSession& session, const SavedSession& other);

}  // namespace ui
