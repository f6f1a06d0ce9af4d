#include "core/ingest/flight_recorder/flight_recorder_file.hpp"

#include "core/store/flight_names.hpp"
#include "tests/core/ingest/flight_recorder/flight_fixture.hpp"
#include "tests/core/ingest/load/malformed_fixture.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <set>
#include <string>

using namespace core;
using namespace core::testing;
using Json = nlohmann::json;

namespace {

RankTracePtr load_dump(const std::string& bytes) {
    const Result<RankTracePtr> trace = load_text(bytes, "rank_3");
    REQUIRE_MESSAGE(trace.has_value(), (trace ? "" : trace.error().message));
    return *trace;
}

Json two_calls() {
    return FlightFixture()
        .group("0", "[0, 1, 3]")
        .call({.number = 1, .state = "completed", .at = 0})
        .call({.number = 2, .state = "scheduled", .at = 30, .elements = 5})
        .call({.number = 3, .state = "started", .at = 100})
        .build();
}

EventId find_call(const RankTrace& trace, std::int64_t number) {
    for (std::uint32_t i = 0; i < trace.size(); ++i)
        if (trace.integer(Arg::Seq, EventId{i}) == number) return EventId{i};
    FAIL("no such call");
    return kNoEvent;
}

// The dump with one entry changed.
std::string refusal_or_facts(const std::function<void(Json&)>& change) {
    Json dump = two_calls();
    change(dump);
    return describe(*load_dump(pickled(dump)));
}

}  // namespace

TEST_CASE("an entry lasts from its creation to its completion, a pending one to the end of the dump") {
    const RankTracePtr trace = load_dump(pickled(two_calls()));
    REQUIRE(trace->size() == 3);
    CHECK(trace->info.trace_name == kFlightRecorderTrace);
    CHECK(trace->info.world_size == 3);
    CHECK(trace->info.groups.size() == 1);
    CHECK(trace->info.records.total == 6);
    CHECK(trace->diagnostics.empty());
    const auto facts = [&](std::int64_t number) {
        const EventId e = find_call(*trace, number);
        return std::string(trace->category_text(e)) + " " +
               std::to_string(ns_of(trace->start[index_of(e)]) - kFlightBegin) + " " +
               std::to_string(trace->duration[index_of(e)].count());
    };
    CHECK(facts(1) == "flight_recorder 0 50");
    CHECK(facts(2) == "flight_recorder_scheduled 30 80");
    CHECK(facts(3) == "flight_recorder_started 100 10");
}

TEST_CASE("the parts of a batch have the state and the end of the entry that closes it") {
    const auto load_batch = [](const std::string& state) {
        FlightFixture dump;
        dump.group("0", "[0, 1]");
        const auto add = [&](const char* operation, std::int64_t at, const std::string& is) {
            dump.call({.number = 4, .state = is, .at = at, .operation = operation, .is_peer_to_peer = true});
        };
        add("nccl:send 0->1", 10, "scheduled");
        add("nccl:recv 0<-1", 20, "scheduled");
        add("nccl:coalesced", 30, state);
        dump.call({.number = 4, .at = 100});  // a collective of that number is no part of it
        return load_dump(pickled(dump.build()));
    };
    const auto facts = [](const RankTracePtr& trace) {
        std::multiset<std::string> all;
        for (std::uint32_t i = 0; i < trace->size(); ++i)
            all.insert(std::string(trace->category_text(EventId{i})) + " " +
                       std::to_string(ns_of(trace->range(EventId{i}).end) - kFlightBegin));
        return all;
    };
    using Facts = std::multiset<std::string>;
    CHECK(facts(load_batch("completed")) ==
          Facts{"flight_recorder 80", "flight_recorder 80", "flight_recorder 80", "flight_recorder_scheduled 100"});
    CHECK(facts(load_batch("started")) == Facts{"flight_recorder_scheduled 100", "flight_recorder_started 100",
                                                "flight_recorder_started 100", "flight_recorder_started 100"});
}

TEST_CASE("the facts of an entry are arguments, and all of it is kept as text") {
    const RankTracePtr trace = load_dump(pickled(two_calls()));
    const EventId e = find_call(*trace, 2);
    CHECK(trace->name_text(e) == "nccl:all_reduce");
    CHECK(trace->argument(Arg::CollectiveName, e) == "all_reduce");
    CHECK(trace->argument(Arg::CollectiveDtype, e) == "Float");
    CHECK(trace->argument(Arg::GroupRanks, e) == "[0, 1, 3]");
    CHECK(trace->argument(Arg::GroupDescription, e) == "group_0");
    CHECK(trace->integer(Arg::GroupSize, e) == 3);
    CHECK(trace->integer(Arg::InElements, e) == 5);
    CHECK(trace->integer(Arg::IsPeerToPeer, e) == 0);
    const Json text = Json::parse(trace->event_text(e)->arguments);
    CHECK(text["frames"][0]["line"] == 42);
    CHECK(text["timeout_ms"] == 600000);
    CHECK(trace->track_of(e).kind == TrackKind::Async);
    CHECK(trace->text(trace->track_of(e).name) == "group_0 0");
}

TEST_CASE("JSON with zeros for times that were not and texts for numbers is the same dump as the pickle") {
    Json dump = two_calls();
    const RankTracePtr pickle = load_dump(pickled(dump));
    for (Json& entry : dump["entries"])
        for (const char* key : {"time_discovered_started_ns", "time_discovered_completed_ns"})
            if (entry[key].is_null()) entry[key] = 0;
    for (auto& [id, status] : dump["pg_status"].items())
        for (auto& [key, value] : status.items()) value = std::to_string(value.get<std::int64_t>());
    const RankTracePtr json = load_dump(dump.dump());
    REQUIRE(json->size() == pickle->size());
    for (std::uint32_t i = 0; i < json->size(); ++i) {
        CHECK(json->range(EventId{i}) == pickle->range(EventId{i}));
        CHECK(json->category_text(EventId{i}) == pickle->category_text(EventId{i}));
        CHECK(json->argument(Arg::GroupName, EventId{i}) == pickle->argument(Arg::GroupName, EventId{i}));
    }
}

TEST_CASE("the names of a dump's keys tell it, in any order; Kineto traces with groups are none") {
    CHECK(begins_flight_dump(pickled(two_calls())));
    CHECK(begins_flight_dump(two_calls().dump()));
    CHECK(begins_flight_dump(R"({"entries": [{"collective_seq_id": 1, "time_created_ns": 5)"));
    CHECK_FALSE(begins_flight_dump(R"({"distributedInfo": {"pg_config": []}, "traceEvents": [)"));
    CHECK_FALSE(begins_flight_dump(R"({"distributedInfo": {"pg_config": []},)"));
    CHECK_FALSE(begins_flight_dump(pickled({{"segments", Json::array()}})));
    CHECK_FALSE(begins_flight_dump(""));
}

TEST_CASE("a dump without entries is a rank without events that knows its groups") {
    const RankTracePtr trace = load_dump(pickled(FlightFixture().group("0", "[0, 1]").build()));
    CHECK(trace->size() == 0);
    REQUIRE(trace->info.groups.size() == 1);
    CHECK(trace->info.groups[0].ranks == std::vector<std::int32_t>{0, 1});
}

TEST_CASE("what older versions did not write is absent") {
    Json dump = two_calls();
    dump["version"] = "2.0";
    dump.erase("pg_config");
    dump.erase("pg_status");
    dump.erase("comm_lib_version");
    for (Json& entry : dump["entries"])
        for (const char* key : {"process_group", "timeout_ms", "is_p2p", "record_id", "input_dtypes", "frames"})
            entry.erase(key);
    const RankTracePtr trace = load_dump(pickled(dump));
    REQUIRE(trace->size() == 3);
    const EventId e = find_call(*trace, 1);
    CHECK(trace->argument(Arg::GroupName, e) == "pg_id 7");
    CHECK_FALSE(trace->argument(Arg::CollectiveDtype, e).has_value());
    CHECK_FALSE(trace->argument(Arg::GroupRanks, e).has_value());
    CHECK_FALSE(trace->info.world_size.has_value());
}

TEST_CASE("an entry that cannot be placed is dropped and counted, and odd values are absent") {
    const std::string dropped = "opens: 2 events of 5 records, 1 dropped; event-malformed";
    CHECK(refusal_or_facts([](Json& dump) { dump["entries"][1] = 7; }) == dropped);
    CHECK(refusal_or_facts([](Json& dump) { dump["entries"][1].erase("time_created_ns"); }) == dropped);
    CHECK(refusal_or_facts([](Json& dump) { dump["entries"][1]["state"] = "lost"; }) == dropped);
    CHECK(refusal_or_facts([](Json& dump) {
              dump["entries"][1].erase("process_group");
              dump["entries"][1].erase("pg_id");
          }) == dropped);
    const std::string whole = "opens: 3 events of 6 records";
    CHECK(refusal_or_facts([](Json& dump) { dump["entries"][1]["input_sizes"] = "many"; }) == whole);
    CHECK(refusal_or_facts([](Json& dump) { dump["entries"][1]["input_sizes"] = {{-1}}; }) == whole);
    CHECK(refusal_or_facts([](Json& dump) { dump["pg_config"]["0"]["ranks"] = "[0, x]"; }) == whole);
    CHECK(refusal_or_facts([](Json& dump) { dump["pg_config"] = 3; }) == whole);
    CHECK(refusal_or_facts([](Json& dump) { dump["entries"][0]["time_discovered_completed_ns"] = 5; }) == whole);
}

TEST_CASE(
    "dumps are found in a folder by content, named by writers as they like, and stand beside their rank's trace") {
    const ScratchFolder folder;
    folder.write("rank0_trace.json", good_file());
    folder.write("rank1_trace.json", good_file());
    folder.write("nccl_trace_rank_0", pickled(two_calls()));
    folder.write("_dump_1", pickled(two_calls()));
    folder.write("rank_2.json", two_calls().dump());
    folder.write("notes_7", "nothing of the kind");
    folder.write("weights.pkl", "\x80\x02}.");
    const Result<RunPtr> run = open_folder(folder.path());
    REQUIRE(run.has_value());
    std::string ranks;
    for (const RankSlot& rank : (*run)->ranks())
        ranks += format_rank(rank.key) + " " + rank.trace().info.path.filename().string() + "\n";
    CHECK(ranks ==
          "0 rank0_trace.json\n0\xC2\xB7"
          "b nccl_trace_rank_0\n1 rank1_trace.json\n1\xC2\xB7"
          "b _dump_1\n2 rank_2.json\n");
    CHECK((*run)->diagnostics().count("rank-duplicate") == 0);
}

TEST_CASE("a file named like the dumps next to it counts as one: if it is empty or not a pickle, that is a loss") {
    const std::string dump = pickled(two_calls());
    const std::string zeros(1000, '\0');
    for (const std::string& lost : {std::string(), zeros, std::string("disk full"), dump.substr(0, 10)}) {
        const ScratchFolder folder;
        folder.write("job_rank_0", dump);
        folder.write("job_rank_1", lost);
        folder.write("notes_1", lost);
        folder.write("job_rank_1.txt", lost);
        const Result<RunPtr> run = open_folder(folder.path());
        REQUIRE(run.has_value());
        CHECK((*run)->ranks().size() == 1);
        CHECK((*run)->diagnostics().count("file-unreadable") == 1);
    }
}

TEST_CASE("a lost dump next to traces is recognised by the name that PyTorch gives it") {
    const ScratchFolder folder;
    folder.write("rank0_trace.json", good_file());
    folder.write("nccl_trace_rank_0", "");
    folder.write("comm_lib_trace_rank_1", "");
    folder.write("other_rank_2", "");
    const Result<RunPtr> run = open_folder(folder.path());
    REQUIRE(run.has_value());
    CHECK((*run)->diagnostics().count("file-unreadable") == 2);
}
