#include "core/ingest/load/discover.hpp"

#include "core/base/platform/files.hpp"
#include "tests/core/ingest/load/ingest_fixture.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace core;
using namespace core::testing;

namespace {

std::vector<std::string> names(const Result<Discovery>& found) {
    REQUIRE(found.has_value());
    std::vector<std::string> result;
    for (const FoundFile& file : found->files) result.push_back(file.path.filename().string());
    return result;
}

// Folders of 250 letters within each other, until their path is longer than a path may be: none can list the last.
class FolderTooLongToList {
public:
    explicit FolderTooLongToList(const std::filesystem::path& in) {
        int parent = ::open(in.c_str(), O_DIRECTORY | O_CLOEXEC);
        for (int level = 0; level < 17; ++level) {
            const std::string name(250, static_cast<char>('a' + level));
            made_ &= ::mkdirat(parent, name.c_str(), 0755) == 0;
            const int child = ::openat(parent, name.c_str(), O_DIRECTORY | O_CLOEXEC);
            ::close(parent);
            parent = child;
        }
        ::close(parent);
    }
    bool made() const { return made_; }

private:
    bool made_ = true;
};

}  // namespace

TEST_CASE("folders are searched recursively for files named like traces, in the order of names") {
    const ScratchFolder folder;
    for (const char* name : {"rank10.json", "rank2.json.gz", "sub/deep/rank1.PFW.gz", "x.trace", "notes.txt",
                             "nccl.log", "truth.json", ".hidden.json"}) {
        folder.write(name, "{}");
    }
    CHECK(names(discover_files(std::vector{folder.path()})) ==
          std::vector<std::string>{"rank2.json.gz", "rank10.json", "rank1.PFW.gz", "x.trace"});
}

TEST_CASE("links in a circle end, and a file reached twice counts once") {
    const ScratchFolder folder;
    const auto file = folder.write("a/rank0.json", "{}");
    std::filesystem::create_directory_symlink(folder.path(), folder.path() / "a" / "loop");
    std::filesystem::create_symlink(file, folder.path() / "again.json");
    CHECK(discover_files(std::vector{folder.path(), file, folder.path() / "a"})->files.size() == 1);
}

TEST_CASE("a file given by name is read whatever it is called, a missing one is an error") {
    const ScratchFolder folder;
    const auto file = folder.write("notes.txt", "x");
    CHECK(names(discover_files(std::vector{file})) == std::vector<std::string>{"notes.txt"});
    CHECK(discover_files(std::vector{folder.path() / "none"}).error().code == ErrorCode::NotFound);
}

TEST_CASE("numbers in names count as numbers") {
    CHECK(name_before("rank2", "rank10"));
    CHECK_FALSE(name_before("rank10", "rank2"));
    CHECK(name_before("a1b", "a1c"));
    CHECK(name_before("a01", "a1"));
    CHECK_FALSE(name_before("a1", "a01"));
    CHECK_FALSE(name_before("same", "same"));
    CHECK(name_before("a", "ab"));
}

TEST_CASE("index files stand for their traces in folders that hold no trace") {
    const ScratchFolder folder;
    for (const char* name : {"with/rank0.json", "with/rank0.json.lockstep-index", "with/rank1.json.lockstep-index",
                             "alone/rank2.json.gz.lockstep-index", "alone/notes.txt", "alone/.lockstep-index"}) {
        folder.write(name, "{}");
    }
    const Result<Discovery> found = discover_files(std::vector{folder.path()});
    CHECK(names(found) == std::vector<std::string>{"rank2.json.gz", "rank0.json"});
    CHECK(found->files.front().index == folder.path() / "alone" / "rank2.json.gz.lockstep-index");
    CHECK(found->files.front().inside == std::filesystem::path("alone/rank2.json.gz"));
    CHECK(found->files.back().index.empty());
    CHECK(found->files.back().inside == std::filesystem::path("with/rank0.json"));
    const auto named = discover_files(std::vector{folder.path() / "with" / "rank1.json.lockstep-index"});
    CHECK(names(named) == std::vector<std::string>{"rank1.json"});
    CHECK_FALSE(named->files.front().index.empty());
}

TEST_CASE("a folder that cannot be listed is counted, with its path and the reason") {
    const ScratchFolder folder;
    folder.write("rank0.json", "{}");
    const FolderTooLongToList deep(folder.path());
    REQUIRE(deep.made());
    const Result<Discovery> found = discover_files(std::vector{folder.path()});
    CHECK(names(found) == std::vector<std::string>{"rank0.json"});
    REQUIRE(found->diagnostics.count("folder-unreadable") == 1);
    const std::string& first = found->diagnostics.entries().front().first;
    CHECK(first.starts_with(folder.path().string() + "/aaaa"));
    CHECK(first.ends_with("qqqq: File name too long"));
}

TEST_CASE("a folder without permission to list it is counted") {
    if (::geteuid() == 0) {
        MESSAGE("skipped: root may list every folder");
        return;
    }
    const ScratchFolder folder;
    folder.write("rank0.json", "{}");
    const auto closed = folder.write("closed/rank1.json", "{}").parent_path();
    std::filesystem::permissions(closed, std::filesystem::perms::none);
    const Result<Discovery> found = discover_files(std::vector{folder.path()});
    std::filesystem::permissions(closed, std::filesystem::perms::owner_all);
    CHECK(names(found) == std::vector<std::string>{"rank0.json"});
    CHECK(found->diagnostics.entries().front().first == closed.string() + ": Permission denied");
}

TEST_CASE("folders are searched 32 levels deep; deeper ones are counted") {
    const ScratchFolder folder;
    std::filesystem::path inside;
    for (int level = 0; level < kDeepestFolder; ++level) inside /= "d";
    folder.write((inside / "rank0.json").string(), "{}");
    folder.write((inside / "e" / "rank1.json").string(), "{}");
    folder.write((inside / "f" / "rank2.json").string(), "{}");
    const Result<Discovery> found = discover_files(std::vector{folder.path()});
    CHECK(names(found) == std::vector<std::string>{"rank0.json"});
    CHECK(found->diagnostics.count("folder-too-deep") == 2);
    const std::string e = (folder.path() / inside / "e").string(), f = (folder.path() / inside / "f").string();
    const std::string& first = found->diagnostics.entries().front().first;
    CHECK((first == e + ": more than 32 levels deep" || first == f + ": more than 32 levels deep"));
}

TEST_CASE("files of other kinds are listed with the traces, sorted by name") {
    const ScratchFolder folder;
    for (const char* name : {"_dump_10", "_dump_2", "rank0.json", ".hidden", "sub/notes.txt"}) folder.write(name, "x");
    const Result<Discovery> found = discover_files(std::vector{folder.path()});
    REQUIRE(found->others.size() == 3);
    CHECK(found->others[0].filename() == "_dump_2");
    CHECK(found->others[1].filename() == "_dump_10");
    CHECK(found->others[2].filename() == "notes.txt");
}

TEST_CASE("a simulation next to the recorded timeline is another run, and opens by its name") {
    const ScratchFolder folder;
    folder.write("timeline-ST.json.gz", "x");
    const std::filesystem::path ideal = folder.write("ideal-timeline-ST.json.gz", "x");
    folder.write("ideal-alone.json", "x");
    const Result<Discovery> found = discover_files(std::vector{folder.path()});
    REQUIRE(found);
    REQUIRE(found->files.size() == 2);
    CHECK(found->files[0].path.filename() == "ideal-alone.json");
    CHECK(found->files[1].path.filename() == "timeline-ST.json.gz");
    CHECK(found->diagnostics.count("simulation-left-out") == 1);
    CHECK(found->diagnostics.entries().front().first.find("open it as the candidate of") != std::string::npos);
    const Result<Discovery> named = discover_files(std::vector{ideal});
    REQUIRE(named);
    CHECK(named->files.size() == 1);
}

TEST_CASE("captures of graphs are found like other traces: their contents say what they are") {
    const ScratchFolder folder;
    folder.write("rank0.1781.pt.trace.json.gz", "x");
    folder.write("capture_traces/graph_capture_rank_0.1780.pt.trace.json.gz", "x");
    CHECK(names(discover_files(std::vector{folder.path()})).size() == 2);
}

#ifdef __linux__
TEST_CASE("folders that the system makes up are not searched, though they lead to every other folder") {
    const std::filesystem::path made_up = "/proc/self/task";
    if (!is_made_by_system(made_up)) return;
    const Result<Discovery> found = discover_files(std::vector{made_up});
    REQUIRE(found);
    CHECK(found->files.empty());
    CHECK(found->others.empty());
    const ScratchFolder folder;
    folder.write("rank0.json", "x");
    CHECK_FALSE(is_made_by_system(folder.path()));
    std::filesystem::create_directory_symlink("/proc/self", folder.path() / "machine");
    CHECK(names(discover_files(std::vector{folder.path()})) == std::vector<std::string>{"rank0.json"});
}
#endif
