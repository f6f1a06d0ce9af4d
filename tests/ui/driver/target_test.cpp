#include "ui/driver/target.hpp"
#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace {

using core::testing::run_of;
using core::testing::TraceFixture;
using nlohmann::json;

std::vector<ui::Item> items_of(std::initializer_list<const char*> paths) {
    std::vector<ui::Item> items;
    for (const char* const path : paths) items.push_back({path, {0, 0}, {10, 10}, true, false});
    return items;
}

std::string error_of(const std::vector<ui::Item>& items, std::string_view path) {
    const auto item = ui::find_item(items, path);
    return item ? "found " + item->path : item.error().message;
}

core::RunPtr two_ranks() {
    std::vector<core::RankTracePtr> traces;
    for (int rank = 0; rank < 2; ++rank)
        traces.push_back(TraceFixture()
                             .kernel(300, 10, "gemm", 7)
                             .kernel(100, 10, "gemm", 20)
                             .kernel(200, 10, "gemm_large", 7)
                             .rank(rank + 3)
                             .build());
    return run_of(traces);
}

constexpr core::RunRange kEverything{core::RunTime{core::Duration{0}}, core::RunTime{core::Duration{1000}}};

std::string found(const ui::NamedEvent& named, core::RunRange visible = kEverything) {
    const core::RunPtr run = two_ranks();
    const auto event = ui::find_named_event(*run, named, visible);
    if (!event) return event.error().message;
    const core::RankSlot& rank = run->rank(event->slot);
    return core::format_rank(rank.key) + "/" +
           std::to_string(rank.range_of(event->event).begin.time_since_epoch().count());
}

}  // namespace

TEST_CASE("a target is a path, with a point inside if two shares follow the last @") {
    CHECK(ui::Target("top/filter").item == "top/filter");
    const ui::Target point("timeline/plot@0.5,0.25");
    CHECK(point.item == "timeline/plot");
    CHECK(point.at.x == 0.5f);
    CHECK(point.at.y == 0.25f);
    CHECK(ui::Target("row:a@b").item == "row:a@b");
    CHECK(ui::Target("row:a@0.5").item == "row:a@0.5");
    CHECK(ui::Target("row:a@2,0").item == "row:a@2,0");
}

TEST_CASE("a target in a script is text or a named event and nothing else") {
    const auto event = ui::read_target(json::parse(R"({"event": "gemm", "rank": 3, "nth": 2, "visible": true})"));
    REQUIRE(event);
    REQUIRE(event->event);
    CHECK(event->event->name == "gemm");
    CHECK(event->event->rank == "3");
    CHECK(event->event->nth == 2);
    CHECK(event->event->only_visible);
    for (const char* const text : {"5", "{}", R"({"event": 5})", R"({"event": "a", "rnk": 3})",
                                   R"({"event": "a", "nth": -1})", R"({"event": "a", "visible": 1})"}) {
        INFO(text);
        CHECK_FALSE(ui::read_target(json::parse(text)));
    }
}

TEST_CASE("an item is found by its path or by last parts that only it has") {
    const auto items = items_of({"top/filter", "left/kernels/search", "left/kernels/row:1", "right/steps/row:1"});
    CHECK(error_of(items, "top/filter") == "found top/filter");
    CHECK(error_of(items, "search") == "found left/kernels/search");
    CHECK(error_of(items, "kernels/row:1") == "found left/kernels/row:1");
    CHECK(error_of(items, "row:1") == "'row:1' may be any of: left/kernels/row:1, right/steps/row:1");
    CHECK(error_of(items, "earch") == "no item 'earch'; near: left/kernels/search");
    CHECK(error_of(items, "kernels/serch") == "no item 'kernels/serch'; near: left/kernels/search");
    CHECK(error_of(items, "nothing like it") == "no item 'nothing like it'");
    CHECK(error_of({}, "top") == "no item 'top'");
}

TEST_CASE("near names come likest first, once each, three at most") {
    const std::vector<std::string> names = {"a/b/kernel", "kernels", "kernels", "krnls", "kernals", "kern", "x"};
    CHECK(ui::find_near("kernels", names) == std::vector<std::string>{"kernels", "a/b/kernel", "kernals"});
}

TEST_CASE("an event is found by its whole name, else by a part of it, in order of start") {
    CHECK(found({"gemm"}) == "3/100");
    CHECK(found({"gemm", "4", 1}) == "4/300");
    CHECK(found({"_large"}) == "3/200");
    const core::RunRange late{core::RunTime{core::Duration{250}}, core::RunTime{core::Duration{400}}};
    CHECK(found({"gemm", "", 0, true}, late) == "3/300");
}

TEST_CASE("an event that is not there is missed with what there is") {
    CHECK(found({"gemm", "7"}) == "no rank 7");
    CHECK(found({"gemm", "3", 5}) == "no event 'gemm' number 5 of rank 3: there are 2");
    CHECK(found({"gemm_lrge"}) == "no event 'gemm_lrge'; near: gemm_large");
}
