#include "core/base/diagnostics.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace core;

TEST_CASE("each kind is counted with its first example, worst first") {
    Diagnostics found;
    found.add("not-a-trace", "readme.txt");
    CHECK(found.is_first("event-dropped"));
    found.add("event-dropped", "byte 10", 2);
    found.add("event-dropped", "byte 99");
    CHECK_FALSE(found.is_first("event-dropped"));
    REQUIRE(found.entries().size() == 2);
    CHECK(found.entries()[0].kind->id == "event-dropped");
    CHECK(found.entries()[0].count == 3);
    CHECK(found.entries()[0].first == "byte 10");
    CHECK(found.count("rank-guessed") == 0);
}

TEST_CASE("merging says where the examples come from and adds the counts up") {
    Diagnostics all;
    Diagnostics one;
    one.add("event-dropped", "byte 10");
    all.merge(one, "rank0.json");
    all.merge(one, "rank1.json");
    CHECK(all.count("event-dropped") == 2);
    CHECK(all.entries()[0].first == "rank0.json: byte 10");
}

TEST_CASE("every kind has an id of its own and says what it means") {
    std::set<std::string_view> ids;
    for (const DiagnosticKind& kind : all_diagnostic_kinds()) {
        CHECK(ids.insert(kind.id).second);
        CHECK(kind.meaning.ends_with('.'));
        CHECK(&diagnostic_kind(kind.id) == &kind);
    }
}

TEST_CASE("a kind that turns out to be another moves with count and example, to its place in the order") {
    Diagnostics diagnostics;
    diagnostics.add("rank-duplicate", "a and b", 2);
    diagnostics.add("rank-duplicate", "a and c");
    diagnostics.add("clock-guessed", "d");
    diagnostics.move_to("rank-windows", "rank-duplicate");
    diagnostics.move_to("rank-windows", "file-gone");  // nothing is there to move
    REQUIRE(diagnostics.entries().size() == 2);
    CHECK(diagnostics.count("rank-duplicate") == 0);
    CHECK(diagnostics.entries()[0].kind->id == "clock-guessed");
    CHECK(diagnostics.entries()[1].kind->id == "rank-windows");
    CHECK(diagnostics.entries()[1].count == 3);
    CHECK(diagnostics.entries()[1].first == "a and b");
}
