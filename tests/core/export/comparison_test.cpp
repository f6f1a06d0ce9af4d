#include "core/export/comparison.hpp"

#include "core/analysis/catalogue/registry.hpp"
#include "core/export/csv.hpp"
#include "core/query/filter_text.hpp"
#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace core;
using namespace core::testing;
using Json = nlohmann::json;

namespace {

// Ranks 0 (both runs) and 1 (candidate only); gemm takes 2 us, then 2.5 us; relu is removed.
BySide<RunPtr> runs() {
    TraceFixture baseline;
    baseline.rank(0).step(0, 10'000, 1).kernel(100, 2000, "gemm").kernel(3000, 100, "relu");
    TraceFixture candidate;
    candidate.rank(0).step(50, 10'000, 1).kernel(100, 2500, "gemm");
    TraceFixture more;
    more.rank(1).step(0, 10'000, 1).kernel(100, 10, "gemm");
    return {run_of({baseline.build()}), run_of({candidate.build(), more.build()})};
}

struct Compared {
    BySide<RunPtr> owned = runs();
    BySide<const Run*> runs_of{owned.baseline.get(), owned.candidate.get()};
    DiffQuery query{find_analysis("kernels"), {}, *parse_filter("class:compute"), NameMatching::Exact};
    RunAlignment alignment = align_runs(*runs_of.baseline, *runs_of.candidate);
    RunComparison result;

    Compared() {
        Result<RunComparison> compared = compare_runs(query, runs_of, alignment, 1, {});
        REQUIRE(compared);
        result = *std::move(compared);
    }
};

}  // namespace

TEST_CASE("text has the keys, the complete lead measure, signed changes, then the notes") {
    const Compared compared;
    CHECK(to_text(compared.result.comparison, 105) ==
          "rank  class    kernel  presence  total.baseline  total.candidate  total.change  total.ratio  count.change\n"
          "   0  compute  gemm    both             2.00 \xc2\xb5s          2.50 \xc2\xb5s       +500 ns      125.0 %"
          "             0\n"
          "   0  compute  relu    removed           100 ns                -             -            -             -\n"
          "   1  compute  gemm    added                  -            10 ns             -            -             -\n"
          "note: rank only in the candidate: 1\n");
}

TEST_CASE("a presence column that is both everywhere is omitted") {
    const Compared compared;
    const RunAlignment self = align_runs(*compared.runs_of.baseline, *compared.runs_of.baseline);
    const Result<RunComparison> same =
        compare_runs(compared.query, {compared.runs_of.baseline, compared.runs_of.baseline}, self, 1, {});
    REQUIRE(same);
    CHECK(to_text(same->comparison, 0).find("presence") == std::string::npos);
}

TEST_CASE("text fits the terminal: changes that do not fit are dropped, names are cut") {
    const Compared compared;
    const std::string wide = to_text(compared.result.comparison, 300);
    CHECK(wide.find("stddev.change") != std::string::npos);
    CHECK(wide.find("share.change") != std::string::npos);
    const std::string narrow = to_text(compared.result.comparison, 95);
    CHECK(narrow.find("count.change") == std::string::npos);
    CHECK(narrow.find("total.ratio") != std::string::npos);
    Table table(
        {{"kernel", Unit::Text, Role::Key, Facet::Kernel, {}}, {"total", Unit::Ns, Role::Measure, Facet::None, {}}});
    const std::string long_name(300, 'k');
    table.add_row({std::string_view(long_name), std::int64_t{5}});
    const std::string cut = to_text(compare_tables({&table, &table}, {}, {}, {}), 100);
    CHECK(cut.find('\n') <= 102);
    CHECK(cut.find("\xe2\x80\xa6") != std::string::npos);
}

TEST_CASE("JSON has both runs, their alignment and every column") {
    const Compared compared;
    const std::string text = to_json(compared.query, compared.runs_of, compared.alignment, compared.result);
    const Json json = Json::parse(text);
    CHECK(text.starts_with("{\"schema\": \"lockstep.table/1\",\n \"lockstep\": "));
    CHECK(json["analysis"] == "kernels");
    CHECK(json["baseline"] == "fixture");
    CHECK(json["candidate"] == "fixture");
    CHECK(json["filter"] == "class:compute");
    CHECK(json["names"] == "exact");
    CHECK(json["params"].empty());
    CHECK(json["alignment"]["ranks"] == Json::parse("[[0, 0]]"));
    CHECK(json["alignment"]["steps"] == Json::parse("[[1, 1]]"));
    CHECK(json["alignment"]["steps_by_number"] == true);
    CHECK(json["alignment"]["anchor"] == Json::parse(R"({"baseline": 0, "candidate": 0})"));
    CHECK(json["notes"] == Json::parse(R"(["rank only in the candidate: 1"])"));
    REQUIRE(json["columns"].size() == 3 + 1 + 4 * 7);
    CHECK(json["columns"][3]["id"] == "presence");
    CHECK(json["columns"][3]["role"] == "info");
    CHECK(json["columns"][8]["id"] == "total.baseline");
    CHECK(json["columns"][8]["unit"] == "ns");
    CHECK(json["total_rows"] == 3);
    REQUIRE(json["rows"].size() == 3);
    CHECK(json["rows"][0][8] == 2000);
    CHECK(json["rows"][0][10] == 500);
    CHECK(json["rows"][1][9].is_null());
    CHECK(json["rows"][1][10].is_null());
    CHECK(json["excluded"].empty());
    CHECK(json["diagnostics"].is_array());
}

TEST_CASE("exclusions and diagnostics have their side") {
    Compared compared;
    compared.result.answers.candidate.excluded.push_back({"GPU events that belong to no step", 3});
    RunParts parts = compared.owned.baseline->parts();
    parts.diagnostics.add("duplicate-step", "ProfilerStep#1");
    const Run damaged(parts);
    const BySide<const Run*> damaged_runs{&damaged, compared.runs_of.candidate};
    const Json json = Json::parse(to_json(compared.query, damaged_runs, compared.alignment, compared.result));
    CHECK(json["excluded"] ==
          Json::parse(R"([{"side": "candidate", "what": "GPU events that belong to no step", "count": 3}])"));
    REQUIRE(json["diagnostics"].size() == 1);
    CHECK(json["diagnostics"][0]["side"] == "baseline");
    CHECK(json["diagnostics"][0]["kind"] == "duplicate-step");
}

TEST_CASE("CSV headers of a comparison have units") {
    const Compared compared;
    const std::string csv = to_csv(compared.result.comparison.table);
    CHECK(
        csv.starts_with("rank,class,kernel,presence,count.baseline,count.candidate,count.change,count.ratio,"
                        "total.baseline_ns,total.candidate_ns,total.change_ns,total.ratio,"));
    CHECK(csv.find("\n0,compute,relu,removed,1,,,,100,,,,") != std::string::npos);
}
