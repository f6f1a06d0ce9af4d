#include "core/export/first_page.hpp"

#include "core/export/text_table.hpp"
#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

using namespace core;
using namespace core::testing;

namespace {

FirstPage page_of_two_ranks() {
    FirstPage page;
    page.verdict = "host-bound";
    page.evidence = "the GPU waits for the host for 61 % of the time";
    page.losses = "rank 7 is missing \x1B[2J";
    page.findings.push_back({.id = "late-rank",
                             .severity = "high",
                             .sentence = "",
                             .headline = "The other ranks wait for rank 1",
                             .evidence = "Last in 38 of 72 collectives.",
                             .cost = "",
                             .saves = "Fixing it saves at most 3 ms",
                             .advice = "See straggler-causes.",
                             .explains = ""});
    page.ranks = {{"0", 0.5, 0.25, 0.0, 0.25}, {"10", 1.0, 0.0, 0.0, std::nullopt}};
    return page;
}

}  // namespace

TEST_CASE("the first page says losses, verdict, findings, and where the time goes, in this order") {
    CHECK(format_first_page(page_of_two_ranks(), {.columns = 60, .colour = false}) ==
          "Lost: rank 7 is missing ?[2J\n"
          "\n"
          "Verdict: host-bound\n"
          "the GPU waits for the host for 61 % of the time\n"
          "\n"
          "1  The other ranks wait for rank 1\n"
          "   Last in 38 of 72 collectives.\n"
          "   Fixing it saves at most 3 ms\n"
          "   \xE2\x86\x92 See straggler-causes.\n"
          "\n"
          "Where the time of each rank goes: \xE2\x96\x88 compute \xE2\x96\x92 exposed\n"
          "communication \xE2\x96\x91 exposed copies \xC2\xB7 idle\n"
          "rank  0  "
          "\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88"
          "\xE2\x96\x88\xE2\x96\x92\xE2\x96\x92\xE2\x96\x92\xE2\x96\x92\xE2\x96\x92\xC2\xB7\xC2\xB7\xC2\xB7\xC2\xB7"
          "\xC2\xB7  50.0 %  25.0 %     0 %  25.0 %\n"
          "rank 10  "
          "\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88"
          "\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88"
          "\xE2\x96\x88\xE2\x96\x88 100.0 %     0 %     0 % unknown\n"
          "\n");
}

TEST_CASE("nothing stands out only where GPU work was looked at") {
    FirstPage page;
    CHECK(format_first_page(page, {.columns = 60, .colour = false}).empty());
    page.ranks = {{"0", 1.0, 0.0, 0.0, 0.0}};
    CHECK(format_first_page(page, {.columns = 60, .colour = false}).starts_with("Nothing stands out.\n"));
}

TEST_CASE("no line of a first page is wider than the terminal, and colour stays in it") {
    const std::string text = format_first_page(page_of_two_ranks(), {.columns = 80, .colour = true});
    CHECK(text.starts_with("\x1B[31mLost: rank 7 is missing ?[2J\x1B[0m\n"));
    const std::string plain = format_first_page(page_of_two_ranks(), {.columns = 80, .colour = false});
    for (std::size_t at = 0; at < plain.size();) {
        const std::size_t end = plain.find('\n', at);
        CHECK(display_width(std::string_view(plain).substr(at, end - at)) <= 80);
        at = end + 1;
    }
}

TEST_CASE("a run has a first page, whatever it holds") {
    const RunPtr gpu = run_of({TraceFixture().rank(0).launch(0, 5, 1).kernel(10, 30, "gemm", 7, 1).build()});
    const Result<FirstPage> page = read_first_page(*gpu, 1, {});
    REQUIRE(page.has_value());
    REQUIRE(page->ranks.size() == 1);
    CHECK(page->ranks[0].compute == doctest::Approx(1));
    CHECK_FALSE(page->verdict.empty());
    const Result<FirstPage> cpu = read_first_page(*run_of({TraceFixture().cpu(0, 5, "aten::mm").build()}), 1, {});
    REQUIRE(cpu.has_value());
    CHECK(cpu->ranks.empty());
}
