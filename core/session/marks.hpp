#pragma once
// Marks of one run: ranges of time with notes, and nine bookmarks of views. Times are the run's.

#include "core/index/run.hpp"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace core {

inline constexpr std::size_t kBookmarks = 9;
inline constexpr std::size_t kMostMarks = 1000;

// A user's text about a mark or a bookmark.
struct Note {
    std::string text = {};
    std::string author = {};     // of the last change; empty: not known
    std::int64_t written_s = 0;  // of it, seconds since 1970, UTC; 0: not known
    bool operator==(const Note&) const = default;
};
// "2026-11-25 14:03 UTC"; empty where it is not known.
std::string format_written(const Note&);
// "Ann, 2026-11-25 14:03 UTC"; empty where neither is known.
std::string format_signature(const Note&);

struct KeptMark {
    RunRange range{};  // empty: a moment
    Note note = {};
    bool operator==(const KeptMark&) const = default;
};

struct Bookmark {
    RunRange view{};
    std::string rank = {};  // at the top of the rows, as format_rank has it; empty: none
    Note note = {};
    bool operator==(const Bookmark&) const = default;
};

struct Marks {
    std::optional<RunRange> passing;  // until another one is marked
    std::vector<KeptMark> kept;                 // by begin, then end
    std::array<std::optional<Bookmark>, kBookmarks> bookmarks;

    bool empty() const;
    bool operator==(const Marks&) const = default;
};
using MarksPtr = std::shared_ptr<const Marks>;

// The passing mark; the same range once more takes it away, so does none.
void mark_range(Marks&, std::optional<RunRange>);
// Kept until it is removed; with no range the passing mark is kept. False if there is nothing to keep, it is kept
// already, or there are kMostMarks.
bool keep_mark(Marks&, std::optional<RunRange>);
void remove_mark(Marks&, std::size_t index);
// The range shown for a mark; around a moment a microsecond.
RunRange range_to_show(RunRange);
// The only note that differs, counted through kept marks and then bookmarks; nullopt if anything else differs too.
std::optional<std::size_t> find_typed_note(const Marks& before, const Marks& now);
// Signs the notes whose text is not the one before: a mark's of the same range, a bookmark's of the same key.
void sign_notes(const Marks& before, Marks& now, std::string_view author, std::int64_t written_s);
// Who writes notes here: LOCKSTEP_AUTHOR, else the user's name in the environment; may be empty.
std::string name_of_user();
// From the begin of the kept mark before it; none for the first.
std::optional<Duration> since_previous(const Marks&, std::size_t index);
// "1.234 ms"; of a moment its time from `zero`.
std::string format_mark(RunRange, RunTime zero);

}  // namespace core
