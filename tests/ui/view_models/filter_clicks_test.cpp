// What clicks make of the filter, as its text.

#include "ui/view_models/filter_clicks.hpp"
#include "core/query/filter_text.hpp"

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
