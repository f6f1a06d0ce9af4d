#include "core/session/marks.hpp"

#include <doctest/doctest.h>

namespace {

core::RunRange marked(std::int64_t begin, std::int64_t end) { return {core::run_time(begin), core::run_time(end)}; }

}  // namespace

TEST_CASE("a passing mark gives way to the next and goes when it is marked once more") {
    core::Marks marks;
    CHECK(marks.empty());
    core::mark_range(marks, marked(10, 20));
    core::mark_range(marks, marked(30, 40));
    CHECK(marks.passing == marked(30, 40));
    CHECK(marks.kept.empty());
    core::mark_range(marks, marked(30, 40));
    CHECK(marks.empty());
    core::mark_range(marks, marked(30, 40));
    core::mark_range(marks, std::nullopt);
    CHECK(marks.empty());
}

TEST_CASE("kept marks are sorted by time, each range once, with the distance to the previous one") {
    core::Marks marks;
    CHECK_FALSE(core::keep_mark(marks, std::nullopt));
    CHECK(core::keep_mark(marks, marked(300, 400)));
    core::mark_range(marks, marked(100, 150));
    CHECK(core::keep_mark(marks, std::nullopt));
    CHECK_FALSE(marks.passing);
    CHECK_FALSE(core::keep_mark(marks, marked(300, 400)));
    CHECK(core::keep_mark(marks, marked(300, 350)));
    REQUIRE(marks.kept.size() == 3);
    CHECK(marks.kept[0].range == marked(100, 150));
    CHECK(marks.kept[1].range == marked(300, 350));
    CHECK_FALSE(core::since_previous(marks, 0));
    CHECK(core::since_previous(marks, 1) == core::Duration{200});
    CHECK(core::since_previous(marks, 2) == core::Duration{0});
    CHECK_FALSE(core::since_previous(marks, 3));
    core::remove_mark(marks, 1);
    core::remove_mark(marks, 7);
    CHECK(marks.kept.size() == 2);
}

TEST_CASE("there is an end to marks") {
    core::Marks marks;
    for (std::size_t i = 0; i < core::kMostMarks; ++i)
        REQUIRE(core::keep_mark(marks, marked(static_cast<std::int64_t>(i), 5000)));
    CHECK_FALSE(core::keep_mark(marks, marked(4000, 5000)));
    CHECK(marks.kept.size() == core::kMostMarks);
}

TEST_CASE("a mark is described by its length, a moment by its time") {
    CHECK(core::format_mark(marked(0, 1500), core::run_time(0)).find("1.5") == 0);
    CHECK(core::format_mark(marked(70, 70), core::run_time(20)).find("50") != std::string::npos);
}

TEST_CASE("a note is signed by the author of its latest change") {
    const auto at = [](std::int64_t begin) {
        return core::RunRange{core::run_time(begin), core::run_time(begin + 10)};
    };
    core::Marks before;
    core::keep_mark(before, at(0));
    core::keep_mark(before, at(100));
    before.kept[0].note = {"old", "Ann", 60};
    core::Marks now = before;
    core::keep_mark(now, at(50));
    now.kept[2].note.text = "new";
    now.bookmarks[3] = core::Bookmark{.view = at(5), .rank = {}, .note = {"here"}};
    core::sign_notes(before, now, "Bob", 1'764'115'260);
    CHECK(now.kept[0].note == core::Note{"old", "Ann", 60});
    CHECK(now.kept[1].note == core::Note{});
    CHECK(now.kept[2].note == core::Note{"new", "Bob", 1'764'115'260});
    CHECK(now.bookmarks[3]->note.author == "Bob");
    CHECK(core::format_signature(now.kept[2].note) == "Bob, 2025-11-26 00:01 UTC");
    CHECK(core::format_signature(core::Note{}).empty());
    // Typing is one undo step for any author.
    core::Marks typed = now;
    typed.kept[2].note = {"newer", "Cid", 7};
    CHECK(core::find_typed_note(now, typed) == 2);
}
