// Runs next to a run, in folders created here.

#include "core/session/run_neighbours.hpp"

#include "tests/core/temp_folder.hpp"

#include <doctest/doctest.h>

#include <fstream>

using namespace core;
namespace fs = std::filesystem;

namespace {

void write_trace(const fs::path& file) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << R"({"traceEvents": []})";
}

std::vector<std::string> names_of(const Result<std::vector<fs::path>>& runs) {
    REQUIRE(runs);
    std::vector<std::string> names;
    for (const fs::path& run : *runs) names.push_back(run.filename().string());
    return names;
}

}  // namespace

TEST_CASE("sibling folders with traces are a folder's neighbours, sorted by their numbers") {
    const testing::TempFolder folder;
    for (const char* const run : {"run10", "run9", "deep"})
        write_trace(folder.path() / run / (run == std::string("deep") ? "in/rank0.json" : "rank0.json"));
    fs::create_directories(folder.path() / "notes");
    write_trace(folder.path() / "single.json");
    CHECK(names_of(list_neighbours({folder.path() / "run9"})) == std::vector<std::string>{"deep", "run9", "run10"});
    CHECK(names_of(list_neighbours({folder.path() / "single.json"})) == std::vector<std::string>{"single.json"});
    CHECK(names_of(list_neighbours({folder.path() / "run9", folder.path() / "run10"})).empty());
    CHECK_FALSE(list_neighbours({folder.path() / "gone"}));
}

TEST_CASE("a run on another machine has no neighbours here") {
    CHECK(names_of(list_neighbours({"gpu7:/data/run"})).empty());
}
