#include "core/export/json.hpp"

#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/trace_fixture.hpp"

#include <nlohmann/json.hpp>

using namespace core;
using namespace core::testing;
using Json = nlohmann::json;

namespace {

Json json_of(const Run& run, std::string_view id, std::string_view filter_text = "") {
    const Analysis& analysis = *find_analysis(id);
    const Filter filter = *parse_filter(filter_text);
    const Params params = *make_params(analysis, {});
    return Json::parse(to_json(analysis, run, filter, params, answer_of(run, id, filter_text)));
}

}  // namespace

TEST_CASE("an answer is the documented JSON object, beginning with schema, version and the command that repeats it") {
    const RunPtr run = run_of({TraceFixture().kernel(0, 30, "gemm").kernel(50, 10, "ncclAllReduce", 8).build()});
    const Analysis& analysis = *find_analysis("temporal-breakdown");
    const std::string text =
        to_json(analysis, *run, *parse_filter("rank:0"), {0}, answer_of(*run, "temporal-breakdown", "rank:0"),
                {.command = "lockstep analyze x", .sources = "\"files\": []"});
    CHECK(text.starts_with("{\"schema\": \"lockstep.table/1\",\n \"lockstep\": \""));
    const Json json = Json::parse(text);
    CHECK(json["analysis"] == "temporal-breakdown");
    CHECK(json["run"] == "fixture");
    CHECK(json["filter"] == "rank:0");
    CHECK(json["params"] == Json{{"window", "gpu"}});
    CHECK(json["command"] == "lockstep analyze x");
    CHECK(json["files"].is_array());
    CHECK(json["columns"][0]["id"] == "rank");
    CHECK(json["columns"][0]["unit"] == "rank");
    CHECK(json["columns"][0]["role"] == "key");
    CHECK(json["columns"][1]["meaning"] == analysis.columns()[1].meaning);
    CHECK(json["total_rows"] == 1);
    CHECK(json["truncated"] == false);
    CHECK(json["notes"].is_array());
    CHECK(json["rows"] == Json::array({Json::array({0, 60, 30, 10, 0, 20, nullptr, nullptr, nullptr})}));
    CHECK(json["diagnostics"].is_array());
    CHECK(json["excluded"].is_array());
    CHECK_FALSE(json.contains("tables"));
    CHECK_FALSE(json.contains("series"));
}

TEST_CASE("absent cells are null and ratios plain numbers") {
    const RunPtr run = run_of({TraceFixture().kernel(0, 30, "gemm").build(), TraceFixture().build()});
    const Json rows = json_of(*run, "overlap")["rows"];
    CHECK(rows[0] == Json::array({0, 0, 0, 0, nullptr, nullptr, 0, 0, 0, 0, nullptr}));
    CHECK(rows[1] ==
          Json::array({1, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr}));
    CHECK(json_of(*run, "kernels")["rows"][0].back() == 1.0);
}

TEST_CASE("the second file of a rank has a text as its rank, the first a number") {
    RunParts parts =
        run_of({TraceFixture().kernel(0, 3, "a").build(), TraceFixture().kernel(0, 4, "a").build()})->parts();
    parts.ranks[0].key = {3, 0};
    parts.ranks[1].key = {3, 1};
    const Json rows = json_of(Run(parts), "temporal-breakdown")["rows"];
    CHECK(rows[0][0] == 3);
    CHECK(rows[1][0] ==
          "3\xc2\xb7"
          "b");
}

TEST_CASE("diagnostics have kind, count and first example, with meanings on request") {
    Diagnostics diagnostics;
    diagnostics.add("rank-guessed", "worker3.json: from the \"file\" name", 2);
    const Json plain = Json(json_diagnostics(diagnostics));
    CHECK(plain ==
          Json::array({{{"kind", "rank-guessed"}, {"count", 2}, {"first", "worker3.json: from the \"file\" name"}}}));
    const Json full = Json(json_diagnostics(diagnostics, true));
    CHECK(full[0]["severity"] == "guess");
    CHECK(full[0]["meaning"].get<std::string>().size() > 10);
}

TEST_CASE("further tables, series and marks follow the main table") {
    const RunPtr run = run_of({TraceFixture().kernel(100, 30, "gemm").build()});
    Answer answer;
    answer.tables = {{"main", Table({{"rank", Unit::Rank, Role::Key, Facet::Rank, ""}})},
                     {"per_stream", Table({{"mean", Unit::Number, Role::Measure, Facet::None, ""}})}};
    answer.tables[1].table.add_row({2.5});
    answer.series = {{"queue", 0, Unit::Count, {run_time(100), run_time(110)}, {1, 2.5}}};
    answer.marks = {{{0, EventId{0}}, "path"}};
    const Json json = Json::parse(to_json(*find_analysis("kernels"), *run, {}, {}, answer));
    CHECK(json["tables"]["per_stream"]["rows"] == Json::array({Json::array({2.5})}));
    CHECK(json["series"][0]["time"] == Json::array({0, 10}));
    CHECK(json["series"][0]["value"] == Json::array({1, 2.5}));
    CHECK(json["marks"][0] == Json{{"rank", 0}, {"event", 0}, {"label", "path"}});
}

TEST_CASE("a name that is not UTF-8 gives valid JSON") {
    CHECK(Json::parse(json_text("bad\xff\"quote\n")) == "bad\xef\xbf\xbd\"quote\n");
}
