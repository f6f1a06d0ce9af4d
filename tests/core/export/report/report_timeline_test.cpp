// Contents of a report's timeline: shares per bucket, the longest events, steps; bounded and without markup.

#include "core/export/report/report_timeline.hpp"

#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/trace_fixture.hpp"

#include <nlohmann/json.hpp>

using namespace core;
using namespace core::testing;
using Json = nlohmann::json;

namespace {

std::string text_of(const Run& run, const TimelineLimits& limits, const Filter& filter = {}) {
    const Result<std::string> text = timeline_to_json(run, filter, {}, limits, {});
    REQUIRE(text);
    return *text;
}

}  // namespace

TEST_CASE("shares are of each bucket, events of the window, and times count from its begin") {
    const RunPtr run = run_of({TraceFixture()
                                   .step(1000, 60, 7)
                                   .kernel(1000, 30, "gemm")
                                   .kernel(1050, 10, "ncclDevKernel_AllReduce", 8)
                                   .build()});
    const Json json = Json::parse(text_of(*run, {.buckets = 6}));
    CHECK(json["span"] == 60);
    const std::string compute("\xff\0\0", 3), idle(3, '\0'), communication("\0\xff\0", 3);
    CHECK(json["ranks"][0]["shares"] == base64(compute + compute + compute + idle + idle + communication));
    CHECK(json["ranks"][0]["events"] == Json::parse("[[0, 30, 0, 0], [50, 10, 1, 1]]"));
    CHECK(json["names"] == Json::array({"gemm", "ncclDevKernel_AllReduce"}));
    CHECK(json["steps"] == Json::parse("[[0, 60, 7]]"));
    CHECK(json["said"] == "1 rank; 2 GPU events");
}

TEST_CASE("the longest events are kept and the first ranks, and the timeline says so") {
    const RunPtr run = run_of({TraceFixture().rank(0).kernel(0, 5, "short").kernel(10, 50, "long").build(),
                               TraceFixture().rank(1).kernel(0, 9, "other").build()});
    const Json json = Json::parse(text_of(*run, {.ranks = 1, .events = 1}));
    REQUIRE(json["ranks"].size() == 1);
    CHECK(json["ranks"][0]["events"] == Json::parse("[[10, 50, 0, 0]]"));
    CHECK(json["names"] == Json::array({"long"}));
    CHECK(json["said"] == "The first 1 of 2 ranks; the 1 longest of 2 GPU events; the strips show all");
}

TEST_CASE("texts of traces are neither markup nor of any size") {
    const RunPtr run = run_of({TraceFixture()
                                   .kernel(0, 5, "</script><b>&amp; \xE2\x80\xAE")
                                   .kernel(10, 5, std::string(100'000, 'x'))
                                   .kernel(20, 5, "third")
                                   .build()});
    const std::string text = text_of(*run, {.name_bytes = 130});
    CHECK(text.find_first_of("<>&") == std::string::npos);
    CHECK(std::ranges::all_of(text, [](char c) { return c > 0; }));
    const Json json = Json::parse(text);
    CHECK(json["names"][0] == "</script><b>&amp; \xE2\x80\xAE");
    CHECK(json["names"][1].get<std::string>().size() < 200);
    CHECK(json["names"][2] == "(name left out)");
    CHECK(timeline_to_html(text, "<i>").find("<i>") == std::string::npos);
}

TEST_CASE("a run without GPU work has no timeline; a cancelled one is an error") {
    CHECK(text_of(*run_of({TraceFixture().step(0, 10, 1).build()}), {}).empty());
    CHECK(timeline_to_html("", "x").empty());
    const RunPtr run = run_of({TraceFixture().kernel(0, 5, "a").build()});
    std::stop_source stop;
    stop.request_stop();
    CHECK_FALSE(timeline_to_json(*run, {}, {}, {}, {.stop = stop.get_token()}));
}
