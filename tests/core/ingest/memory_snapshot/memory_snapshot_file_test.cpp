#include "core/ingest/memory_snapshot/memory_snapshot_file.hpp"

#include "core/store/memory_names.hpp"
#include "tests/core/ingest/load/malformed_fixture.hpp"
#include "tests/core/ingest/memory_snapshot/snapshot_fixture.hpp"

#include <doctest/doctest.h>

#include <map>

using namespace core;
using namespace core::testing;

namespace {

RankTracePtr load_snapshot(const nlohmann::json& snapshot) {
    const Result<RankTracePtr> trace = load_text(pickled(snapshot), "memory_rank3.pickle");
    REQUIRE_MESSAGE(trace.has_value(), (trace ? "" : trace.error().message));
    return *trace;
}

SnapshotFixture small_history() {
    SnapshotFixture fixture;
    fixture.segment(0x10000, 8192).older(0x10000, 1000, "load").older(0x10400, 300, "warm_up");
    fixture.alloc(0x10800, 700, "forward").free(0x10400).give_segment(0x40000, 4096);
    fixture.alloc(0x40000, 4000, "backward");
    return fixture;
}

std::string changes_of(const RankTrace& trace) {
    std::string text;
    for (std::uint32_t i = 0; i < trace.size(); ++i) {
        const EventId e{i};
        if (trace.name_text(e) != kMemoryEvent) continue;
        text += std::to_string(*trace.integer(Arg::Bytes, e)) + " " +
                std::to_string(trace.integer(Arg::TotalAllocated, e).value_or(-1)) + " " +
                std::to_string(trace.integer(Arg::TotalReserved, e).value_or(-1)) + "; ";
    }
    return text;
}

}  // namespace

TEST_CASE("totals begin with what the blocks at the end have and the history does not explain") {
    const RankTracePtr trace = load_snapshot(small_history().build());
    CHECK(trace->info.trace_name == kMemorySnapshotTrace);
    CHECK(trace->diagnostics.empty());
    CHECK(changes_of(*trace) == "700 2000 8192; -300 1700 8192; 4000 5700 12288; ");
    CHECK(trace->info.records.total == 5 + 2 + 5);  // events, a request, segments, blocks in use and free
}

TEST_CASE("a call stack is one line without native frames, and packages keep their path") {
    const RankTracePtr trace = load_snapshot(small_history().build());
    for (std::uint32_t i = 0; i < trace->size(); ++i) {
        const EventId e{i};
        if (trace->integer(Arg::Bytes, e) != 700) continue;
        CHECK(trace->argument(Arg::CallStack, e) == "_call_impl (torch/nn/module.py:17) < forward (model.py:5)");
        return;
    }
    FAIL("no such allocation");
}

TEST_CASE("a deep call stack keeps its nearest frame of user code, and a backward operation stands for its thread") {
    nlohmann::json snapshot = small_history().build();
    nlohmann::json deep = nlohmann::json::array();
    for (int i = 0; i < 60; ++i)
        deep.push_back({{"name", "f"}, {"filename", "/env/site-packages/torch/x.py"}, {"line", 1}});
    deep.push_back({{"name", "train"}, {"filename", "/home/me/train.py"}, {"line", 7}});
    deep.push_back({{"name", "_bootstrap"}, {"filename", "/usr/lib/python3.11/threading.py"}, {"line", 9}});
    const nlohmann::json backward =
        nlohmann::json::array({{{"name", "torch::autograd::generated::MulBackward0::apply(std::vector<at::Tensor>&&)"},
                                {"filename", "??"},
                                {"line", 0}}});
    const auto add = [&](std::int64_t address, std::int64_t bytes, const nlohmann::json& frames) {
        snapshot["device_traces"][0].push_back({{"action", "alloc"},
                                                {"addr", address},
                                                {"size", bytes},
                                                {"time_us", kSnapshotBeginUs + 99},
                                                {"frames", frames}});
    };
    add(1, 901, deep);
    add(2, 902, backward);
    const RankTracePtr trace = load_snapshot(snapshot);
    std::map<std::int64_t, std::string> sites;
    for (std::uint32_t i = 0; i < trace->size(); ++i) {
        const std::int64_t bytes = trace->integer(Arg::Bytes, EventId{i}).value_or(0);
        if (bytes == 901 || bytes == 902) sites[bytes] = trace->argument(Arg::CallStack, EventId{i}).value_or("");
    }
    CHECK(sites[901].ends_with("f (torch/x.py:1) < \u2026 < train (train.py:7)"));
    CHECK(sites[902] == "MulBackward0 (autograd)");
}

TEST_CASE("events of a snapshot without times keep their order, and that is said") {
    const RankTracePtr trace = load_snapshot(small_history().without_times().build());
    CHECK(trace->diagnostics.count("snapshot-without-times") == 5);
    CHECK(changes_of(*trace) == "700 2000 8192; -300 1700 8192; 4000 5700 12288; ");
}

TEST_CASE("a history that frees more than there can have been has no totals") {
    nlohmann::json snapshot = small_history().build();
    snapshot["device_traces"][0].push_back(
        {{"action", "alloc"}, {"addr", 1}, {"size", 1'000'000}, {"time_us", kSnapshotBeginUs + 99}});
    const RankTracePtr trace = load_snapshot(snapshot);
    CHECK(trace->diagnostics.count("snapshot-differs") == 1);
    CHECK(changes_of(*trace) == "700 -1 -1; -300 -1 -1; 4000 -1 -1; 1000000 -1 -1; ");
}

TEST_CASE("a snapshot of segments alone opens") {
    SnapshotFixture fixture;
    fixture.segment(0x10000, 8192).older(0x10000, 1000, "load");
    const RankTracePtr trace = load_snapshot(fixture.build());
    CHECK(trace->info.records.total == 3);
    CHECK(trace->diagnostics.empty());
}

TEST_CASE("what a snapshot lacks or has wrong is dropped and counted, and the rest opens") {
    const auto with = [](const std::function<void(nlohmann::json&)>& change) {
        nlohmann::json snapshot = small_history().build();
        change(snapshot);
        return describe(*load_snapshot(snapshot));
    };
    using Json = nlohmann::json;
    CHECK(with([](Json&) {}) == "opens: 12 events of 12 records");
    CHECK(with([](Json& s) { s["device_traces"][0][0].erase("size"); }) ==
          "opens: 11 events of 12 records, 1 dropped; event-malformed");
    CHECK(with([](Json& s) { s["device_traces"][0][0]["action"] = "dance"; }) ==
          "opens: 11 events of 12 records, 1 dropped; event-malformed");
    CHECK(with([](Json& s) { s["device_traces"][0][0]["addr"] = -5; }) ==
          "opens: 11 events of 12 records, 1 dropped; event-malformed");
    CHECK(with([](Json& s) { s["device_traces"][0] = "text"; }) == "opens: 7 events of 7 records");
    CHECK(with([](Json& s) {
              s["segments"][0]["device"] = "zero";
          }).starts_with("opens: 7 events of 8 records, 1 dropped; event-malformed"));
    CHECK(with([](Json& s) {
              s["segments"][0]["blocks"][0]["size"] = 9e99;
          }).starts_with("opens: 11 events of 12 records, 1 dropped; event-malformed"));
    const auto annotate = [](Json& s, std::string_view stage) {
        s["external_annotations"] = Json::array(
            {{{"stage", std::string(stage)}, {"name", "step"}, {"device", 0}, {"time_us", kSnapshotBeginUs}}});
    };
    CHECK(with([&](Json& s) { annotate(s, "START"); }) == "opens: 13 events of 14 records; begin-without-end");
    CHECK(with([&](Json& s) { annotate(s, "END"); }) == "opens: 12 events of 13 records, 1 dropped; event-malformed");
    CHECK(with([](Json& s) {
              s["external_annotations"] = Json::array({{{"stage", "START"}}, 5});
          }) == "opens: 12 events of 14 records, 2 dropped; event-malformed x2");
}

TEST_CASE("annotations of a snapshot are ranges") {
    nlohmann::json snapshot = small_history().build();
    snapshot["external_annotations"] =
        nlohmann::json::array({{{"stage", "START"}, {"name", "step"}, {"device", 0}, {"time_us", kSnapshotBeginUs}},
                               {{"stage", "END"}, {"name", "step"}, {"device", 0}, {"time_us", kSnapshotBeginUs + 7}}});
    const RankTracePtr trace = load_snapshot(snapshot);
    for (std::uint32_t i = 0; i < trace->size(); ++i)
        if (trace->name_text(EventId{i}) == "step") {
            CHECK(trace->duration[i] == Duration{7000});
            return;
        }
    FAIL("no range");
}

TEST_CASE("a snapshot whose lists or entries are shared is refused, as it could expand without limit") {
    const auto refusal = [](const std::string& snapshot) {
        const Result<RankTracePtr> trace = load_text("\x80\x02" + snapshot + ".", "memory_rank3.pickle");
        REQUIRE_FALSE(trace.has_value());
        return trace.error().message;
    };
    const auto key = [](std::string_view name) { return pickle_of_text(name); };
    const std::string event = pickle_value({{"action", "alloc"}, {"addr", 512}, {"size", 8}});
    const std::string keep = "q\x01", again = "h\x01";  // memo 1
    const std::string shared_list = "}(" + key("device_traces") + "](](" + event + "e" + keep + again + again + "eu";
    CHECK(refusal(shared_list).find("the history of device 1 stands in two places") != std::string::npos);
    const std::string shared_event = "}(" + key("device_traces") + "](](" + event + keep + again + "eeu";
    CHECK(refusal(shared_event).find("event 1 stands in two places") != std::string::npos);
    const std::string block = pickle_value({{"size", 512}, {"state", "inactive"}});
    const std::string segment_head =
        "}(" + key("device") + "K\x01" + key("address") + "K\x01" + key("total_size") + "K\x01" + key("blocks");
    const std::string shared_blocks =
        "}(" + key("segments") + "](" + segment_head + "](" + block + "e" + keep + "u" + segment_head + again + "ueu";
    CHECK(refusal(shared_blocks).find("the list of blocks of segment 1 stands") != std::string::npos);
}

TEST_CASE("a pickle that only looks like a snapshot is refused by name") {
    const Result<RankTracePtr> trace = load_text(pickled({{"note", "segments total_size"}}), "memory_rank3.pickle");
    REQUIRE_FALSE(trace.has_value());
    CHECK(trace.error().message.find("not a complete memory snapshot") != std::string::npos);
}

TEST_CASE("counters are named after their GPU and, where it is known, the private pool") {
    SnapshotFixture fixture;
    fixture.segment(0x10000, 8192).alloc(0x10000, 1000, "forward");
    fixture.in_pool({0, 1}).give_segment(0x40000, 4096).alloc(0x40000, 700, "graph").free(0x40000);
    const RankTracePtr trace = load_snapshot(fixture.build());
    std::vector<std::string> names;
    for (const CounterTrack& counter : trace->counters) names.push_back(std::string(trace->text(counter.name)));
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    CHECK(names == std::vector<std::string>{"GPU 0 memory (bytes)", "GPU 0 memory, private pool 0.1 (bytes)"});
}
