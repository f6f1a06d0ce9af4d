#include "core/query/filter_completion.hpp"
#include "core/query/filter_edit.hpp"
#include "core/query/filter_text.hpp"
#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

namespace {

using core::testing::run_of;
using core::testing::TraceFixture;

core::FilterVocabulary words_of_a_run() {
    core::FilterVocabulary words;
    words.ranks = {0, 1, 2, 10, 11};
    words.steps = {3, 4};
    words.streams = {7, 20};
    words.kernels = {"ampere_gemm", "void at::native::copy kernel", "ncclDevKernel_AllReduce"};
    words.groups = {"data parallel", "mesh_tp"};
    return words;
}

std::vector<std::string> complete(std::string_view text) {
    std::vector<std::string> found;
    const core::FilterVocabulary words = words_of_a_run();
    for (const core::Completion& c : core::complete_filter(text, text.size(), words).found) found.push_back(c.word);
    return found;
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("completion: fields first, then kernels with the word") {
    CHECK(complete("").size() == 13);
    CHECK(complete("st") == Words{"step:", "stream:"});
    CHECK(complete("rank:0 -cl") == Words{"-class:", "-name:ncclDevKernel_AllReduce"});
    CHECK(complete("GEMM") == Words{"name:ampere_gemm"});
    CHECK(complete("nope").empty());
}

TEST_CASE("completion: values of the run, after what was typed") {
    CHECK(complete("rank:1") == Words{"rank:10", "rank:11"});
    CHECK(complete("rank:0-2,1") == Words{"rank:0-2,10", "rank:0-2,11"});
    CHECK(complete("step:") == Words{"step:complete", "step:3", "step:4"});
    CHECK(complete("-stream:") == Words{"-stream:7", "-stream:20"});
    CHECK(complete("class:") == Words{"class:compute", "class:communication", "class:memory"});
    CHECK(complete("class:memory,co") == Words{"class:memory,compute", "class:memory,communication"});
    CHECK(complete("class:compute,com") == Words{"class:compute,communication"});
    CHECK(complete("name:copy") == Words{"name:\"void at::native::copy kernel\""});
    CHECK(complete("group:\"data") == Words{"group:\"data parallel\""});
    CHECK(complete("name:/copy").empty());
    CHECK(complete("dur:").size() == 3);
    CHECK(complete("dur:>1").empty());
}

TEST_CASE("completion: every suggestion parses, except fields that need a value") {
    for (const std::string_view text :
         {"", "r", "rank:", "step:", "stream:", "class:", "name:", "group:", "dur:", "time:"}) {
        const core::FilterVocabulary words = words_of_a_run();
        for (const core::Completion& c : core::complete_filter(text, text.size(), words).found) {
            CAPTURE(c.word);
            CHECK(c.whole == static_cast<bool>(core::parse_filter(c.word)));
        }
    }
}

TEST_CASE("completion: the word at the cursor is completed") {
    const core::FilterVocabulary words = words_of_a_run();
    const std::string_view text = "name:\"a b\" st rank:0";
    const core::Completions middle = core::complete_filter(text, 13, words);
    CHECK(text.substr(middle.begin, middle.end - middle.begin) == "st");
    CHECK(middle.found.size() == 2);
    const core::Completions quoted = core::complete_filter(text, 8, words);
    CHECK(text.substr(quoted.begin, quoted.end - quoted.begin) == "name:\"a b\"");
    const core::Completions past = core::complete_filter("x ", 99, words);
    CHECK(past.begin == 2);
    CHECK(past.found.size() == 13);
    CHECK(core::complete_filter("", 0, words, 3).found.size() == 3);
}

TEST_CASE("vocabulary: numbers are unique and sorted, kernels are sorted by total time over all ranks") {
    std::vector<core::RankTracePtr> traces;
    for (int rank = 0; rank < 2; ++rank)
        traces.push_back(TraceFixture()
                             .step(0, 900, 5)
                             .launch(10, 5, 1)
                             .kernel(40, 200, "gemm", 7, 1)
                             .kernel(300, 300 * rank + 1, "copy", 20)
                             .rank(rank)
                             .build());
    const core::RunPtr run = run_of(traces);
    const core::FilterVocabulary words = core::collect_vocabulary(*run, core::JobContext{});
    CHECK(words.ranks == std::vector<std::int64_t>{0, 1});
    CHECK(words.steps == std::vector<std::int64_t>{5});
    CHECK(words.streams == std::vector<std::int64_t>{7, 20});
    CHECK(words.kernels == Words{"gemm", "copy"});
}

TEST_CASE("filter edits: one term of a kind, in place; negated terms stay") {
    const core::Filter filter = core::parse_filter("rank:0 name:a -rank:3 rank:5").value();
    CHECK(core::find_term<core::RankTerm>(filter)->numbers.front().first == 0);
    CHECK(core::format_filter(core::with_term(filter, core::RankTerm{{{1, 2}}})) == "rank:1-2 name:a -rank:3");
    CHECK(core::format_filter(core::without_term<core::RankTerm>(filter)) == "name:a -rank:3");
    CHECK(core::format_filter(core::with_term(filter, core::StreamTerm{{{7, 7}}})) ==
          "rank:0 name:a -rank:3 rank:5 stream:7");
    CHECK(core::find_term<core::ClassTerm>(filter) == nullptr);
}

TEST_CASE("filter edits: consecutive numbers of the run make one range") {
    const std::vector<std::int64_t> known{1, 2, 3, 10, 20, 30};
    const auto text = [&](std::vector<std::int64_t> numbers) {
        core::Filter filter;
        filter.terms.push_back({false, core::RankTerm{core::ranges_of(numbers, known)}});
        return core::format_filter(filter);
    };
    CHECK(text({1, 2, 3}) == "rank:1-3");
    CHECK(text({1, 3, 10, 30}) == "rank:1,3-10,30");
    CHECK(text({20}) == "rank:20");
    CHECK(core::ranges_of({}, known).empty());
}
