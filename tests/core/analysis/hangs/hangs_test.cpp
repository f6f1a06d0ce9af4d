// The analysis on files: folders of dumps, and the real ones with their planted faults.

#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/ingest/flight_recorder/flight_fixture.hpp"
#include "tests/core/ingest/load/malformed_fixture.hpp"
#include "tests/corpus.hpp"

#include <nlohmann/json.hpp>

#include <fstream>
#include <functional>
#include <set>

using namespace core;
using namespace core::testing;

namespace {

FlightFixture dump_of(std::int64_t entered) {
    FlightFixture dump;
    dump.group("0", "[0, 1, 2]");
    for (std::int64_t n = 1; n <= entered; ++n)
        dump.call({.number = n, .state = n < 3 ? "completed" : "scheduled", .at = 100 * n});
    return dump;
}

// Rank 2 never enters the third collective.
RunPtr hung_run(bool as_json, std::string_view extension) {
    const ScratchFolder folder;
    for (int rank = 0; rank < 3; ++rank) {
        const nlohmann::json dump = dump_of(rank == 2 ? 2 : 3).build();
        folder.write("rank_" + std::to_string(rank) + std::string(extension), as_json ? dump.dump() : pickled(dump));
    }
    const Result<RunPtr> run = open_folder(folder.path());
    REQUIRE(run.has_value());
    return *run;
}

std::set<std::int32_t> ranks_in(const Table& table) {
    std::set<std::int32_t> ranks;
    for (std::size_t row = 0; row < table.rows(); ++row)
        ranks.insert(RankKey::unpacked(table.integer(row, table.find_column("rank"))).number);
    return ranks;
}

// "Fault ranks: [12, 14]".
std::set<std::int32_t> planted_ranks(const fs::path& log) {
    std::ifstream file(log);
    std::string line;
    std::getline(file, line);
    std::set<std::int32_t> ranks;
    const std::string list = line.substr(line.find('['));
    for (const std::string_view number : split_list(list)) ranks.insert(std::stoi(std::string(number)));
    return ranks;
}

}  // namespace

TEST_CASE("a hung run names who is missing, where the others wait, and where its last call came from") {
    for (const bool as_json : {false, true}) {
        const Answer answer = answer_of(*hung_run(as_json, as_json ? ".json" : ""), "hangs");
        CHECK(rows_of(answer.main()) ==
              Rows{"group_0 0 2 missing all_reduce 3 2 - step (train.py:42) < main (train.py:9) 200 2"});
        CHECK(rows_of(*answer.find("groups")) == Rows{"group_0 0 all_reduce 3 not entered by all 0-1 2 - - 200 2"});
        CHECK(rows_of(*answer.find("frames")) ==
              Rows{"group_0 0 2 0 step /job/train.py 42", "group_0 0 2 1 main /job/train.py 9"});
        CHECK(answer.marks.size() == 1);
    }
}

TEST_CASE("ranks outside of the filter are not compared") {
    CHECK(answer_of(*hung_run(false, ""), "hangs", "rank:0-1").main().rows() == 0);
    CHECK(answer_of(*hung_run(false, ""), "hangs", "rank:2").main().rows() == 0);
}

TEST_CASE("dumps next to traces are joined to kernels by group and number") {
    const ScratchFolder folder;
    for (int rank = 0; rank < 3; ++rank)
        folder.write("dumps/rank_" + std::to_string(rank), pickled(dump_of(rank == 2 ? 2 : 3).build()));
    const auto kernel = [](int seq, std::string_view ts) {
        return R"({"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce_Sum_f32_RING_LL","pid":0,"tid":7,"ts":)" +
               std::string(ts) + R"(,"dur":5,"args":{"stream":7,"Collective name":"allreduce","Group size":3,)" +
               R"("Process Group Name":"0","Seq":)" + std::to_string(seq) + "}}";
    };
    folder.write("traces/rank0.json", R"({"distributedInfo":{"rank":0},"traceEvents":[)" +
                                          kernel(2, "1700000000000000.150") + "," + kernel(3, "1700000000000006.250") +
                                          "]}");
    const Result<RunPtr> run = open_folder(folder.path());
    REQUIRE(run.has_value());
    const Answer answer = answer_of(**run, "hangs");
    CHECK(ranks_in(answer.main()) == std::set<std::int32_t>{2});
    CHECK(rows_of(*answer.find("kernels")) == Rows{"group_0 0 0 1 all_reduce 3 6150 5000"});
}

TEST_CASE("a dump in an older folder stands for no rank that left none in the later one") {
    const ScratchFolder folder;
    for (int rank = 0; rank < 3; ++rank)
        folder.write("step_10/rank_" + std::to_string(rank), pickled(dump_of(2).build()));
    for (int rank = 0; rank < 2; ++rank)
        folder.write("step_20/rank_" + std::to_string(rank), pickled(dump_of(3).build()));
    const Result<RunPtr> run = open_folder(folder.path());
    REQUIRE(run.has_value());
    const Answer answer = answer_of(**run, "hangs");
    CHECK(rows_of(answer.main()) == Rows{"group_0 0 2 no-dump all_reduce 3 - - - 200 2"});
    CHECK(rows_of(*answer.find("groups")) == Rows{"group_0 0 all_reduce 3 entered by all with a dump 0-1 - - 2 200 2"});
    REQUIRE(answer.excluded.size() == 1);
    CHECK(answer.excluded[0].count == 3);
}

TEST_CASE("dumps in a folder per host are of one moment") {
    const ScratchFolder folder;
    for (int rank = 0; rank < 3; ++rank)
        folder.write("host" + std::to_string(rank) + "/rank_" + std::to_string(rank),
                     pickled(dump_of(rank == 2 ? 2 : 3).build()));
    const Result<RunPtr> run = open_folder(folder.path());
    REQUIRE(run.has_value());
    CHECK(ranks_in(answer_of(**run, "hangs").main()) == std::set<std::int32_t>{2});
    CHECK(answer_of(**run, "hangs").excluded.empty());
}

TEST_CASE("a rank is not missing if the call may be among the entries of its dump that cannot be read") {
    const auto verdicts_with = [](const std::function<void(nlohmann::json&)>& change) {
        const ScratchFolder folder;
        for (int rank = 0; rank < 3; ++rank) {
            nlohmann::json dump = dump_of(rank == 2 ? 2 : 3).build();
            if (rank == 1) change(dump);
            folder.write("rank_" + std::to_string(rank), pickled(dump));
        }
        const Result<RunPtr> run = open_folder(folder.path());
        REQUIRE(run.has_value());
        const Answer answer = answer_of(**run, "hangs");
        const Table& main = answer.main();
        std::string verdicts;
        for (std::size_t row = 0; row < main.rows(); ++row)
            verdicts += std::to_string(RankKey::unpacked(main.integer(row, main.find_column("rank"))).number) + " " +
                        std::string(main.text(row, main.find_column("verdict"))) + "; ";
        return verdicts;
    };
    const std::string unknown = "1 incomplete-dump; 2 missing; ";
    CHECK(verdicts_with([](auto& dump) { dump["entries"][2]["state"] = "timed_out"; }) == unknown);
    CHECK(verdicts_with([](auto& dump) { dump["entries"][2]["collective_seq_id"] = nullptr; }) == unknown);
    CHECK(verdicts_with([](auto& dump) { dump["entries"][2]["process_group"][0] = "nobody's"; }) == unknown);
    CHECK(verdicts_with([](auto& dump) { dump["entries"] = nlohmann::json::array({7}); }) == unknown);
    // Later calls show that the unread one was not the cause.
    CHECK(verdicts_with([](auto& dump) { dump["entries"][1] = 7; }) == "2 missing; ");
    CHECK(verdicts_with([](auto& dump) {
              dump["entries"][0]["state"] = "timed_out";
              dump["entries"].erase(2);
          }) == "1 missing; 2 missing; ");
}

TEST_CASE("on real dumps exactly the ranks with a planted fault are named") {
    if (!corpus_is_here()) return;
    int runs = 0;
    for (const fs::path& folder : corpus_runs()) {
        const fs::path log = folder / "fault_injection.log";
        if (!fs::exists(log)) continue;
        INFO(folder.string());
        ++runs;
        const Result<RunPtr> run = open_folder(folder);
        REQUIRE(run.has_value());
        CHECK(ranks_in(answer_of(**run, "hangs").main()) == planted_ranks(log));
    }
    CHECK((!is_whole_corpus() || runs == 2));
}
