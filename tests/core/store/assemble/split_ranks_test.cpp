#include "core/store/assemble/split_ranks.hpp"

#include "tests/core/ingest/load/ingest_fixture.hpp"
#include "tests/corpus.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

using namespace core;
using namespace core::testing;

namespace {

std::string named(std::string_view what, std::string_view pid, std::string_view tid, std::string_view name) {
    return R"({"ph": "M", "name": ")" + std::string(what) + R"(", "pid": )" + std::string(pid) + R"(, "tid": )" +
           std::string(tid) + R"(, "args": {"name": ")" + std::string(name) + R"("}})";
}

std::string span(std::string_view name, std::string_view pid, std::string_view tid, int ts, int dur,
                 std::string_view args = "{}") {
    return R"({"ph": "X", "cat": "cpu_op", "name": ")" + std::string(name) + R"(", "pid": )" + std::string(pid) +
           R"(, "tid": )" + std::string(tid) + R"(, "ts": )" + std::to_string(ts) + R"(, "dur": )" +
           std::to_string(dur) + R"(, "args": )" + std::string(args) + "}";
}

std::string list_of(const std::vector<std::string>& events) {
    std::string text = "[";
    for (const std::string& event : events) text += (text.size() > 1 ? ",\n" : "") + event;
    return text + "]";
}

RunPtr open(const std::filesystem::path& path, IndexFiles index_files = IndexFiles::Ignore) {
    LoadProgress progress;
    LoadOptions options;
    options.index_files = index_files;
    Result<RunPtr> run = load_run(std::vector{path}, options, progress, JobContext{});
    REQUIRE(run.has_value());
    CHECK(progress.ranks_total == progress.ranks_done);
    return *std::move(run);
}

RunPtr open_events(const std::vector<std::string>& events) {
    const ScratchFolder folder;
    return open(folder.write("all.json", list_of(events)));
}

std::vector<std::int32_t> ranks_of(const Run& run) {
    std::vector<std::int32_t> ranks;
    for (const RankSlot& rank : run.ranks()) ranks.push_back(rank.key.number);
    return ranks;
}

std::vector<std::string> describe_events(const RankTrace& trace) {
    std::vector<std::string> events;
    const RankTime origin = trace.window.begin;
    for (std::uint32_t i = 0; i < trace.size(); ++i) {
        const EventId event{i};
        const EventId parent = trace.parent[i];
        const Result<EventText> text = trace.event_text(event);
        events.push_back(
            std::string(trace.name_text(event)) + " " + std::to_string((trace.start[i] - origin).count()) + " " +
            std::to_string(trace.duration[i].count()) + " " + std::string(trace.category_text(event)) + " " +
            std::string(trace.text(trace.track_of(event).name)) + " below " +
            (parent == kNoEvent ? "nothing" : std::string(trace.name_text(parent))) + " " +
            (text ? text->arguments : "?") + " " + std::to_string(trace.integer(Arg::Correlation, event).value_or(-1)));
    }
    std::ranges::sort(events);
    return events;
}

}  // namespace

TEST_CASE("a file whose processes are named by rank opens as these ranks") {
    const RunPtr run =
        open_events({named("process_name", "10", "0", "rank 2"), named("process_name", "11", "0", "rank 5"),
                     span("a", "10", "1", 100, 50), span("b", "11", "1", 120, 50), span("c", "11", "2", 130, 10)});
    CHECK(ranks_of(*run) == std::vector{2, 5});
    CHECK(run->rank(0).trace().size() == 1);
    CHECK(run->rank(1).trace().size() == 2);
    CHECK(run->all_diagnostics().count("ranks-in-one-file") == 1);
    CHECK(run->diagnostics().count("rank-guessed") == 0);
}

TEST_CASE("a file whose threads are named by pipeline and tensor rank, and processes by data rank, opens as the grid") {
    std::vector<std::string> events;
    for (const int dp : {0, 1}) {
        events.push_back(named("process_name", std::to_string(dp), "0", "DP rank [" + std::to_string(dp) + "]"));
        for (const int pp : {0, 1, 2})
            for (const int row : {0, 1}) {
                const std::string tid = std::to_string(10 * pp + row);
                events.push_back(span("work", std::to_string(dp), tid, 100 * pp + row, 10));
                events.push_back(
                    named("thread_name", std::to_string(dp), tid,
                          "PP rank " + std::to_string(pp) + ", TP rank 0, " + (row == 0 ? "compute" : "misc")));
            }
    }
    const RunPtr run = open_events(events);
    CHECK(ranks_of(*run) == std::vector{0, 1, 2, 3, 4, 5});
    for (const RankSlot& rank : run->ranks()) {
        CHECK(rank.trace().size() == 2);
        CHECK(rank.trace().tracks.size() == 2);
    }
    // Rank 3 is stage 1 of data rank 1.
    CHECK(run->rank(3).trace().text(run->rank(3).trace().processes.front().name) == "DP rank [1]");
    CHECK(run->rank(3).trace().text(run->rank(3).trace().tracks.front().name) == "PP rank 1, TP rank 0, compute");
}

TEST_CASE("unnamed processes numbered from 0 are ranks where an argument of each says so, and else they are not") {
    const auto with = [](std::string_view second) {
        return open_events({span("a", "0", "1", 100, 50, R"({"x": "rank", "pp_rank": 0})"), span("b", "0", "1", 160, 5),
                            span("c", "1", "1", 120, 50, second)});
    };
    CHECK(ranks_of(*with(R"({"pp_rank": 1})")) == std::vector{0, 1});
    CHECK(ranks_of(*with(R"({"pp_rank": 0})")) == std::vector{0});
    CHECK(ranks_of(*with(R"({"frank": 1})")) == std::vector{0});
    CHECK(ranks_of(*with("{}")) == std::vector{0});
}

TEST_CASE("one thread without a rank, one rank only, or a rank that the file states: the file is one rank") {
    const std::vector<std::string> two = {named("process_name", "10", "0", "rank 2"),
                                          named("process_name", "11", "0", "rank 5"), span("a", "10", "1", 100, 50),
                                          span("b", "11", "1", 120, 50)};
    std::vector<std::string> other = two;
    other.push_back(span("c", "12", "1", 120, 50));
    CHECK(open_events(other)->ranks().size() == 1);
    CHECK(open_events({two[0], two[2]})->ranks().size() == 1);
    const ScratchFolder folder;
    const RunPtr stated =
        open(folder.write("stated.json", R"({"distributedInfo": {"rank": 7}, "traceEvents": )" + list_of(two) + "}"));
    CHECK(ranks_of(*stated) == std::vector{7});
}

TEST_CASE("names of several ranks win over what a merged file kept of one of them") {
    const ScratchFolder folder;
    const RunPtr run =
        open(folder.write("merged.json", R"({"distributedInfo": {"rank": 5}, "traceEvents": )" +
                                             list_of({named("process_name", "10", "0", "[rank 2] python"),
                                                      named("process_name", "11", "0", "[rank 5] python"),
                                                      span("a", "10", "1", 100, 50), span("b", "11", "1", 120, 50)}) +
                                             "}"));
    CHECK(ranks_of(*run) == std::vector{2, 5});
}

TEST_CASE("ranks in the numbers of processes, behind them, before them, or in brackets, open as these ranks") {
    const auto open_pids = [](const std::vector<std::string>& pids) {
        std::vector<std::string> events;
        for (std::size_t i = 0; i < pids.size(); ++i) {
            events.push_back(named("process_name", "\"" + pids[i] + "\"", "0", "python"));
            events.push_back(span("a", "\"" + pids[i] + "\"", "1", static_cast<int>(i), 5));
        }
        return ranks_of(*open_events(events));
    };
    CHECK(open_pids({"83_0", "0_0", "84_1", "1_1"}) == std::vector{0, 1});
    CHECK(open_pids({"0-83", "0-4", "1-84", "1-5"}) == std::vector{0, 1});
    CHECK(open_pids({"[TP00] 83", "[TP00] 0", "[TP01] 84", "[TP01] 1"}) == std::vector{0, 1});
    CHECK(open_pids({"[TP00-PP00] 1", "[TP01-PP00] 2", "[TP00-PP01] 3", "[TP01-PP01] 4"}) == std::vector{0, 1, 2, 3});
    // The data rank follows from the tensor rank.
    CHECK(open_pids({"[TP00-DP00] 1", "[TP01-DP00] 2", "[TP02-DP01] 3", "[TP03-DP01] 4"}) == std::vector{0, 1, 2, 3});
    CHECK(open_pids({"rank0_83", "rank1_84"}) == std::vector{0, 1});
    // One process each, a gap, or a number only: no ranks.
    CHECK(open_pids({"83_0", "84_1"}) == std::vector{0});
    CHECK(open_pids({"83_0", "0_0", "84_2", "1_2"}) == std::vector{0});
    CHECK(open_pids({"83", "84"}) == std::vector{0});
}

TEST_CASE("a merged file beside its sources is left out, rank by rank, even if it moved the times") {
    const auto own = [](int rank, std::string_view pid, int shift) {
        return span("a", pid, "1", 100 + shift, 50 + rank) + ",\n" + span("b", pid, "2", 160 + shift, 5);
    };
    const ScratchFolder folder;
    (void)folder.write("TP-0.json", "[" + own(0, "83", 0) + "]");
    (void)folder.write("TP-1.json", "[" + own(1, "84", 0) + "]");
    (void)folder.write("merged.json", "[" + own(0, R"("[TP00] 83")", 7) + ",\n" + own(1, R"("[TP01] 84")", 7) + ",\n" +
                                          own(2, R"("[TP02] 85")", 7) + "]");
    const RunPtr run = open(folder.path());
    CHECK(ranks_of(*run) == std::vector{0, 1, 2});
    CHECK(run->diagnostics().count("rank-copy") == 2);
    CHECK(run->rank(0).trace().info.path.filename() == "TP-0.json");
    CHECK(run->rank(2).trace().info.path.filename() == "merged.json");
}

TEST_CASE("records, repairs and bytes of a file with several ranks add up to those of the file") {
    const ScratchFolder folder;
    const std::filesystem::path file = folder.write(
        "all.json",
        list_of({named("process_name", "0", "0", "rank 0"), named("process_name", "1", "0", "rank 1"),
                 span("a", "0", "1", 100, 50), span("b", "1", "1", 120, -50),
                 R"({"ph": "B", "name": "p", "pid": 1, "tid": 1, "ts": 300})",
                 R"({"ph": "E", "pid": 1, "tid": 1, "ts": 310})", R"({"ph": "E", "pid": 0, "tid": 1, "ts": 311})",
                 R"({"ph": "b", "cat": "x", "id": 3, "name": "q", "pid": 1, "tid": 1, "ts": 300})",
                 R"({"ph": "e", "cat": "x", "id": 3, "name": "q", "pid": 1, "tid": 1, "ts": 330})",
                 R"({"ph": "i", "name": "now", "pid": 0, "tid": 1, "ts": 305})",
                 R"({"ph": "C", "name": "bytes", "pid": 1, "ts": 305, "args": {"v": 3}})",
                 R"({"ph": "s", "cat": "f", "name": "f", "id": 1, "pid": 0, "tid": 1, "ts": 101})",
                 R"({"ph": "f", "cat": "f", "name": "f", "id": 1, "pid": 1, "tid": 1, "ts": 121})",
                 R"({"ph": "X", "name": "no time", "pid": 1, "tid": 1})"}));
    const Result<RankTracePtr> whole = load_file(file);
    REQUIRE(whole.has_value());
    const RunPtr run = open(file);
    REQUIRE(run->ranks().size() == 2);
    std::size_t events = 0;
    std::uint64_t bytes = 0;
    RecordCounts sum;
    for (const RankSlot& rank : run->ranks()) {
        const RecordCounts& records = rank.trace().info.records;
        CHECK(sum_of_parts(records) == records.total);
        sum.total += records.total;
        sum.complete += records.complete;
        sum.paired += records.paired;
        sum.instants += records.instants;
        sum.counters += records.counters;
        sum.flows += records.flows;
        sum.metadata += records.metadata;
        sum.dropped += records.dropped;
        events += rank.trace().size();
        bytes += rank.trace().info.file_bytes;
    }
    CHECK(sum == (*whole)->info.records);
    CHECK(events == (*whole)->size());
    CHECK(bytes == (*whole)->info.file_bytes);
    CHECK(run->rank(1).trace().counters.size() == 1);
    for (const std::string_view kind : {"negative-duration", "end-without-begin", "event-malformed"})
        CHECK(run->all_diagnostics().count(kind) == (*whole)->diagnostics.count(kind));
}

TEST_CASE("each rank of a file that holds several is what it is in a file of its own") {
    std::mt19937 random(7);
    const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
    for (int round = 0; round < 20; ++round) {
        const int ranks = 2 + below(5);
        std::vector<std::vector<std::string>> own(static_cast<std::size_t>(ranks));
        std::vector<std::string> all;
        const auto add = [&](int rank, const std::string& event) {
            own[static_cast<std::size_t>(rank)].push_back(event);
            all.push_back(event);
        };
        for (int i = 0; i < 200; ++i) {
            const int rank = below(ranks);
            const std::string pid = std::to_string(100 + rank);
            const std::string args = R"({"correlation": )" + std::to_string(i / 5) + R"(, "stream": 7, "note": "n)" +
                                     std::to_string(below(9)) + R"("})";
            add(rank, span("op" + std::to_string(below(6)), pid, std::to_string(1 + below(2)), 10 * below(100),
                           below(200), args));
        }
        for (int rank = 0; rank < ranks; ++rank)
            add(rank, named("process_name", std::to_string(100 + rank), "0", "trainer rank " + std::to_string(rank)));
        const ScratchFolder folder;
        const RunPtr run = open(folder.write("all.json", list_of(all)));
        std::size_t at = 0;
        for (int rank = 0; rank < ranks; ++rank) {
            const auto& events = own[static_cast<std::size_t>(rank)];
            if (events.size() < 2) continue;  // only its name
            const Result<RankTracePtr> alone =
                load_file(folder.write("own/" + std::to_string(rank) + ".json", list_of(events)));
            REQUIRE(alone.has_value());
            REQUIRE(at < run->ranks().size());
            CHECK(run->rank(at).key.number == rank);
            CHECK(describe_events(run->rank(at).trace()) == describe_events(**alone));
            CHECK(run->rank(at).trace().window == (*alone)->window);
            ++at;
        }
        CHECK(at == run->ranks().size());
    }
}

TEST_CASE("a file with several ranks has no index file, and says so") {
    const ScratchFolder folder;
    const std::filesystem::path file = folder.write(
        "all.json", list_of({named("process_name", "0", "0", "rank 0"), named("process_name", "1", "0", "rank 1"),
                             span("a", "0", "1", 100, 50), span("b", "1", "1", 120, 50)}));
    for (int i = 0; i < 2; ++i) {
        const RunPtr run = open(file, IndexFiles::Use);
        CHECK(run->ranks().size() == 2);
        CHECK(run->diagnostics().count("index-not-written") == 1);
    }
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
    LoadProgress progress;
    const auto outcomes = build_index_files(std::vector{file}, {}, progress, JobContext{});
    REQUIRE(outcomes.has_value());
    CHECK(outcomes->front().kind == IndexOutcome::Kind::NoTrace);
    CHECK(outcomes->front().why == "holds 2 ranks, an index file holds one");
}

TEST_CASE("more ranks than a file may hold stay one") {
    std::vector<std::string> events;
    for (std::size_t rank = 0; rank < kMostRanksOfFile + 1; ++rank) {
        const std::string pid = std::to_string(rank);
        events.push_back(named("process_name", pid, "0", "rank " + pid));
        events.push_back(span("a", pid, "1", 1, 1));
    }
    CHECK(open_events(events)->ranks().size() == 1);
}

TEST_CASE("aggregates of the corpus that hold all ranks of a job open as these ranks") {
    if (!corpus_is_here()) return;
    const RunPtr straggler = open(corpus_folder() / "StragglerAnalysis/ST/timeline-ST.json.gz");
    CHECK(ranks_of(*straggler) == std::vector{0, 1, 2, 3, 4, 5, 6, 7});
    for (const RankSlot& rank : straggler->ranks()) CHECK(rank.trace().size() > 700);
    for (const char* const name : {"merged_trace.json", "data-1-pipeline-4-tensor-1-pp-aggregated-iter10.json"}) {
        const RunPtr megascan = open(corpus_folder() / "MegatronApp/megascan_pp4_iter10" / name);
        CHECK(ranks_of(*megascan) == std::vector{0, 1, 2, 3});
        for (const RankSlot& rank : megascan->ranks()) CHECK(rank.trace().size() == megascan->rank(0).trace().size());
    }
}
