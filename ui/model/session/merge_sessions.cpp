#include "ui/model/session/merge_sessions.hpp"

#include "core/base/format.hpp"

#include <algorithm>
#include <tuple>

namespace ui {
namespace {

namespace fs = std::filesystem;

// Compares files by identity, because a file may have several names; missing files by name.
bool is_same_file(const fs::path& a, const fs::path& b) {
    std::error_code error;
    if (fs::equivalent(a, b, error) && !error) return true;
    return a.lexically_normal() == b.lexically_normal();
}

std::optional<std::string> find_difference(const SavedSide& a, const SavedSide& b) {
    for (const auto& [from, to] : {std::pair(&a, &b), std::pair(&b, &a)})
        for (const fs::path& path : from->paths)
            if (std::ranges::none_of(to->paths, [&](const fs::path& other) { return is_same_file(path, other); }))
                return "only one of them has " + path.string();
    if (a.gaps_cut != b.gaps_cut) return "only one of them has the gaps between captures cut out, so times differ";
    return std::nullopt;
}

auto order_of(const SavedMark& mark) { return std::tuple(mark.begin, mark.end); }

std::string with_signature(const core::Note& note) {
    const std::string by = core::format_signature(note);
    return by.empty() ? note.text : note.text + " (" + by + ")";
}

// Joins both texts, signed, the earlier first. True if both were non-empty and differed.
bool combine(core::Note& note, const core::Note& other) {
    if (other.text.empty() || other.text == note.text) return false;
    if (note.text.empty()) {
        note = other;
        return false;
    }
    const bool is_first = note.written_s <= other.written_s;
    const core::Note &first = is_first ? note : other, &last = is_first ? other : note;
    note = core::Note{.text = with_signature(first) + "; " + with_signature(last),
                      .author = last.author,
                      .written_s = last.written_s};
    return true;
}

void merge_marks(SavedSide& side, const SavedSide& other, MergedMarks& merged) {
    for (const SavedMark& mark : other.marks) {
        const auto at = std::ranges::lower_bound(side.marks, order_of(mark), {}, order_of);
        if (at != side.marks.end() && order_of(*at) == order_of(mark)) {
            merged.combined += combine(at->note, mark.note) ? 1 : 0;
        } else if (side.marks.size() < core::kMostMarks) {
            side.marks.insert(at, mark);
            ++merged.added;
        } else {
            ++merged.left_out;
        }
    }
}

void merge_bookmarks(SavedSide& side, const SavedSide& other, MergedMarks& merged) {
    const auto is_free = [&](std::size_t number) {
        return std::ranges::none_of(side.bookmarks, [&](const SavedBookmark& one) { return one.number == number; });
    };
    for (const SavedBookmark& bookmark : other.bookmarks) {
        const auto same = std::ranges::find_if(side.bookmarks, [&](const SavedBookmark& one) {
            return order_of(one.view) == order_of(bookmark.view) && one.rank == bookmark.rank;
        });
        if (same != side.bookmarks.end()) {
            merged.combined += combine(same->view.note, bookmark.view.note) ? 1 : 0;
            continue;
        }
        std::size_t number = bookmark.number;
        for (std::size_t i = 0; i < core::kBookmarks && !is_free(number); ++i) number = (number + 1) % core::kBookmarks;
        if (!is_free(number)) {
            ++merged.left_out;
            continue;
        }
        side.bookmarks.push_back(bookmark);
        side.bookmarks.back().number = number;
        ++merged.added;
    }
    std::ranges::sort(side.bookmarks, {}, &SavedBookmark::number);
}

}  // namespace

core::Result<MergedMarks> merge_sessions(SavedSession& session, const SavedSession& other) {
    for (const core::Side side : core::kSides)
        if (const auto difference = find_difference(session.sides[side], other.sides[side]))
            return core::Error{core::ErrorCode::BadInput, "sessions of different runs: of the " +
                                                              std::string(core::name_of(side)) + " " + *difference};
    MergedMarks merged;
    for (const core::Side side : core::kSides) {
        std::ranges::stable_sort(session.sides[side].marks, {}, order_of);
        merge_marks(session.sides[side], other.sides[side], merged);
        merge_bookmarks(session.sides[side], other.sides[side], merged);
    }
    return merged;
}

}  // namespace ui
