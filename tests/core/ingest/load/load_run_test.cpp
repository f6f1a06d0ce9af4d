#include "core/ingest/load/load_run.hpp"

#include "tests/core/ingest/load/ingest_fixture.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

using namespace core;
using namespace core::testing;

namespace {

std::string trace_of_rank(int rank, int events, std::int64_t first_us = 1000) {
    std::string text = "{\"distributedInfo\": {\"rank\": " + std::to_string(rank) + "}, \"traceEvents\": [";
    for (int i = 0; i < events; ++i) {
        text += std::string(i > 0 ? "," : "") + "\n  {\n    \"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k" +
                std::to_string(i % 17) +
                "\", \"pid\": 0, \"tid\": 7,\n    \"ts\": " + std::to_string(first_us + i * 10) +
                ", \"dur\": 5, \"args\": {\"stream\": 7, \"n\": " + std::to_string(i) + "}\n  }";
    }
    return text + "\n  ]}";
}

Result<RunPtr> load(const std::vector<std::filesystem::path>& paths, LoadOptions options = {}) {
    LoadProgress progress;
    return load_run(paths, options, progress, JobContext{});
}

}  // namespace

TEST_CASE("all ranks of a folder arrive one after another and the run holds them by rank") {
    const ScratchFolder folder;
    for (int rank = 0; rank < 5; ++rank)
        folder.write("host_" + std::to_string(90 - rank) + ".json", trace_of_rank(rank, 100 * (rank + 1)));
    for (const unsigned threads : {1u, 2u, 7u}) {
        std::vector<std::size_t> seen;
        LoadOptions options;
        options.threads = threads;
        options.on_rank = [&](const RunPtr& run) { seen.push_back(run->ranks().size()); };
        LoadProgress progress;
        const Result<RunPtr> run = load_run(std::vector{folder.path()}, options, progress, JobContext{});
        REQUIRE(run.has_value());
        CHECK(seen == std::vector<std::size_t>{1, 2, 3, 4, 5});
        REQUIRE((*run)->ranks().size() == 5);
        for (int rank = 0; rank < 5; ++rank) {
            const RankSlot& slot = (*run)->rank(static_cast<std::size_t>(rank));
            CHECK(slot.key.number == rank);
            CHECK(slot.trace().size() == static_cast<std::size_t>(100 * (rank + 1)));
        }
        CHECK((*run)->diagnostics().empty());
        CHECK(progress.bytes_done == progress.bytes_total);
        CHECK(progress.ranks_done == 5);
        CHECK(progress.ranks_total == 5);
        CHECK(progress.events == 1500);
    }
}

TEST_CASE("of many ranks several arrive together, and all are there at the end") {
    const ScratchFolder folder;
    constexpr int kRanks = 300;
    for (int rank = 0; rank < kRanks; ++rank)
        folder.write("rank_" + std::to_string(rank) + ".json", trace_of_rank(rank, 1));
    std::vector<std::size_t> seen;
    LoadOptions options;
    options.on_rank = [&](const RunPtr& run) { seen.push_back(run->ranks().size()); };
    const Result<RunPtr> run = load({folder.path()}, options);
    REQUIRE(run.has_value());
    CHECK((*run)->ranks().size() == kRanks);
    REQUIRE(seen.size() > 64);
    CHECK(seen[0] == 1);
    CHECK(seen[63] == 64);
    CHECK(std::ranges::adjacent_find(seen, std::ranges::greater_equal{}) == seen.end());  // more each time
    CHECK(seen.size() < 200);
    CHECK(seen.back() == kRanks);  // before their index files are written
}

TEST_CASE("one large file read by many threads gives the same trace as by one") {
    const ScratchFolder folder;
    const auto path = folder.write("big.json.gz", gzip(trace_of_rank(0, 40000)));
    LoadOptions one, many;
    one.threads = 1;
    many.threads = 6;
    const Result<RunPtr> first = load({path}, one);
    const Result<RunPtr> second = load({path}, many);
    REQUIRE(first.has_value());
    REQUIRE(second.has_value());
    const RankTrace& a = (*first)->rank(0).trace();
    const RankTrace& b = (*second)->rank(0).trace();
    REQUIRE(a.size() == 40000);
    REQUIRE(b.size() == a.size());
    CHECK(std::equal(a.start.begin(), a.start.end(), b.start.begin()));
    CHECK(std::equal(a.order.begin(), a.order.end(), b.order.begin()));
    CHECK(std::equal(a.name.begin(), a.name.end(), b.name.begin()));
    for (std::uint32_t i = 0; i < 40000; i += 997) {
        CHECK(b.event_text(EventId{i})->arguments == "{\"stream\": 7, \"n\": " + std::to_string(i) + "}");
    }
}

TEST_CASE("signs of life come while events are read and while they are put in order") {
    const ScratchFolder folder;
    constexpr int kEvents = 100'000;
    folder.write("rank0.json", trace_of_rank(0, kEvents));
    LoadProgress progress;
    std::uint64_t when_read = 0;
    LoadOptions options;
    options.threads = 1;  // each looks once more than there are chunks
    options.on_rank = [&](const RunPtr&) { when_read = progress.pulse; };
    CHECK_FALSE(progress.is_arranging());
    REQUIRE(load_run(std::vector{folder.path()}, options, progress, JobContext{}).has_value());
    const std::uint64_t chunks = progress.bytes_total / (1 << 20);
    CHECK(when_read > 4 * chunks + kEvents / kEventsBetweenChecks);
    CHECK_FALSE(progress.is_arranging());
}

TEST_CASE("a broken file is named and the good ranks open") {
    const ScratchFolder folder;
    folder.write("rank0.json", trace_of_rank(0, 10));
    folder.write("rank1.json", "{\"traceEvents\": [");
    folder.write("result.json", "{\"slowdown\": 1.5}");
    folder.write("truth.json", "{\"planted\": 1}");
    const Result<RunPtr> run = load({folder.path()});
    REQUIRE(run.has_value());
    CHECK((*run)->ranks().size() == 1);
    CHECK((*run)->diagnostics().count("file-unreadable") == 1);
    CHECK((*run)->diagnostics().count("not-a-trace") == 1);
    for (const Diagnostic& entry : (*run)->diagnostics().entries()) {
        if (entry.kind->id == "file-unreadable")
            CHECK(entry.first.starts_with("rank1.json: byte 17: the file ends before the first event is complete"));
    }
}

TEST_CASE("a run fails only if nothing opens, with the file and the reason") {
    const ScratchFolder folder;
    CHECK(load({folder.path()}).error().message.find("no file here is named like a trace") != std::string::npos);
    CHECK(load({folder.path() / "none"}).error().code == ErrorCode::NotFound);
    const auto log = folder.write("a.log", "NCCL INFO hello");
    CHECK(load({log}).error().message ==
          log.string() +
              ": not a trace: this is a log of NCCL that names no communicator: run with NCCL_DEBUG=INFO and "
              "NCCL_DEBUG_SUBSYS=INIT,COLL,TUNING");
}

TEST_CASE("two captures of one rank are both kept, with raw clocks") {
    const ScratchFolder folder;
    folder.write("a.json", trace_of_rank(3, 10, 1000));
    folder.write("b.json", trace_of_rank(3, 10, 600'000'000));
    const Result<RunPtr> run = load({folder.path()});
    REQUIRE(run.has_value());
    CHECK(format_rank((*run)->rank(1).key) ==
          "3\xC2\xB7"
          "b");
    CHECK((*run)->rank(1).clock == ClockMap{});
    CHECK((*run)->diagnostics().count("rank-duplicate") == 0);
    CHECK((*run)->diagnostics().count("rank-windows") == 1);
    folder.write("b.json", trace_of_rank(3, 11, 1000));  // at the same time
    const Result<RunPtr> twice = load({folder.path()});
    REQUIRE(twice.has_value());
    CHECK((*twice)->diagnostics().count("rank-duplicate") == 1);
    CHECK((*twice)->diagnostics().count("rank-windows") == 0);
}

TEST_CASE("a copy of a file is left out, with a note; files that differ in an event are not copies") {
    const ScratchFolder folder;
    folder.write("rank3.json", trace_of_rank(3, 10, 1000));
    folder.write("rank3 (copy).json", trace_of_rank(3, 10, 1000));
    const Result<RunPtr> run = load({folder.path()});
    REQUIRE(run.has_value());
    CHECK((*run)->ranks().size() == 1);
    CHECK((*run)->diagnostics().count("rank-copy") == 1);
    CHECK((*run)->diagnostics().count("rank-duplicate") == 0);
    folder.write("rank3 (copy).json", trace_of_rank(3, 10, 1001));
    const Result<RunPtr> other = load({folder.path()});
    REQUIRE(other.has_value());
    CHECK((*other)->ranks().size() == 2);
    CHECK((*other)->diagnostics().count("rank-copy") == 0);
    folder.write("rank4.json", trace_of_rank(4, 10, 1000));  // the same events, of another rank
    CHECK((*load({folder.path()}))->ranks().size() == 3);
}

TEST_CASE("a file of the same rank and times but of another process is no copy") {
    const ScratchFolder folder;
    const std::string first = trace_of_rank(3, 10, 1000);
    std::string other = first;
    for (std::size_t at = other.find("\"tid\": 7"); at != std::string::npos; at = other.find("\"tid\": 7"))
        other.replace(at, 8, "\"tid\": 8");
    folder.write("worker0.json", first);
    folder.write("worker1.json", other);
    const Result<RunPtr> run = load({folder.path()});
    REQUIRE(run.has_value());
    CHECK((*run)->ranks().size() == 2);
    CHECK((*run)->diagnostics().count("rank-copy") == 0);
}

TEST_CASE("a process beyond the world without GPU work is no rank; one with GPU work is") {
    const auto of_world = [](std::string text) {
        text.replace(text.find("\"rank\""), 6, "\"world_size\": 2, \"rank\"");
        return text;
    };
    const ScratchFolder folder;
    for (int rank = 0; rank < 2; ++rank)
        folder.write("rank" + std::to_string(rank) + ".json", of_world(trace_of_rank(rank, 10, 1000)));
    std::string front_end = trace_of_rank(0, 10, 1000);
    front_end.erase(front_end.find("\"rank\": 0"), 9);
    std::string without_gpu = front_end;
    for (std::size_t at = without_gpu.find("kernel"); at != std::string::npos; at = without_gpu.find("kernel"))
        without_gpu.replace(at, 6, "cpu_op");
    folder.write("frontend_4711.json", without_gpu);
    const Result<RunPtr> run = load({folder.path()});
    REQUIRE(run.has_value());
    CHECK((*run)->ranks().size() == 2);
    REQUIRE((*run)->diagnostics().count("no-rank") == 1);
    CHECK((*run)->diagnostics().entries().back().first.starts_with("frontend_4711.json"));
    folder.write("frontend_4711.json", front_end);
    CHECK((*load({folder.path()}))->ranks().size() == 3);
}

TEST_CASE("what was read when a load is cancelled has been handed over") {
    const ScratchFolder folder;
    for (int rank = 0; rank < 200; ++rank)
        folder.write("rank_" + std::to_string(rank) + ".json", trace_of_rank(rank, 1));
    for (std::uint32_t enough = 130; enough < 150; ++enough) {
        std::size_t seen = 0;
        LoadOptions options;
        options.threads = 1;
        options.on_rank = [&](const RunPtr& run) { seen = run->ranks().size(); };
        LoadProgress progress;
        std::stop_source stop;
        std::jthread watcher([&](const std::stop_token& done) {
            while (progress.ranks_done < enough && !done.stop_requested()) std::this_thread::yield();
            stop.request_stop();
        });
        const Result<RunPtr> run =
            load_run(std::vector{folder.path()}, options, progress, JobContext{stop.get_token()});
        CHECK(seen == progress.ranks_done);
        CHECK((run.has_value() || run.error().code == ErrorCode::Cancelled));
    }
}

TEST_CASE("a cancelled load stops and says so") {
    const ScratchFolder folder;
    for (int rank = 0; rank < 4; ++rank)
        folder.write("rank" + std::to_string(rank) + ".json", trace_of_rank(rank, 2000));
    std::stop_source stop;
    LoadOptions options;
    options.on_rank = [&](const RunPtr&) { stop.request_stop(); };
    LoadProgress progress;
    const JobContext context{stop.get_token()};
    CHECK(load_run(std::vector{folder.path()}, options, progress, context).error().code == ErrorCode::Cancelled);
}
