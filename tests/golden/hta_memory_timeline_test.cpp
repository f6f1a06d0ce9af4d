// PyTorch's raw memory timeline against HTA's running sums by category.

#include "tests/core/analysis/engine/answers.hpp"
#include "tests/golden/goldens.hpp"

#include <algorithm>
#include <set>

using namespace core;
using namespace core::testing;

TEST_CASE("the memory timeline agrees with HTA at every moment, including peaks and last values") {
    if (!goldens_are_here()) return;
    const RunPtr run = load_corpus_run("HolisticTraceAnalysis/memory_timeline_raw/memory_timeline.raw.gz");
    const Answer ours = answer_of(*run, "memory-timeline", "");
    const Json theirs = golden("memory_analysis", "memory_timeline");
    REQUIRE(ours.series.size() == 9);  // including the total
    CHECK(std::get<std::int64_t>(ours.main().cell(0, 2)) == theirs.at("peak_total").get<std::int64_t>());

    const auto first = theirs.at("times")[0].get<std::int64_t>();
    const RunTime origin = ours.series.front().time.front();
    const std::vector<std::string> categories = theirs.at("categories").get<std::vector<std::string>>();
    for (std::size_t c = 0; c < categories.size(); ++c) {
        INFO(categories[c]);
        const auto series =
            std::ranges::find_if(ours.series, [&](const Series& one) { return one.name.starts_with(categories[c]); });
        REQUIRE(series != ours.series.end());
        CHECK(*std::ranges::max_element(series->value) == theirs.at("peak_per_category")[c].get<double>());
        CHECK(series->value.back() == theirs.at("final")[c].get<double>());
        std::size_t next = 0, wrong = 0;
        for (std::size_t i = 0; i < theirs.at("times").size(); ++i) {
            const std::int64_t time = theirs.at("times")[i].get<std::int64_t>() - first;
            const bool last_of_moment =
                i + 1 == theirs.at("times").size() || theirs.at("times")[i + 1] != theirs.at("times")[i];
            while (next < series->time.size() && (series->time[next] - origin).count() <= time) ++next;
            const double value = next == 0 ? 0 : series->value[next - 1];
            wrong += last_of_moment && value != theirs.at("sizes")[i][c].get<double>() ? 1 : 0;
        }
        CHECK(wrong == 0);
    }
}
