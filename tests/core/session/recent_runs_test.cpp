#include "core/session/recent_runs.hpp"
#include "core/session/folder_listing.hpp"
#include "tests/core/temp_folder.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>

namespace fs = std::filesystem;
using core::testing::TempFolder;

TEST_CASE("recent runs: newest first, without duplicates, limited in number, saved to disk") {
    const TempFolder folder;
    const fs::path file = folder.path() / "deep" / "recent.json";
    {
        core::RecentRuns recent(file);
        CHECK(recent.runs().empty());
        for (int i = 0; i < 20; ++i) recent.add({"/runs/" + std::to_string(i)});
        recent.add({"/runs/15/"});
        recent.add({});
        CHECK(recent.runs().size() == core::RecentRuns::kMost);
    }
    const core::RecentRuns again(file);
    REQUIRE(again.runs().size() == core::RecentRuns::kMost);
    CHECK(again.runs()[0] == core::RecentRuns::Paths{"/runs/15"});
    CHECK(again.runs()[1] == core::RecentRuns::Paths{"/runs/19"});
    CHECK(fs::exists(file));
    CHECK_FALSE(fs::exists(file.string() + ".part"));
}

TEST_CASE("recent runs: relative paths are saved as absolute; broken files are ignored") {
    const TempFolder folder;
    const fs::path file = folder.path() / "recent.json";
    std::ofstream(file) << R"([["/a", 3], "b", [], [["/x"]], ["/b"]] )";
    core::RecentRuns recent(file);
    REQUIRE(recent.runs().size() == 2);
    CHECK(recent.runs()[0] == core::RecentRuns::Paths{"/a"});
    recent.add({"x/../y", "z"});
    CHECK(recent.runs()[0] == core::RecentRuns::Paths{fs::current_path() / "y", fs::current_path() / "z"});
    std::ofstream(file) << "{]";
    CHECK(core::RecentRuns(file).runs().empty());
}

TEST_CASE("recent runs: a path on another machine stays as it is") {
    const TempFolder folder;
    const fs::path file = folder.path() / "recent.json";
    core::RecentRuns(file).add({"me@gpu7:~/a run"});
    CHECK(core::RecentRuns(file).runs().front() == core::RecentRuns::Paths{"me@gpu7:~/a run"});
}

TEST_CASE("recent runs: a path that is not UTF-8 comes back byte for byte") {
    const TempFolder folder;
    const fs::path file = folder.path() / "recent.json", odd = folder.path() / "r\xFF\xC3(%";
    core::RecentRuns(file).add({odd, folder.path() / "plain"});
    const core::RecentRuns again(file);
    CHECK(again.runs().front() == core::RecentRuns::Paths{odd, folder.path() / "plain"});
}

TEST_CASE("recent runs: a file that cannot be written isn't a failure") {
    core::RecentRuns recent("/proc/no/such/place.json");
    recent.add({"/a"});
    CHECK(recent.runs().size() == 1);
    core::RecentRuns nowhere;
    nowhere.add({"/a"});
    CHECK(nowhere.runs().size() == 1);
}

TEST_CASE("folder listing: folders, then traces by name with sizes; other files are counted") {
    const TempFolder folder;
    for (const char* name : {"rank10.json", "rank2.json", "notes.txt", ".hidden.json"}) {
        std::ofstream(folder.path() / name) << "12345";
    }
    fs::create_directories(folder.path() / "z_folder");
    const core::FolderListing listing = core::list_folder(folder.path());
    REQUIRE(listing.entries.size() == 3);
    CHECK(listing.entries[0].name == "z_folder");
    CHECK(listing.entries[0].is_folder);
    CHECK(listing.entries[1].name == "rank2.json");
    CHECK(listing.entries[1].bytes == 5);
    CHECK(listing.entries[2].name == "rank10.json");
    CHECK(listing.other_files == 1);
    CHECK(listing.error.empty());
    CHECK_FALSE(core::list_folder(folder.path() / "nowhere").error.empty());
}

TEST_CASE("recent pairs are kept with recent runs, and a list of runs alone is still read") {
    const core::testing::TempFolder folder;
    const fs::path file = folder.path() / "recent.json";
    {
        core::RecentRuns recent(file);
        recent.add({"/runs/a"});
        recent.add_pair({{"/runs/a"}, {"/runs/b"}});
        recent.add_pair({{"/runs/c"}, {"/runs/d/"}});
        recent.add_pair({{"/runs/a"}, {"/runs/b"}});
        recent.add_pair({{"/runs/a"}, {}});
    }
    const core::RecentRuns again(file);
    CHECK(again.runs().size() == 1);
    REQUIRE(again.pairs().size() == 2);
    CHECK(again.pairs()[0] == core::BySide<core::RecentRuns::Paths>{{"/runs/a"}, {"/runs/b"}});
    CHECK(again.pairs()[1].candidate == core::RecentRuns::Paths{"/runs/d"});
}
