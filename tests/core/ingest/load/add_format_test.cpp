#include "core/ingest/load/formats.hpp"
#include "core/ingest/load/load_run.hpp"
#include "core/store/assemble/trace_builder.hpp"
#include "tests/core/added_row.hpp"
#include "tests/core/ingest/load/ingest_fixture.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <new>
#include <stdexcept>
#include <string>

using namespace core;
using namespace core::testing;

namespace {

// The example of HACKING.md: "marks", then one line per event, "NAME START_NS DURATION_NS".
class MarksFile final : public TraceReader {
public:
    explicit MarksFile(const std::filesystem::path& path) : path_(path) {}

    void work(const JobContext&) override {}  // so small that one thread reads it, in finish()
    Result<RankTracePtr> finish(const JobContext& context) override {
        std::ifstream in(path_);
        std::string name;
        std::getline(in, name);
        EventBatch batch;
        for (std::int64_t start = 0, duration = 0; in >> name >> start >> duration;) {
            EventRow row{};
            row.start_ns = start;
            row.duration_ns = duration;
            row.name = batch.pool.intern(name);
            row.category = batch.pool.intern("cpu_op");
            row.pid = row.tid = batch.pool.intern("1");
            row.order = static_cast<std::uint32_t>(batch.records.total++);
            row.phase = Phase::Complete;
            ++batch.records.complete;
            batch.events.push_back(row);
        }
        TraceBuilder builder;
        builder.append(std::move(batch));
        RankInfo info;
        info.path = path_;
        return std::move(builder).finish(std::move(info), {}, context);
    }

private:
    std::filesystem::path path_;
};

Result<std::unique_ptr<TraceReader>> open_marks(const std::filesystem::path& path, LoadProgress&) {
    return std::unique_ptr<TraceReader>(std::make_unique<MarksFile>(path));
}

// Runs out of memory: while it reads a file of one line, else when it finishes.
class HungryFile final : public TraceReader {
public:
    explicit HungryFile(const std::filesystem::path& path) : fails_early_(std::filesystem::file_size(path) < 10) {}

    void work(const JobContext&) override {
        if (fails_early_) throw std::bad_alloc();
    }
    Result<RankTracePtr> finish(const JobContext&) override { throw std::length_error("vector::reserve"); }

private:
    bool fails_early_;
};

Result<std::unique_ptr<TraceReader>> open_hungry(const std::filesystem::path& path, LoadProgress&) {
    return std::unique_ptr<TraceReader>(std::make_unique<HungryFile>(path));
}

constexpr Format kHungry{"hungry", "Files too large for memory",
                         [](const FileHead& head) { return head.text.starts_with("hungry\n"); }, open_hungry};

constexpr Format kMarks{"marks", "Marks, one per line",
                        [](const FileHead& head) { return head.text.starts_with("marks\n"); }, open_marks};

}  // namespace

TEST_CASE("a format in the table opens the files it recognises, and is gone with its row") {
    const TempFolder folder;
    const std::filesystem::path file = folder.path() / "rank3.json";
    std::ofstream(file) << "marks\nforward 100 50\nbackward 150 90\n";
    const auto load = [&] {
        LoadProgress progress;
        return load_run(std::vector{folder.path()}, {}, progress, {});
    };
    REQUIRE_FALSE(load());
    {
        const core::testing::AddedRow<Format> added(formats(), kMarks);
        const Result<RunPtr> run = load();
        REQUIRE(run);
        REQUIRE((*run)->ranks().size() == 1);
        const RankSlot& rank = (*run)->rank(0);
        CHECK(rank.key.number == 3);
        CHECK(rank.trace().size() == 2);
        CHECK(rank.trace().name_text(EventId{1}) == "backward");
        CHECK(rank.trace().duration[1] == Duration{90});
    }
    CHECK_FALSE(load());
}

TEST_CASE("an exception of a reader makes its own file unreadable, and the others open") {
    const TempFolder folder;
    std::ofstream(folder.path() / "rank1.json") << "hungry\n";
    std::ofstream(folder.path() / "rank2.json") << "hungry\nand more\n";
    std::ofstream(folder.path() / "rank3.json") << "marks\nforward 100 50\n";
    const core::testing::AddedRow<Format> marks(formats(), kMarks);
    const core::testing::AddedRow<Format> hungry(formats(), kHungry);
    LoadProgress progress;
    const Result<RunPtr> run = load_run(std::vector{folder.path()}, {}, progress, {});
    REQUIRE(run);
    REQUIRE((*run)->ranks().size() == 1);
    CHECK((*run)->rank(0).key.number == 3);
    CHECK((*run)->diagnostics().count("file-unreadable") == 2);
    std::filesystem::remove(folder.path() / "rank3.json");
    std::filesystem::remove(folder.path() / "rank2.json");
    const Result<RunPtr> none = load_run(std::vector{folder.path()}, {}, progress, {});
    REQUIRE_FALSE(none);
    CHECK(none.error().message.find("rank1.json: not enough memory") != std::string::npos);
}

TEST_CASE("the row of a format says which files of a folder are its own") {
    static constexpr std::string_view kEndings[] = {".marks"};
    static constexpr auto kIsNamedLikeMarks = [](std::string_view name) { return name.starts_with("marks_of_"); };
    Format by_ending = kMarks;
    by_ending.endings = kEndings;
    Format by_content = kMarks;
    by_content.may_be_named = kIsNamedLikeMarks;
    const TempFolder folder;
    const auto write = [&](const char* name, const char* text) { std::ofstream(folder.path() / name) << text; };
    write("rank3.marks", "marks\nforward 100 50\n");
    write("marks_of_rank_5", "marks\nforward 100 50\nbackward 150 90\n");
    write("marks_of_others", "something else\n");
    const auto ranks = [&](const Format& format) {
        const core::testing::AddedRow<Format> added(formats(), format);
        LoadProgress progress;
        const Result<RunPtr> run = load_run(std::vector{folder.path()}, {}, progress, {});
        std::vector<std::int64_t> numbers;
        if (run)
            for (const RankSlot& rank : (*run)->ranks()) numbers.push_back(rank.key.number);
        return numbers;
    };
    CHECK(ranks(by_ending) == std::vector<std::int64_t>{3});
    CHECK(ranks(by_content) == std::vector<std::int64_t>{5});
    CHECK(ranks(kMarks).empty());
}
