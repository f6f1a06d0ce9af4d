// A report is one page of valid HTML and XML with the numbers of its analyses; names are always
// text.

#include "core/export/report/html_report.hpp"

#include "core/analysis/catalogue/registry.hpp"
#include "core/analysis/run/run_analysis.hpp"
#include "core/export/report/html_text.hpp"
#include "core/query/filter_text.hpp"
#include "tests/core/export/report/markup.hpp"
#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

using namespace core;
using namespace core::testing;

namespace {

ReportPart report_part(const Run& run, std::string_view id, const Filter& filter = {}) {
    const Analysis& analysis = *find_analysis(id);
    Result<Answer> answer = run_analysis(analysis, run, filter, *make_params(analysis, {}), 1, {});
    REQUIRE(answer);
    return {&analysis, *std::move(answer), std::nullopt, {}};
}

HtmlReport page_report(const RunPtr& run, std::initializer_list<std::string_view> ids) {
    HtmlReport report;
    report.runs.baseline.run = run.get();
    report.runs.baseline.doctor = *examine_run(*run, 1, {});
    for (const std::string_view id : ids) report.parts.push_back(report_part(*run, id));
    return report;
}

void check_page(const std::string& page) {
    CHECK(find_markup_error(page) == "");
    CHECK(find_outside_reference(page) == "");
}

bool page_has(const std::string& page, std::string_view text) { return page.find(text) != std::string::npos; }

std::size_t count_in_page(const std::string& page, std::string_view text) {
    std::size_t count = 0;
    for (std::size_t at = page.find(text); at != std::string::npos; at = page.find(text, at + text.size())) ++count;
    return count;
}

RunPtr run_of_kernel(std::string_view kernel) {
    TraceFixture fixture;
    fixture.rank(0).step(0, 10'000, 1).kernel(100, 2000, kernel);
    return run_of({fixture.build()});
}

}  // namespace

TEST_CASE("a page has its analyses' numbers, rounded and exact on hover, and definitions") {
    TraceFixture fixture;
    fixture.rank(0).step(0, 10'000, 1).kernel(100, 2345, "gemm").kernel(3000, 100, "relu");
    const RunPtr run = run_of({fixture.build()});
    const std::string page = to_html(page_report(run, {"kernels", "temporal-breakdown"}));
    check_page(page);
    CHECK(page_has(page, "data-v=\"2345\" title=\"2,345 ns\">2.35 \xC2\xB5s</td>"));
    CHECK(page_has(page, "<section id=\"kernels\">\n<h2>Kernels</h2>"));
    CHECK(page_has(page, "<section id=\"temporal-breakdown\">"));
    CHECK(page_has(page, "<svg "));
    CHECK(page_has(page, "One row per rank, class and full name."));
    CHECK(page_has(page, "All events, without a filter."));
    CHECK(page == to_html(page_report(run, {"kernels", "temporal-breakdown"})));
}

TEST_CASE("ranks that lost launches are in no share of the page's head, and alone they have none") {
    const auto rank_with = [](int number, int lost) {
        TraceFixture fixture;
        fixture.rank(number);
        for (int i = 0; i < 20; ++i) {
            fixture.launch(i * 100, 10, i + 1);
            if (i >= lost || i == 0) fixture.kernel(i * 100 + 20, 40, "gemm", 7, i + 1);
        }
        return fixture.build();
    };
    const std::string_view busy = "<span>compute</span>";
    const std::string both = to_html(page_report(run_of({rank_with(0, 0), rank_with(1, 15)}), {"temporal-breakdown"}));
    check_page(both);
    CHECK(page_has(both, "<b>41.2 %</b>" + std::string(busy)));
    CHECK_FALSE(page_has(to_html(page_report(run_of({rank_with(0, 15)}), {"temporal-breakdown"})), busy));
}

TEST_CASE("a page shows what its filter leaves, limits long lists of facts, and explains a missing change") {
    const RunPtr run = run_of_kernel("gemm");
    HtmlReport report = page_report(run, {"kernels"});
    report.filter = "name:zzzz";
    report.takes_nothing = true;
    for (int i = 0; i < 1000; ++i) report.runs.baseline.environment.push_back({"key " + std::to_string(i), "value"});
    const std::string page = to_html(report);
    check_page(page);
    CHECK(page_has(page, "No GPU event passes the filter."));
    CHECK(page_has(page, "940 more; lockstep info has all of them."));
    CHECK_FALSE(page_has(page, "key 60<"));
    report.runs.candidate.run = run.get();
    report.runs.candidate.doctor = *examine_run(*run, 1, {});
    report.parts.clear();
    report.no_change = "neither steps nor GPU events";
    CHECK(page_has(to_html(report), "<h2>What changed</h2>\n<p>neither steps nor GPU events</p>"));
}

TEST_CASE("names are text, whatever characters they contain") {
    const std::string long_name = std::string(5000, 'x') + "</td>";
    for (const std::string& name :
         {std::string("<script>alert(1)</script>"), std::string("a\"b'c&d<e>"), std::string("tab\there\x01\x1b[31m"),
          std::string("\xff\xfe broken \xc3"), std::string("\xed\xa0\x80 half a pair \xef\xbf\xbf"),
          std::string("\xe2\x80\xae turned"), long_name}) {
        CAPTURE(name);
        const RunPtr run = run_of_kernel(name);
        HtmlReport report = page_report(run, {"kernels", "kernel-imbalance"});
        report.filter = "name:" + name;
        report.runs.baseline.facts = {{name, name}};
        const std::string page = to_html(report);
        check_page(page);
        CHECK_FALSE(page_has(page, "<script>alert"));
        CHECK_FALSE(page_has(page, "\x1b"));
        CHECK(page.size() < 200'000);
    }
    const RunPtr run = run_of_kernel(long_name);
    const std::string page = to_html(page_report(run, {"kernels"}));
    CHECK(page_has(page, "title=\"" + std::string(5000, 'x') + "&lt;/td&gt;\""));
    CHECK(page_has(page, ">" + std::string(42, 'x') + "\xE2\x80\xA6"));
}

TEST_CASE("names with equal short forms stay distinct") {
    const ShortName first_word = [](std::string_view name) { return std::string(name.substr(0, name.find(' '))); };
    const std::vector<std::string> names = {"add one", "add two", "mul one", "mul one"};
    CHECK(brief_names(names, first_word, 20) == std::vector<std::string>{"add one", "add two", "mul", "mul"});
}

TEST_CASE("texts of a page") {
    CHECK(html_text("a<b>&\"'") == "a&lt;b&gt;&amp;&quot;&#39;");
    CHECK(html_text("two\nlines\r") == "two\nlines?");
    CHECK(html_text("\xef\xbf\xbe\xe2\x81\xa6") == "\xEF\xBF\xBD?");
    CHECK(cut_in_the_middle("abcdefghij", 7) == "abcd\xE2\x80\xA6ij");
    CHECK(cut_in_the_middle("\xC3\xA4\xC3\xB6\xC3\xBC", 3) == "\xC3\xA4\xC3\xB6\xC3\xBC");
    CHECK(cut_in_the_middle("", 3) == "");
    CHECK(coordinate(1.25) == "1.2");
    CHECK(coordinate(-0.01) == "0");
    CHECK(coordinate(1.0 / 0.0) == "0");
    CHECK(base64("") == "");
    CHECK(base64("f") == "Zg==");
    CHECK(base64("fo") == "Zm8=");
    CHECK(base64("foobar") == "Zm9vYmFy");
}

TEST_CASE("pages of an empty run, of one event and of a run without a GPU are valid") {
    TraceFixture nothing, one, cpu;
    one.rank(0).kernel(100, 1, "k");
    cpu.rank(0).step(0, 1000, 1).cpu(10, 20, "aten::mm");
    for (TraceFixture* fixture : {&nothing, &one, &cpu}) {
        const RunPtr run = run_of({fixture->build()});
        HtmlReport report = page_report(run, {});
        for (const Analysis& analysis : all_analyses()) report.parts.push_back(report_part(*run, analysis.id));
        check_page(to_html(report));
    }
    const RunPtr run = run_of_kernel("k");
    HtmlReport failed = page_report(run, {});
    failed.parts.push_back({find_analysis("kernels"), std::nullopt, std::nullopt, "no <such> thing"});
    failed.without_rows = {"Memory"};
    failed.picture_missing = "no display";
    const std::string page = to_html(failed);
    check_page(page);
    CHECK(page_has(page, "Failed: no &lt;such&gt; thing"));
    CHECK(page_has(page, "No rows: Memory."));
    CHECK(page_has(page, "No picture: no display"));
}

TEST_CASE("many ranks and kernels fit on one page") {
    std::vector<RankTracePtr> traces;
    for (int rank = 0; rank < 200; ++rank) {
        TraceFixture fixture;
        fixture.rank(rank).step(0, 10'000, 1);
        for (int k = 0; k < 50; ++k)
            fixture.kernel(100 + 90 * k, 10 + k + (rank == 7 ? k : 0), "kernel_" + std::to_string(k) + "_end");
        traces.push_back(fixture.build());
    }
    const RunPtr run = run_of(traces);
    const HtmlReport report = page_report(run, {"temporal-breakdown", "kernels", "steps", "kernel-imbalance"});
    const std::string page = to_html(report);
    check_page(page);
    CHECK(page.size() < 400'000);
    CHECK(page_has(page, "170 more rows; shown are those with most window"));
    CHECK(page_has(page, "Each bar is the mean of 4 neighbours."));
    CHECK(page_has(page, "The 16 largest of 50 names."));
    CHECK(count_in_page(page, "<tr>") <= 4 * 31);
}

TEST_CASE("a chart notes values without a part of their own") {
    TraceFixture fixture;
    fixture.rank(0).event(0, 10'000, "forward", "gpu_user_annotation", {"0", "7"}).arg(Arg::Stream, 7);
    for (int k = 0; k < 20; ++k)
        fixture.kernel(100 + 90 * k, 10, "kernel_" + std::string(1, static_cast<char>('a' + k)));
    const RunPtr run = run_of({fixture.build()});
    const std::string page = to_html(page_report(run, {"kernels-by-annotation"}));
    check_page(page);
    CHECK(page_has(page, "By kernel; 13 more are in (other)."));
}

TEST_CASE("a comparison shows both runs, the changes, and what only one run has") {
    TraceFixture before, after;
    before.rank(0).step(0, 10'000, 1).kernel(100, 2000, "gemm").kernel(3000, 100, "relu");
    after.rank(0).step(0, 11'000, 1).kernel(100, 2500, "gemm");
    const BySide<RunPtr> owned{run_of({before.build()}), run_of({after.build()})};
    const BySide<const Run*> runs{owned.baseline.get(), owned.candidate.get()};
    const RunAlignment alignment = align_runs(*runs.baseline, *runs.candidate);
    HtmlReport report;
    for (const Side side : kSides) {
        report.runs[side].run = runs[side];
        report.runs[side].doctor = *examine_run(*runs[side], 1, {});
    }
    for (const std::string_view id : {"kernels", "steps", "temporal-breakdown"}) {
        const Analysis& analysis = *find_analysis(id);
        Result<RunComparison> compared =
            compare_runs({&analysis, *make_params(analysis, {}), {}}, runs, alignment, 1, {});
        REQUIRE(compared);
        report.parts.push_back({&analysis, std::nullopt, *std::move(compared), {}});
    }
    const Result<BySide<Answer>> answers =
        ask_both_runs(*find_analysis("step-parts"), step_parts_params(true), {}, runs, 1, {});
    REQUIRE(answers);
    const Result<StepChange> change =
        build_step_change({}, {&answers->baseline, &answers->candidate}, true, runs, {}, alignment);
    REQUIRE(change);
    report.change = *change;
    const std::string page = to_html(report);
    check_page(page);
    CHECK(page_has(page, "<b>10.0 \xC2\xB5s</b><span>mean step, baseline</span>"));
    CHECK(page_has(page, "<b>11.0 \xC2\xB5s</b><span>mean step, candidate</span>"));
    CHECK(page_has(page, "<b>+1.00 \xC2\xB5s</b><span>change</span>"));
    CHECK(page_has(page, "<b>+10.0 %</b><span>of the baseline</span>"));
    CHECK(page_has(page, "title=\"baseline 2,000 ns, candidate 2,500 ns, change 500 ns, ratio "));
    CHECK(page_has(page, ">+500 ns</td>"));
    CHECK(page_has(page, "<td>removed</td>"));
    CHECK(page_has(page, "candidate, hatched"));
}
