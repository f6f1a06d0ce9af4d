#include "core/analysis/catalogue/analysis_groups.hpp"
#include "core/analysis/catalogue/registry.hpp"
#include "tests/core/added_row.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

using namespace core;

TEST_CASE("every analysis is in one group, and every id that a group names is one") {
    std::set<std::string_view> seen;
    for (const AnalysisGroup& group : analysis_groups()) {
        CHECK_FALSE(group.summary.empty());
        for (const std::string_view id : group.analyses) {
            CAPTURE(id);
            CHECK(find_analysis(id));
        }
        for (const Analysis* analysis : collect_analyses(group)) {
            CAPTURE(analysis->id);
            CHECK(seen.insert(analysis->id).second);
            CHECK(group_of(*analysis).title == group.title);
            CHECK(std::ranges::find(group.analyses, analysis->id) != group.analyses.end());
        }
    }
    CHECK(seen.size() == all_analyses().size());
}

TEST_CASE("an analysis that no group names is in the last one") {
    Analysis other = *find_analysis("kernels");
    other.id = "longest-event";
    const core::testing::AddedRow<Analysis> added(analyses(), other);
    CHECK(group_of(*find_analysis("longest-event")).title == "Other");
    CHECK(collect_analyses(group_of(other)).back()->id == "longest-event");
    CHECK(synonyms_of(other).empty());
}
