#include "core/session/marks.hpp"

#include <doctest/doctest.h>

namespace {

core::RunRange marked(std::int64_t begin, std::int64_t end) { return {core::run_time(begin), core::run_time(end)}; }

}  // namespace

TEST_CASE("a passing mark gives way to the next and goes when it is marked once more") {
    ui::Marks marks;
    CHECK(marks.empty());
    ui::mark_range(marks, marked(10, 20));
    ui::mark_range(marks, marked(30, 40));
    CHECK(marks.passing == marked(30, 40));
    CHECK(marks.kept.empty());
    ui::mark_range(marks, marked(30, 40));
    CHECK(marks.empty());
    ui::mark_range(marks, marked(30, 40));
    ui::mark_range(marks, std::nullopt);
    CHECK(marks.empty());
}

TEST_CASE("kept marks lie in order of time, each range once, with the distance to the one before") {
    ui::Marks marks;
    CHECK_FALSE(ui::keep_mark(marks, std::nullopt));
    CHECK(ui::keep_mark(marks, marked(300, 400)));
    ui::mark_range(marks, marked(100, 150));
    CHECK(ui::keep_mark(marks, std::nullopt));
    CHECK_FALSE(marks.passing);
    CHECK_FALSE(ui::keep_mark(marks, marked(300, 400)));
    CHECK(ui::keep_mark(marks, marked(300, 350)));
    REQUIRE(marks.kept.size() == 3);
    CHECK(marks.kept[0].range == marked(100, 150));
    CHECK(marks.kept[1].range == marked(300, 350));
    CHECK_FALSE(ui::since_previous(marks, 0));
    CHECK(ui::since_previous(marks, 1) == core::Duration{200});
    CHECK(ui::since_previous(marks, 2) == core::Duration{0});
    CHECK_FALSE(ui::since_previous(marks, 3));
    ui::remove_mark(marks, 1);
    ui::remove_mark(marks, 7);
    CHECK(marks.kept.size() == 2);
}

TEST_CASE("there is an end to marks") {
    ui::Marks marks;
    for (std::size_t i = 0; i < ui::kMostMarks; ++i)
        REQUIRE(ui::keep_mark(marks, marked(static_cast<std::int64_t>(i), 5000)));
    CHECK_FALSE(ui::keep_mark(marks, marked(4000, 5000)));
    CHECK(marks.kept.size() == ui::kMostMarks);
}

TEST_CASE("a mark is told by its length, a moment by its time") {
    CHECK(ui::format_mark(marked(0, 1500), core::run_time(0)).find("1.5") == 0);
    CHECK(ui::format_mark(marked(70, 70), core::run_time(20)).find("50") != std::string::npos);
}
