#include "core/ingest/index_file/index_places.hpp"
#include "core/store/sections.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/ingest/index_file/index_fixture.hpp"
#include "tests/core/ingest/load/ingest_fixture.hpp"

#include <array>
#include <cstdlib>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace core;
using namespace core::testing;
namespace fs = std::filesystem;

namespace {

// Rank −1: the file doesn't state it.
std::string trace_of_kernels(int rank, int events, std::string_view kernel = "gemm") {
    std::string text = "{";
    if (rank >= 0) text.append("\"distributedInfo\": {\"rank\": ").append(std::to_string(rank)).append("}, ");
    text += "\"traceEvents\": [";
    for (int i = 0; i < events; ++i) {
        const std::string at = std::to_string(1000 + i * 10);
        text.append(i > 0 ? "," : "").append("\n  {\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"").append(kernel);
        text.append("\", \"pid\": 0, \"tid\": 7, \"ts\": ").append(at);
        text.append(", \"dur\": 5, \"args\": {\"stream\": 7, \"n\": ").append(at).append("}}");
    }
    return text + "\n]}";
}

// The user's cache, in a folder of the test.
class CacheFolder {
public:
    CacheFolder() {
        const char* const before = std::getenv("XDG_CACHE_HOME");
        before_ = before ? std::optional<std::string>(before) : std::nullopt;
        ::setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1);
    }
    ~CacheFolder() {
        if (before_)
            ::setenv("XDG_CACHE_HOME", before_->c_str(), 1);
        else
            ::unsetenv("XDG_CACHE_HOME");
    }
    CacheFolder(const CacheFolder&) = delete;
    CacheFolder& operator=(const CacheFolder&) = delete;
    fs::path path() const { return folder_.path() / "lockstep"; }

private:
    ScratchFolder folder_;
    std::optional<std::string> before_;
};

struct Opened {
    RunPtr run;
    std::uint32_t from_index = 0;
    std::size_t count(std::string_view kind) const { return run->diagnostics().count(kind); }
};

Opened open(const fs::path& path, IndexFiles files = IndexFiles::Use,
            const ClassRules& rules = ClassRules::standard()) {
    LoadOptions options;
    options.threads = 2;
    options.index_files = files;
    options.rules = rules;
    LoadProgress progress;
    const Result<RunPtr> run = load_run(std::vector{path}, options, progress, JobContext{});
    INFO((run ? "" : run.error().message));
    REQUIRE(run);
    CHECK(progress.bytes_done == progress.bytes_total);
    CHECK(progress.ranks_done == (*run)->ranks().size());
    return {*run, progress.ranks_from_index};
}

// Excludes parts that may differ between readings: packing of texts and bytes between fields.
std::vector<std::map<std::uint32_t, std::string>> content_of(const Run& run) {
    std::vector<std::map<std::uint32_t, std::string>> content;
    for (const RankSlot& rank : run.ranks()) {
        content.push_back(core::testing::content_of(*rank.index));
        for (const std::uint32_t id :
             {section::kTextBlocks, section::kTextPacked, section::kProcesses, section::kTracks, section::kCategories,
              section::kSteps, section::kFlows, section::kCounters})
            content.back().erase(id);
    }
    return content;
}

std::size_t count_files(const fs::path& folder, std::string_view ending) {
    std::size_t count = 0;
    if (!fs::exists(folder)) return 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        count += entry.path().filename().string().ends_with(ending) ? 1 : 0;
    return count;
}

// Its kernels are called by another name.
void damage(const fs::path& index) {
    std::string bytes = read_bytes(index);
    bytes.replace(bytes.find("gemm"), 4, "norm");
    write_bytes(index, bytes);
}

Result<std::vector<IndexOutcome>> build(const fs::path& path, const fs::path& folder = {}) {
    BuildIndexOptions options;
    options.threads = 2;
    options.folder = folder;
    LoadProgress progress;
    return build_index_files(std::vector{path}, options, progress, JobContext{});
}

}  // namespace

TEST_CASE("a run opens by its index files the second time, and is the same") {
    const ScratchFolder folder;
    for (int rank = 0; rank < 4; ++rank)
        folder.write("rank" + std::to_string(rank) + (rank == 2 ? ".json.gz" : ".json"),
                     rank == 2 ? gzip(trace_of_kernels(rank, 50)) : trace_of_kernels(rank, 50 + rank));
    const Opened plain = open(folder.path(), IndexFiles::Ignore);
    CHECK(count_files(folder.path(), ".lockstep-index") == 0);
    const Opened first = open(folder.path());
    CHECK(first.from_index == 0);
    CHECK(count_files(folder.path(), ".lockstep-index") == 4);
    const Opened second = open(folder.path());
    CHECK(second.from_index == 4);
    CHECK(content_of(*plain.run) == content_of(*second.run));
    CHECK(second.run->diagnostics().empty());
    CHECK(rows_of(answer_of(*second.run, "kernels").main()) == rows_of(answer_of(*plain.run, "kernels").main()));
    CHECK(second.run->rank(2).trace().info.path == folder.path() / "rank2.json.gz");
    CHECK(open(folder.path(), IndexFiles::Ignore).from_index == 0);
}

TEST_CASE("each rank is shown before its index file is written") {
    const ScratchFolder folder;
    for (int rank = 0; rank < 3; ++rank)
        folder.write("rank" + std::to_string(rank) + ".json", trace_of_kernels(rank, 9));
    LoadOptions options;
    options.threads = 1;
    options.index_files = IndexFiles::Use;
    std::vector<std::size_t> there;
    options.on_rank = [&](const RunPtr&) { there.push_back(count_files(folder.path(), ".lockstep-index")); };
    LoadProgress progress;
    REQUIRE(load_run(std::vector{folder.path()}, options, progress, JobContext{}));
    CHECK(there == std::vector<std::size_t>{0, 1, 2});
}

TEST_CASE("a changed trace is read again, with a note, and its index file replaced") {
    const ScratchFolder folder;
    const fs::path trace = folder.write("rank0.json", trace_of_kernels(0, 20));
    open(folder.path());
    folder.write("rank0.json", trace_of_kernels(0, 21));
    const Opened changed = open(folder.path());
    CHECK(changed.from_index == 0);
    CHECK(changed.count("index-rebuilt") == 1);
    CHECK(changed.run->rank(0).trace().size() == 21);
    CHECK(open(folder.path()).count("index-rebuilt") == 0);
    // The same size, other content.
    folder.write("rank0.json", trace_of_kernels(0, 21, "relu"));
    CHECK(answer_of(*open(folder.path()).run, "kernels").main().text(0, 2) == "relu");
    // Only its time.
    fs::last_write_time(trace, fs::file_time_type::clock::now() - std::chrono::hours(1));
    CHECK(open(folder.path()).count("index-rebuilt") == 1);
    CHECK(open(folder.path()).from_index == 1);
}

TEST_CASE("a damaged index file is replaced, with a word, and one under other rules too") {
    const ScratchFolder folder;
    const fs::path trace = folder.write("rank0.json", trace_of_kernels(0, 20));
    const Opened before = open(folder.path());
    damage(index_beside(trace));
    const Opened mended = open(folder.path());
    CHECK(mended.count("index-rebuilt") == 1);
    CHECK(content_of(*mended.run) == content_of(*before.run));
    CHECK(open(folder.path()).from_index == 1);

    const ClassRules others = ClassRules::parse("communication if name-contains gemm").value();
    const Opened other = open(folder.path(), IndexFiles::Use, others);
    CHECK(other.count("index-rebuilt") == 1);
    CHECK(other.run->rank(0).index->classes().of(EventId{0}) == KernelClass::Communication);
    const Opened again = open(folder.path(), IndexFiles::Use, others);
    CHECK(again.count("index-rebuilt") == 0);
    CHECK(content_of(*again.run) == content_of(*other.run));
}

TEST_CASE("if the traces' folder is not writable, the user's cache is used; without one there is a note") {
    const CacheFolder cache;
    const ScratchFolder folder;
    const fs::path trace = folder.write("rank0.json", trace_of_kernels(0, 20));
    fs::create_directories(index_beside(trace) / "in the way");
    CHECK(open(trace).count("index-not-written") == 0);
    CHECK(count_files(cache.path(), ".lockstep-index") == 1);
    const Opened again = open(trace);
    CHECK(again.from_index == 1);

    fs::remove_all(cache.path());
    std::ofstream(cache.path()) << "a file, not a folder";
    const Opened nowhere = open(trace);
    CHECK(nowhere.from_index == 0);
    CHECK(nowhere.count("index-not-written") == 1);
    CHECK(nowhere.run->rank(0).trace().size() == 20);
}

TEST_CASE("index files alone open with everything, also from another folder") {
    const ScratchFolder folder;
    const ScratchFolder laptop;
    folder.write("host-a/rank_0/trace.json", trace_of_kernels(-1, 20));
    folder.write("host-a/rank_1/trace.json", trace_of_kernels(-1, 10));
    folder.write("b.json", trace_of_kernels(7, 30));
    const Result<std::vector<IndexOutcome>> built = build(folder.path(), laptop.path() / "new");
    REQUIRE(built);
    REQUIRE(built->size() == 3);
    const Opened plain = open(folder.path(), IndexFiles::Ignore);
    CHECK(count_files(folder.path(), ".lockstep-index") == 0);
    const fs::path moved = laptop.path() / "moved";
    fs::rename(laptop.path() / "new", moved);
    CHECK(fs::exists(index_beside(moved / "host-a/rank_0/trace.json")));
    const Opened alone = open(moved, IndexFiles::Ignore);
    CHECK(alone.from_index == plain.run->ranks().size());
    CHECK(alone.count("index-alone") == plain.run->ranks().size());
    CHECK(content_of(*alone.run) == content_of(*plain.run));
    for (std::size_t i = 0; i < alone.run->ranks().size(); ++i) CHECK(alone.run->rank(i).key == plain.run->rank(i).key);
    CHECK(alone.run->rank(0).trace().event_text(EventId{0})->arguments ==
          plain.run->rank(0).trace().event_text(EventId{0})->arguments);
    const Opened by_name = open(index_beside(moved / "b.json"));
    CHECK(by_name.run->rank(0).key.number == 7);
    CHECK(count_files(moved, "") == 3 + 3);  // the folders, and nothing new
}

TEST_CASE("a damaged index file without its trace is named, and the others open") {
    const ScratchFolder folder;
    for (int rank = 0; rank < 2; ++rank)
        folder.write("rank" + std::to_string(rank) + ".json", trace_of_kernels(rank, 9));
    REQUIRE(build(folder.path()));
    for (int rank = 0; rank < 2; ++rank) fs::remove(folder.path() / ("rank" + std::to_string(rank) + ".json"));
    const fs::path index = folder.path() / "rank1.json.lockstep-index";
    damage(index);
    const Opened rest = open(folder.path());
    CHECK(rest.run->ranks().size() == 1);
    CHECK(rest.count("file-unreadable") == 1);
    fs::remove(folder.path() / "rank0.json.lockstep-index");
    LoadProgress progress;
    const Result<RunPtr> none = load_run(std::vector{folder.path()}, {}, progress, JobContext{});
    REQUIRE_FALSE(none);
    CHECK(none.error().message.find("without a trace") != std::string::npos);
}

TEST_CASE("index files are skipped if there are traces") {
    const ScratchFolder folder;
    folder.write("rank0.json", trace_of_kernels(0, 9));
    folder.write("rank1.json", trace_of_kernels(1, 9));
    REQUIRE(build(folder.path()));
    fs::remove(folder.path() / "rank1.json");
    CHECK(open(folder.path()).run->ranks().size() == 1);
}

TEST_CASE("building says what is written, what is up to date and what cannot be") {
    const ScratchFolder folder;
    const fs::path trace = folder.write("rank0.json", trace_of_kernels(0, 9));
    folder.write("rank1.json", "{\"nodes\": []}");
    const auto kinds = [](const Result<std::vector<IndexOutcome>>& outcomes) {
        std::vector<IndexOutcome::Kind> found;
        for (const IndexOutcome& outcome : outcomes.value()) found.push_back(outcome.kind);
        return found;
    };
    using Kind = IndexOutcome::Kind;
    const auto first = build(folder.path());
    CHECK(kinds(first) == std::vector{Kind::Written, Kind::NoTrace});
    CHECK(first->front().file == index_beside(trace));
    CHECK(first->front().bytes == fs::file_size(index_beside(trace)));
    CHECK(first->back().trace.filename() == "rank1.json");
    CHECK_FALSE(first->back().why.empty());
    const auto second = build(folder.path());
    CHECK(kinds(second) == std::vector{Kind::Current, Kind::NoTrace});
    CHECK(second->front().bytes == first->front().bytes);
    folder.write("rank0.json", trace_of_kernels(0, 10));
    const auto third = build(folder.path());
    CHECK(kinds(third) == std::vector{Kind::Written, Kind::NoTrace});
    CHECK(third->front().why.find("older version") != std::string::npos);
    CHECK_FALSE(build(folder.path() / "none"));
    fs::remove(index_beside(trace));
    fs::create_directories(index_beside(trace) / "in the way");
    const auto elsewhere = build(folder.path(), index_beside(trace) / "in the way");
    CHECK(kinds(elsewhere) == std::vector{Kind::Written, Kind::NoTrace});
    CHECK(kinds(build(trace, folder.path() / "rank1.json")) == std::vector{Kind::Failed});

    const ScratchFolder other;
    other.write("rank0.json", trace_of_kernels(0, 9));
    BuildIndexOptions options;
    options.folder = other.path() / "out";
    LoadProgress progress;
    const auto clash = build_index_files(std::vector{folder.path(), other.path()}, options, progress, JobContext{});
    REQUIRE_FALSE(clash);
    CHECK(clash.error().message.find("both") != std::string::npos);
}

namespace {

constexpr const char* kFolderToOpen = "LOCKSTEP_TEST_FOLDER";
constexpr const char* kOpensAFolder = "a process of its own opens the folder that it is given";

// A fresh process that runs the test below: a fork of this one would lack its threads but have their locks.
pid_t open_in_other_process(const fs::path& folder) {
    ::setenv(kFolderToOpen, folder.c_str(), 1);
    const std::string test_case = std::string("--test-case=") + kOpensAFolder;
    std::vector<std::string> words = {"/proc/self/exe", "--no-skip", "--minimal", test_case};
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_t child = -1;
    const int failed = ::posix_spawn(&child, words[0].c_str(), nullptr, nullptr, arguments.data(), environ);
    ::unsetenv(kFolderToOpen);
    return failed == 0 ? child : -1;
}

}  // namespace

TEST_CASE("a process of its own opens the folder that it is given" * doctest::skip()) {
    const char* const folder = std::getenv(kFolderToOpen);
    if (folder == nullptr) return;  // asked for by hand, with --no-skip
    LoadOptions options;
    options.threads = 1;
    options.index_files = IndexFiles::Use;
    LoadProgress progress;
    const Result<RunPtr> run = load_run(std::vector<fs::path>{folder}, options, progress, JobContext{});
    REQUIRE(run);
    CHECK((*run)->diagnostics().empty());
    CHECK(content_of(**run) == content_of(*open(folder, IndexFiles::Ignore).run));
}

TEST_CASE("two processes may open one run at once") {
    const ScratchFolder folder;
    for (int rank = 0; rank < 3; ++rank)
        folder.write("rank" + std::to_string(rank) + ".json", trace_of_kernels(rank, 200));
    for (int round = 0; round < 10; ++round) {
        const std::array children = {open_in_other_process(folder.path()), open_in_other_process(folder.path())};
        for (const pid_t child : children) {
            REQUIRE(child > 0);
            int status = 0;
            ::waitpid(child, &status, 0);
            CHECK(WIFEXITED(status));
            CHECK(WEXITSTATUS(status) == 0);
        }
        CHECK(count_files(folder.path(), ".lockstep-index") == 3);
        CHECK(count_files(folder.path(), "") == 6);
        for (int rank = 0; rank < 3 && round % 3 == 0; ++rank)
            fs::remove(index_beside(folder.path() / ("rank" + std::to_string(rank) + ".json")));
    }
}

TEST_CASE("what writers that ended early left is removed after a day") {
    const ScratchFolder folder;
    const fs::path trace = folder.write("rank0.json", trace_of_kernels(0, 9));
    const fs::path old = folder.write("rank0.json.lockstep-index.tmp.1.2", "x");
    const fs::path young = folder.write("rank0.json.lockstep-index.tmp.3.4", "x");
    fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(25));
    open(trace);
    CHECK_FALSE(fs::exists(old));
    CHECK(fs::exists(young));
}

TEST_CASE("a load that is cancelled leaves no half index file") {
    const ScratchFolder folder;
    folder.write("rank0.json", trace_of_kernels(0, 9));
    std::stop_source stop;
    LoadOptions options;
    options.index_files = IndexFiles::Use;
    options.on_rank = [&](const RunPtr&) { stop.request_stop(); };
    LoadProgress progress;
    CHECK_FALSE(load_run(std::vector{folder.path()}, options, progress, JobContext{stop.get_token()}));
    CHECK(count_files(folder.path(), "") == 1);
}
