#pragma once
// What the user wants to come back to in one run: ranges of time that are marked, with notes, and nine bookmarks of
// views. Times are the run's.

#include "core/index/run.hpp"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace core {

inline constexpr std::size_t kBookmarks = 9;
inline constexpr std::size_t kMostMarks = 1000;

struct KeptMark {
    RunRange range{};  // empty: a moment
    std::string note = {};
    bool operator==(const KeptMark&) const = default;
};

struct Bookmark {
    RunRange view{};
    std::string rank = {};  // at the top of the rows, as format_rank has it; empty: none
    std::string note = {};
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
// What is shown of a mark; around a moment a microsecond.
RunRange range_to_show(RunRange);
// The only note that differs, counted through kept marks and then bookmarks; nullopt if anything else differs too.
std::optional<std::size_t> find_typed_note(const Marks& before, const Marks& now);
// From the begin of the kept mark before it; none for the first.
std::optional<Duration> since_previous(const Marks&, std::size_t index);
// "1.234 ms"; of a moment its time from `zero`.
std::string format_mark(RunRange, RunTime zero);

}  // namespace core
