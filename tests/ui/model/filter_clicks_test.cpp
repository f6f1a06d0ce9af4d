// Effect of clicks on the filter, as its text.

#include "ui/model/filter_clicks.hpp"
#include "core/query/filter_edit.hpp"
#include "core/query/filter_text.hpp"
#include "core/query/name_pattern.hpp"

#include <doctest/doctest.h>

namespace {

core::Filter filter_of(std::string_view text) {
    const core::Result<core::Filter> filter = core::parse_filter(text);
    REQUIRE(filter);
    return *filter;
}

constexpr core::ClassSet kCompute = 1;
constexpr core::ClassSet kCommunication = 2;

}  // namespace

TEST_CASE("a click takes the place of the term of its kind and leaves the others") {
    const core::Filter before = filter_of("rank:1 name:gemm -rank:7");
    CHECK(core::format_filter(ui::with_rank(before, {3, 0})) == "rank:3 name:gemm -rank:7");
    CHECK(core::format_filter(ui::with_step(before, 12)) == "rank:1 name:gemm -rank:7 step:12");
    CHECK(core::format_filter(ui::with_name(before, "relu")) == "rank:1 name:relu -rank:7");
    CHECK(core::format_filter(ui::with_class(filter_of("class:memory"), kCompute)) == "class:compute");
    CHECK(core::format_filter(ui::with_step(filter_of("step:complete"), 2)) == "step:2");
    CHECK(core::format_filter(ui::with_rank(filter_of("rank:0-3 rank:2-5"), {3, 0})) == "rank:3");
}

TEST_CASE("the same click again takes its term away") {
    const core::Filter before = filter_of("name:gemm");
    CHECK(ui::with_rank(ui::with_rank(before, {3, 0}), {3, 0}) == before);
    CHECK(ui::with_step(ui::with_step(before, 3), 3) == before);
    CHECK(ui::with_class(ui::with_class(before, kCompute), kCompute) == before);
    CHECK(ui::with_name(before, "gemm").empty());
    CHECK(ui::with_cell(ui::with_cell(before, {3, 0}, 4), {3, 0}, 4) == before);
}

TEST_CASE("with Ctrl a click joins what is chosen, or leaves it") {
    const auto add = ui::Click::Add;
    CHECK(core::format_filter(ui::with_rank(filter_of("rank:1"), {3, 0}, add)) == "rank:1,3");
    CHECK(core::format_filter(ui::with_rank(filter_of("rank:3"), {1, 0}, add)) == "rank:1,3");
    CHECK(core::format_filter(ui::with_rank(filter_of("rank:0-7"), {3, 0}, add)) == "rank:0-2,4-7");
    CHECK(ui::with_rank(filter_of("rank:3"), {3, 0}, add).empty());
    CHECK(core::format_filter(ui::with_rank({}, {3, 0}, add)) == "rank:3");
    CHECK(core::format_filter(ui::with_step(filter_of("step:complete"), 2, add)) == "step:2");
    CHECK(ui::with_class(filter_of("class:compute"), kCommunication, add) ==
          ui::with_class({}, kCompute | kCommunication));
    CHECK(ui::with_class(filter_of("class:compute"), kCompute, add).empty());
}

TEST_CASE("a cell sets rank and step together, whatever was chosen before") {
    CHECK(core::format_filter(ui::with_cell(filter_of("rank:1 class:compute"), {3, 0}, 12)) ==
          "rank:3 class:compute step:12");
    CHECK(core::format_filter(ui::with_cell(filter_of("rank:3 step:11"), {3, 0}, 12)) == "rank:3 step:12");
}

TEST_CASE("a chart of all ranks and steps knows which of them the filter takes") {
    const core::Filter filter = filter_of("rank:1 step:2-4 name:gemm -step:3");
    CHECK(core::format_filter(ui::without_rank(filter)) == "step:2-4 name:gemm -step:3");
    CHECK(core::format_filter(ui::without_rank_and_step(filter)) == "name:gemm");
    CHECK(ui::accepts_step(filter, 2, 9));
    CHECK_FALSE(ui::accepts_step(filter, 3, 9));
    CHECK_FALSE(ui::accepts_step(filter, 5, 9));
    CHECK(ui::accepts_step(filter_of("step:complete"), 5, 9));
    CHECK_FALSE(ui::accepts_step(filter_of("step:complete"), 9, 9));
    CHECK(ui::accepts_step(filter_of("step:complete"), 9, std::nullopt));
    CHECK(ui::accepts_step({}, 9, 9));
}

TEST_CASE("a class a filter leaves out is known, and a click on it is described as what it does") {
    CHECK_FALSE(ui::leaves_out_class({}, kCompute));
    CHECK(ui::leaves_out_class(filter_of("class:communication"), kCompute));
    CHECK_FALSE(ui::leaves_out_class(filter_of("class:compute,communication"), kCompute));
    CHECK(ui::leaves_out_class(filter_of("-class:compute"), kCompute));
    CHECK_FALSE(ui::leaves_out_class(filter_of("-class:compute"), kCommunication));
    CHECK(ui::describe_class_click({}, kCompute).starts_with("A click filters by compute"));
    CHECK(ui::describe_class_click(filter_of("class:memory"), kCompute).starts_with("A click filters by compute"));
    CHECK(ui::describe_class_click(filter_of("class:compute"), kCompute).starts_with("A click shows all classes"));
}

TEST_CASE("several names are one term for exactly these, which the filter's text can say") {
    const std::vector<std::string> names{"void f<(int)4>(float*)", "a/b \\ \"c\" {d}[e]^$.|?+",
                                         "a/b \\ \"c\" {d}[e]^$.|?+", "tab\there"};
    const auto term = ui::term_for_names(names);
    REQUIRE(term);
    CHECK(term->is_regex);
    const core::NamePattern pattern = core::NamePattern::compile(term->text).value();
    for (const std::string& name : names) {
        CHECK(pattern.found_in(name));
        CHECK_FALSE(pattern.found_in(name + "x"));
        CHECK_FALSE(pattern.found_in("x" + name));
    }
    const core::Filter filter = core::with_term({}, *term);
    CHECK(core::parse_filter(core::format_filter(filter)).value() == filter);
    CHECK(ui::term_for_names({"gemm", "gemm"}).value() == core::NameTerm{"gemm", false});
    std::vector<std::string> many;
    for (int i = 0; i < 2'000; ++i) many.push_back("kernel_" + std::to_string(i));
    const auto refused = ui::term_for_names(many);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.starts_with("The row stands for 2,000 names"));
}

TEST_CASE("a rank or step of the candidate is named by its partner where runs pair by order") {
    core::RunAlignment alignment;
    alignment.ranks = {{{0, 0}, {8, 0}}, {{1, 0}, {9, 0}}};
    alignment.steps = {{{7, {}}, {12, {}}}};
    for (const bool by_number : {true, false}) {
        alignment.ranks_by_number = alignment.steps_by_number = by_number;
        CHECK(ui::find_named_rank(&alignment, core::Side::Baseline, {1, 0}) == core::RankKey{1, 0});
        CHECK(ui::find_named_step(&alignment, core::Side::Baseline, 7) == 7);
        CHECK(ui::find_named_step(&alignment, core::Side::Candidate, 12) == (by_number ? 12 : 7));
        CHECK(ui::find_named_rank(&alignment, core::Side::Candidate, {9, 0}) ==
              (by_number ? core::RankKey{9, 0} : core::RankKey{1, 0}));
    }
    CHECK_FALSE(ui::find_named_rank(&alignment, core::Side::Candidate, {3, 0}));
    alignment.lone_ranks.candidate = {{1, 0}, {3, 0}};
    CHECK(ui::find_named_rank(&alignment, core::Side::Candidate, {3, 0}) == core::RankKey{3, 0});
    CHECK_FALSE(ui::find_named_rank(&alignment, core::Side::Candidate, {1, 0}));  // the baseline's
    CHECK_FALSE(ui::find_named_step(&alignment, core::Side::Candidate, 7));
    CHECK(ui::find_named_step(nullptr, core::Side::Candidate, 7) == 7);
}

TEST_CASE("cells of many ranks and steps are ranges of numbers") {
    const std::vector<core::RankKey> ranks{{4, 0}, {2, 0}, {3, 0}, {8, 0}};
    const std::vector<std::int64_t> steps{7, 8, 11};
    CHECK(core::format_filter(ui::with_cells(filter_of("rank:1 name:gemm"), ranks, steps)) ==
          "rank:2-4,8 name:gemm step:7-8,11");
    CHECK(core::format_filter(ui::with_cells(filter_of("rank:1"), {}, steps)) == "rank:1 step:7-8,11");
}

TEST_CASE("a whole name narrows what is there, whatever characters it has") {
    for (const std::string name : {"gemm", "void at::k<float, 4>(a&, b*) [c]", "a/b\\c", "x\ty"}) {
        const core::Filter filter = ui::with_whole_name(filter_of("name:e rank:1"), name);
        REQUIRE(filter.terms.size() == 3);
        const auto& term = std::get<core::NameTerm>(filter.terms.back().what);
        REQUIRE(term.is_regex);
        const auto pattern = core::NamePattern::compile(term.text);
        REQUIRE(pattern);
        CHECK(pattern->found_in(name));
        CHECK_FALSE(pattern->found_in(name + "2"));
        CHECK_FALSE(pattern->found_in("a " + name));
    }
    CHECK_FALSE(std::get<core::NameTerm>(ui::with_whole_name({}, std::string(9'000, 'k')).terms.back().what).is_regex);
}
