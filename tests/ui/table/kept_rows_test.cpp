#include "ui/table/kept_rows.hpp"

#include "core/query/filter_text.hpp"

#include <doctest/doctest.h>

using ui::Click;
using ui::KeptRows;
using ui::RowFacets;

namespace {

core::Filter typed_filter(const char* text) { return *core::parse_filter(text); }

RowFacets facets_of_rank(int number) {
    RowFacets facets;
    facets.rank = core::RankKey{number, 0};
    return facets;
}

RowFacets facets_of_name(const char* name) {
    RowFacets facets;
    facets.name = name;
    return facets;
}

}  // namespace

TEST_CASE("a click filters by its row, the table is asked as before, the row is marked") {
    KeptRows kept;
    const core::Filter before = typed_filter("rank:0-7 stream:7");
    const core::Filter after = kept.click(before, facets_of_rank(3), Click::Replace);
    CHECK(core::format_filter(after) == "rank:3 stream:7");
    CHECK(kept.filter_for(after) == before);
    CHECK(kept.marks(after, facets_of_rank(3), {}));
    CHECK_FALSE(kept.marks(after, facets_of_rank(4), {}));
    CHECK_FALSE(kept.marks(after, facets_of_name("gemm"), {}));
}

TEST_CASE("a second click restores the filter from before the first") {
    KeptRows kept;
    const core::Filter before = typed_filter("rank:0-7");
    const core::Filter after = kept.click(before, facets_of_rank(3), Click::Replace);
    CHECK(kept.click(after, facets_of_rank(3), Click::Replace) == before);
    CHECK_FALSE(kept.is_in_force(before));
    CHECK_FALSE(kept.filter_before_click(before).has_value());
}

TEST_CASE("a click on another row moves the mark; taking back leads to the filter before the first click") {
    KeptRows kept;
    core::Filter now = kept.click({}, facets_of_rank(3), Click::Replace);
    now = kept.click(now, facets_of_rank(5), Click::Replace);
    CHECK(core::format_filter(now) == "rank:5");
    CHECK(kept.marks(now, facets_of_rank(5), {}));
    CHECK_FALSE(kept.marks(now, facets_of_rank(3), {}));
    REQUIRE(kept.filter_before_click(now).has_value());
    CHECK(kept.filter_before_click(now)->empty());
}

TEST_CASE("rows that Ctrl adds are all marked") {
    KeptRows kept;
    core::Filter now = kept.click({}, facets_of_rank(3), Click::Replace);
    now = kept.click(now, facets_of_rank(5), Click::Add);
    CHECK(core::format_filter(now) == "rank:3,5");
    CHECK(kept.filter_for(now).empty());
    CHECK(kept.marks(now, facets_of_rank(3), {}));
    CHECK(kept.marks(now, facets_of_rank(5), {}));
    CHECK_FALSE(kept.marks(now, facets_of_rank(4), {}));
}

TEST_CASE("clicks of two kinds are both put back, other terms stay those of now") {
    KeptRows kept;
    core::Filter now = kept.click({}, facets_of_rank(3), Click::Replace);
    now = kept.click(now, facets_of_name("gemm"), Click::Replace);
    CHECK(core::format_filter(now) == "rank:3 name:gemm");
    CHECK(kept.filter_for(now).empty());
    const core::Filter later = typed_filter("rank:3 name:gemm step:4");
    CHECK(core::format_filter(kept.filter_for(later)) == "step:4");
}

TEST_CASE("a filter that was changed otherwise is the table's own") {
    KeptRows kept;
    kept.click({}, facets_of_rank(3), Click::Replace);
    const core::Filter typed = typed_filter("rank:4");
    CHECK_FALSE(kept.is_in_force(typed));
    CHECK(kept.filter_for(typed) == typed);
    CHECK_FALSE(kept.marks(typed, facets_of_rank(4), {}));
}

TEST_CASE("a click on the row of a typed filter takes it out, and the table follows") {
    KeptRows kept;
    const core::Filter after = kept.click(typed_filter("rank:3"), facets_of_rank(3), Click::Replace);
    CHECK(after.empty());
    CHECK(kept.filter_for(after).empty());
}
