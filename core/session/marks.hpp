#pragma once
// What the user wants to come back to in one run: ranges of time that are marked, with notes, and nine bookmarks of
// views. Times are the run's. No ImGui.

#include "core/index/run.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace ui {

inline constexpr std::size_t kBookmarks = 9;
inline constexpr std::size_t kMostMarks = 1000;

struct Mark {
    core::RunRange range{};  // empty: a moment
    std::string note = {};
    bool operator==(const Mark&) const = default;
};

struct Bookmark {
    core::RunRange view{};
    std::string rank = {};  // at the top of the rows, as format_rank has it; empty: none
    std::string note = {};
    bool operator==(const Bookmark&) const = default;
};

struct Marks {
    std::optional<core::RunRange> passing;  // until another one is marked
    std::vector<Mark> kept;                 // by begin, then end
    std::array<std::optional<Bookmark>, kBookmarks> bookmarks;

    bool empty() const;
    bool operator==(const Marks&) const = default;
};

// The passing mark; the same range once more takes it away, so does none.
void mark_range(Marks&, std::optional<core::RunRange>);
// Kept until it is removed; with no range the passing mark is kept. False if there is nothing to keep, it is kept
// already, or there are kMostMarks.
bool keep_mark(Marks&, std::optional<core::RunRange>);
void remove_mark(Marks&, std::size_t index);
// What is shown of a mark; around a moment a microsecond.
core::RunRange range_to_show(core::RunRange);
// From the begin of the kept mark before it; none for the first.
std::optional<core::Duration> since_previous(const Marks&, std::size_t index);
// "1.234 ms"; of a moment its time from `zero`.
std::string format_mark(core::RunRange, core::RunTime zero);

}  // namespace ui
