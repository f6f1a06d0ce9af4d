#include "ui/model/session/merge_sessions.hpp"

#include <doctest/doctest.h>

using core::Duration;

namespace {

ui::SavedSession session_of(std::vector<ui::SavedMark> marks, std::vector<ui::SavedBookmark> bookmarks = {}) {
    ui::SavedSession session;
    session.sides.baseline.paths = {"/runs/a/rank0.json", "/runs/a/rank1.json"};
    session.sides.baseline.marks = std::move(marks);
    session.sides.baseline.bookmarks = std::move(bookmarks);
    return session;
}

ui::SavedMark mark(int begin, int end, core::Note note = {}) {
    return {.begin = Duration{begin}, .end = Duration{end}, .note = std::move(note)};
}

}  // namespace

TEST_CASE("marks of two people are merged, the same range once with both notes, the earlier first") {
    ui::SavedSession ann = session_of({mark(50, 60, {"slow here", "Ann", 2000}), mark(10, 20)});
    const ui::SavedSession bob =
        session_of({mark(10, 20, {"loader", "Bob", 1000}), mark(30, 30), mark(50, 60, {"why?", "Bob", 1500})});
    const core::Result<ui::MergedMarks> merged = ui::merge_sessions(ann, bob);
    REQUIRE(merged);
    CHECK(merged->added == 1);
    CHECK(merged->combined == 1);
    CHECK(merged->left_out == 0);
    const std::vector<ui::SavedMark>& marks = ann.sides.baseline.marks;
    REQUIRE(marks.size() == 3);
    CHECK(marks[0] == mark(10, 20, {"loader", "Bob", 1000}));
    CHECK(marks[1] == mark(30, 30));
    CHECK(marks[2].note.text == "why? (Bob, 1970-01-01 00:25 UTC); slow here (Ann, 1970-01-01 00:33 UTC)");
    CHECK(marks[2].note.author == "Ann");
    CHECK(marks[2].note.written_s == 2000);
}

TEST_CASE("a bookmark whose key has another view moves to a free one, if there is one") {
    std::vector<ui::SavedBookmark> all;
    for (std::size_t i = 0; i < core::kBookmarks - 1; ++i)
        all.push_back({.number = i, .view = mark(static_cast<int>(i), 100), .rank = "0"});
    ui::SavedSession ann = session_of({}, all);
    const ui::SavedSession bob = session_of({}, {{.number = 2, .view = mark(500, 600), .rank = "1"},
                                                 {.number = 3, .view = mark(3, 100, {"start", "Bob", 5}), .rank = "0"},
                                                 {.number = 4, .view = mark(700, 800), .rank = "1"}});
    const core::Result<ui::MergedMarks> merged = ui::merge_sessions(ann, bob);
    REQUIRE(merged);
    CHECK(merged->added == 1);
    CHECK(merged->left_out == 1);
    const std::vector<ui::SavedBookmark>& bookmarks = ann.sides.baseline.bookmarks;
    REQUIRE(bookmarks.size() == core::kBookmarks);
    CHECK(bookmarks.back() == ui::SavedBookmark{.number = core::kBookmarks - 1, .view = mark(500, 600), .rank = "1"});
    CHECK(bookmarks[3].view.note.text == "start");
}

TEST_CASE("sessions of different runs are not merged, and the error names a file that only one has") {
    ui::SavedSession ann = session_of({mark(1, 2)});
    ui::SavedSession bob = session_of({mark(3, 4)});
    bob.sides.baseline.paths.push_back("/runs/a/rank2.json");
    const core::Result<ui::MergedMarks> merged = ui::merge_sessions(ann, bob);
    REQUIRE_FALSE(merged);
    CHECK(merged.error().message.find("only one of them has /runs/a/rank2.json") != std::string::npos);
    CHECK(ann.sides.baseline.marks.size() == 1);
    bob = session_of({});
    bob.sides.baseline.gaps_cut = true;
    CHECK_FALSE(ui::merge_sessions(ann, bob));
}

TEST_CASE("merging again changes nothing") {
    ui::SavedSession ann = session_of({mark(1, 2, {"a", "Ann", 9})}, {{.number = 0, .view = mark(1, 9), .rank = ""}});
    const ui::SavedSession bob =
        session_of({mark(3, 4, {"b", "Bob", 8})}, {{.number = 0, .view = mark(2, 9), .rank = ""}});
    REQUIRE(ui::merge_sessions(ann, bob));
    const core::BySide<ui::SavedSide> once = ann.sides;
    const core::Result<ui::MergedMarks> again = ui::merge_sessions(ann, bob);
    REQUIRE(again);
    CHECK(again->added == 0);
    CHECK(again->combined == 0);
    CHECK(ann.sides.baseline == once.baseline);
}
