#include "core/ingest/remote/remote_run.hpp"

#include "core/index/run.hpp"
#include "tests/core/ingest/remote/remote_fixture.hpp"
#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

#include <unistd.h>

#include <atomic>
#include <functional>
#include <thread>

using namespace core;
using core::testing::line_to;
using core::testing::read_bytes;
using core::testing::ServedFolder;
using core::testing::some_bytes;
using core::testing::TempFolder;
using core::testing::TraceFixture;
using core::testing::write_bytes;
namespace fs = std::filesystem;

namespace {

const RemotePath kOpened{"gpu7", "/data/run"};

RankSlot rank_of(const fs::path& trace) {
    TraceFixture fixture;
    fixture.info().summarised = trace;
    return {{}, {}, std::make_shared<const RankIndex>(fixture.build(), ClassRules::standard()), {}, {}};
}

struct Opened {
    TempFolder parent;
    LoadProgress progress;
    Result<RemoteRun> run;
    explicit Opened(const fs::path& path, std::uint64_t kept_bytes = 1 << 30, int spare_ms = 0)
        : run(open_remote_run(
              kOpened, line_to(path), progress, {},
              {.kept_bytes = kept_bytes, .spare = std::chrono::milliseconds(spare_ms), .parent = parent.path()})) {
        REQUIRE(run);
    }
    Result<fs::path> fetch(const fs::path& trace) const { return run->pages->fetch(rank_of(trace), {}); }
    std::size_t count_files() const {
        std::size_t count = 0;
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(parent.path()))
            count += entry.is_regular_file() ? 1 : 0;
        return count;
    }
};

}  // namespace

TEST_CASE("a remote run brings its summary first, into a folder of its user alone") {
    const ServedFolder folder;
    Opened opened(folder.path);
    CHECK(read_bytes(opened.run->summary) == read_bytes(folder.path / kSummaryFileName));
    CHECK(opened.run->name == "gpu7:run");
    CHECK(opened.run->pages->describe() == "index files on gpu7");
    CHECK((fs::status(opened.run->summary.parent_path()).permissions() & fs::perms::all) == fs::perms::owner_all);
    CHECK(opened.count_files() == 1);
    CHECK(opened.run->connection->bytes_received() < 3'000'000 + 10'000);
    CHECK_FALSE(opened.progress.fetching);
    const std::shared_ptr<const RankPages> pages = std::exchange(opened.run->pages, nullptr);
    opened.run->connection.reset();
    CHECK(fs::exists(opened.run->summary));
}

TEST_CASE("the folder goes with the last user of the run") {
    const ServedFolder folder;
    Opened opened(folder.path);
    REQUIRE(opened.fetch("/data/run/b/rank1.json"));
    CHECK(opened.count_files() == 2);
    opened.run->pages.reset();
    CHECK(fs::is_empty(opened.parent.path()));
}

TEST_CASE("an index file is found by the end of the path that its trace had") {
    const ServedFolder folder;
    const Opened opened(folder.path);
    const Result<fs::path> first = opened.fetch("/mnt/data/a/rank0.json");
    REQUIRE(first);
    CHECK(read_bytes(*first) == read_bytes(folder.path / "a" / "rank0.json.lockstep-index"));
    const Result<fs::path> second = opened.fetch("/data/run/b/rank0.json");
    REQUIRE(second);
    CHECK(read_bytes(*second) == read_bytes(folder.path / "b" / "rank0.json.lockstep-index"));
    const Result<fs::path> undecided = opened.fetch("/data/run/c/rank0.json");
    REQUIRE_FALSE(undecided);
    CHECK(undecided.error().code == ErrorCode::NotFound);
    CHECK(undecided.error().message == "gpu7: several index files could be rank0.json.lockstep-index");
    const Result<fs::path> none = opened.fetch("/data/run/c/rank7.json");
    REQUIRE_FALSE(none);
    CHECK(none.error().code == ErrorCode::NotFound);
    CHECK(none.error().message == "gpu7: no rank7.json.lockstep-index beside the summary");
}

TEST_CASE("an index file is brought once") {
    const ServedFolder folder;
    const Opened opened(folder.path);
    const Result<fs::path> first = opened.fetch("/data/run/b/rank1.json");
    REQUIRE(first);
    const std::uint64_t bytes = opened.run->connection->bytes_received();
    const Result<fs::path> again = opened.fetch("/data/run/b/rank1.json");
    REQUIRE(again);
    CHECK(*again == *first);
    CHECK(opened.run->connection->bytes_received() == bytes);
}

TEST_CASE("index files that were asked for longest ago make room for others") {
    const ServedFolder folder;
    for (const auto& [spare_ms, expected] : {std::pair{0, 2}, std::pair{3'600'000, 4}}) {
        const Opened opened(folder.path, 1'300'000, spare_ms);
        const Result<fs::path> first = opened.fetch("/data/run/a/rank0.json");
        REQUIRE(first);
        REQUIRE(opened.fetch("/data/run/b/rank0.json"));
        CHECK(opened.count_files() == 3);
        REQUIRE(opened.fetch("/data/run/b/rank1.json"));
        CHECK(opened.count_files() == static_cast<std::size_t>(expected));
        CHECK(fs::exists(*first) == (spare_ms > 0));
        const Result<fs::path> again = opened.fetch("/data/run/a/rank0.json");
        REQUIRE(again);
        CHECK(read_bytes(*again) == read_bytes(folder.path / "a" / "rank0.json.lockstep-index"));
    }
}

TEST_CASE("a summary that has no room here is refused before it comes") {
    remote::Hello hello = remote::own_hello();
    hello.summary = {.name = "run.lockstep-summary", .bytes = remote::kMostFileBytes - 1, .written_ns = 0};
    const TempFolder parent;
    LoadProgress progress;
    auto line = std::make_unique<core::testing::FakeLine>(core::testing::greeting_of(hello));
    const Result<RemoteRun> run = open_remote_run(kOpened, std::move(line), progress, {}, {.parent = parent.path()});
    REQUIRE_FALSE(run);
    CHECK(run.error().message.starts_with("gpu7: the summary takes 1,024 TiB, and "));
    CHECK(run.error().message.ends_with(" left: set TMPDIR to a folder with more room"));
    CHECK(fs::is_empty(parent.path()));
}

TEST_CASE("folders of processes that were killed are removed when they are a day old") {
    const ServedFolder folder;
    const TempFolder parent;
    const std::string none = "lockstep-remote-2147483646-";
    const std::string own = "lockstep-remote-" + std::to_string(::getpid()) + "-";
    for (const std::string& name :
         {none + "old", none + "new", own + "old", std::string("lockstep-remote-x"), std::string("other")})
        fs::create_directory(parent.path() / name);
    write_bytes(parent.path() / (none + "old") / "file", "x");
    const auto before = fs::file_time_type::clock::now() - std::chrono::hours(25);
    for (const std::string& name : {none + "old", own + "old", std::string("lockstep-remote-x"), std::string("other")})
        fs::last_write_time(parent.path() / name, before);
    LoadProgress progress;
    const Result<RemoteRun> run =
        open_remote_run(kOpened, line_to(folder.path), progress, {}, {.parent = parent.path()});
    REQUIRE(run);
    CHECK_FALSE(fs::exists(parent.path() / (none + "old")));
    for (const std::string& name : {none + "new", own + "old", std::string("lockstep-remote-x"), std::string("other")})
        CHECK(fs::exists(parent.path() / name));
}

namespace {

// A line that ends after that many bytes from its server.
class CutLine final : public remote::Line {
public:
    CutLine(std::unique_ptr<remote::Line> line, std::size_t bytes) : line_(std::move(line)), left_(bytes) {}
    Piece read(std::span<char> to, std::chrono::milliseconds wait) override {
        if (left_ == 0) return {};
        const Piece piece = line_->read(to.first(std::min<std::size_t>(to.size(), left_)), wait);
        left_ -= piece.bytes;
        return piece;
    }
    std::optional<std::size_t> write(std::string_view text, std::chrono::milliseconds wait) override {
        if (left_ == 0) return std::nullopt;
        return line_->write(text, wait);
    }
    std::string last_words() override { return "broken pipe"; }

private:
    std::unique_ptr<remote::Line> line_;
    std::atomic<std::size_t> left_;  // one thread reads while another writes
};

// Opens a run over a line that breaks in the first index file; `again` handles every later line.
struct BrokenOff {
    ServedFolder folder;
    TempFolder parent;
    LoadProgress progress;
    int begun = 0;
    std::function<Result<std::unique_ptr<remote::Line>>()> again;
    Result<RemoteRun> run = open();

    Result<RemoteRun> open() {
        constexpr std::size_t kIntoFirstFile = 3'000'000 + 700'000;
        RemoteOptions options;
        options.parent = parent.path();
        options.line_again = [this]() -> Result<std::unique_ptr<remote::Line>> {
            ++begun;
            if (again) return again();
            return std::unique_ptr<remote::Line>(line_to(folder.path));
        };
        return open_remote_run(kOpened, std::make_unique<CutLine>(line_to(folder.path), kIntoFirstFile), progress, {},
                               options);
    }
    Result<fs::path> fetch(const fs::path& trace) const { return run->pages->fetch(rank_of(trace), {}); }
};

}  // namespace

TEST_CASE("after a line was lost pages come over a new one, as long as the files there are the same") {
    const BrokenOff broken;
    REQUIRE(broken.run);
    const Result<fs::path> first = broken.fetch("/data/run/a/rank0.json");
    REQUIRE(first);
    CHECK(broken.begun == 1);
    CHECK(read_bytes(*first) == read_bytes(broken.folder.path / "a" / "rank0.json.lockstep-index"));
    REQUIRE(broken.fetch("/data/run/b/rank1.json"));
    CHECK(broken.begun == 1);
}

TEST_CASE("several threads that lose a line make one new one") {
    const BrokenOff broken;
    REQUIRE(broken.run);
    std::atomic<int> whole = 0;
    {
        std::vector<std::jthread> threads;
        for (const char* const trace : {"/data/run/a/rank0.json", "/data/run/b/rank0.json", "/data/run/b/rank1.json"})
            threads.emplace_back([&, trace] { whole += broken.fetch(trace) ? 1 : 0; });
    }
    CHECK(whole == 3);
    CHECK(broken.begun == 1);
}

TEST_CASE("after a lost connection, changed files are not mistaken for those of the run") {
    BrokenOff broken;
    REQUIRE(broken.run);
    broken.again = [&]() -> Result<std::unique_ptr<remote::Line>> {
        write_bytes(broken.folder.path / "b" / "rank2.json.lockstep-index", "new");
        return std::unique_ptr<remote::Line>(line_to(broken.folder.path));
    };
    const Result<fs::path> fetched = broken.fetch("/data/run/a/rank0.json");
    REQUIRE_FALSE(fetched);
    CHECK(fetched.error().message ==
          "gpu7: the connection was lost, and the files there have changed since: open the run again");
    CHECK_FALSE(fs::exists(broken.run->summary.parent_path() / "1.lockstep-index"));
}

TEST_CASE("a line that cannot be made again is not asked for at every page") {
    BrokenOff broken;
    REQUIRE(broken.run);
    broken.again = []() -> Result<std::unique_ptr<remote::Line>> {
        return Error{ErrorCode::Io, "gpu7: no route to host"};
    };
    CHECK(broken.fetch("/data/run/a/rank0.json").error().message == "gpu7: no route to host");
    CHECK(broken.fetch("/data/run/a/rank0.json").error().message ==
          "gpu7: the connection was lost and could not be made again: wait, or open the run again");
    CHECK(broken.begun == 1);
}

TEST_CASE("a server that answers wrongly is not connected to again") {
    const ServedFolder folder;
    const TempFolder parent;
    LoadProgress progress;
    int begun = 0;
    RemoteOptions options;
    options.parent = parent.path();
    options.line_again = [&]() -> Result<std::unique_ptr<remote::Line>> {
        ++begun;
        return std::unique_ptr<remote::Line>(line_to(folder.path));
    };
    auto line = line_to(folder.path);
    core::testing::FakeLine* const server = line.get();
    const Result<RemoteRun> run = open_remote_run(kOpened, std::move(line), progress, {}, options);
    REQUIRE(run);
    server->say("what nobody asked for, and no message either");
    CHECK_FALSE(run->pages->fetch(rank_of("/data/run/a/rank0.json"), {}));
    CHECK(begun == 0);
}
