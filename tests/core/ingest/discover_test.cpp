#include "core/ingest/discover.hpp"

#include "tests/core/ingest/load/ingest_fixture.hpp"

#include <doctest/doctest.h>

using namespace core;
using namespace core::testing;

namespace {

std::vector<std::string> names(const Result<std::vector<FoundFile>>& found) {
    REQUIRE(found.has_value());
    std::vector<std::string> result;
    for (const FoundFile& file : *found) result.push_back(file.path.filename().string());
    return result;
}

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
    CHECK(discover_files(std::vector{folder.path(), file, folder.path() / "a"})->size() == 1);
}

TEST_CASE("a file given by name is taken whatever it is called, a missing one is an error") {
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
    const Result<std::vector<FoundFile>> found = discover_files(std::vector{folder.path()});
    CHECK(names(found) == std::vector<std::string>{"rank2.json.gz", "rank0.json"});
    CHECK(found->front().index == folder.path() / "alone" / "rank2.json.gz.lockstep-index");
    CHECK(found->front().inside == std::filesystem::path("alone/rank2.json.gz"));
    CHECK(found->back().index.empty());
    CHECK(found->back().inside == std::filesystem::path("with/rank0.json"));
    const auto named = discover_files(std::vector{folder.path() / "with" / "rank1.json.lockstep-index"});
    CHECK(names(named) == std::vector<std::string>{"rank1.json"});
    CHECK_FALSE(named->front().index.empty());
}
