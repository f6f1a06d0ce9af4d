#include "tests/app/cli.hpp"

#include <nlohmann/json.hpp>

using namespace app::testing;
using Json = nlohmann::json;

namespace {

// Two small runs in one folder, and a folder without a run.
std::string fleet_folder(const core::testing::TempFolder& folder) {
    for (const char* const name : {"monday", "tuesday"}) {
        const std::string run = (folder.path() / name).string();
        const Outcome made = lockstep({"sample", run, "--ranks", "2", "--steps", "3", "--layers", "1", "--quiet"});
        REQUIRE(made.status == 0);
    }
    return folder.path().string();
}

}  // namespace

TEST_CASE("fleet tells one row per run of a folder, as table, CSV, JSON and page") {
    const core::testing::TempFolder folder;
    const std::string runs = fleet_folder(folder);
    const Outcome json = lockstep({"fleet", runs, "--quiet", "--format", "json"});
    CHECK(json.status == 0);
    const Json told = Json::parse(json.out);
    REQUIRE(told["rows"].size() == 2);
    CHECK(told["schema"] == "lockstep.table/1");
    for (const Json& row : told["rows"]) {
        CHECK(row[1] == 2);
        CHECK(row[3].get<std::int64_t>() > 0);
    }
    CHECK(told["rows"][0][4].is_null());
    CHECK(told["rows"][1][4].is_number());
    const Outcome table = lockstep({"fleet", runs, "--quiet"});
    CHECK(table.out.find("2 runs\n") != std::string::npos);
    const Outcome csv = lockstep({"fleet", runs, "--quiet", "--format", "csv"});
    CHECK(csv.out.starts_with("run,ranks,steps,step_ns,"));
    const Outcome page = lockstep({"fleet", runs, "--quiet", "--html"});
    CHECK(page.out.starts_with("<!DOCTYPE html>"));
}

TEST_CASE("fleet names a run that cannot be read, and goes on") {
    const core::testing::TempFolder folder;
    const std::string runs = fleet_folder(folder);
    std::filesystem::create_directory(folder.path() / "wednesday");
    std::ofstream(folder.path() / "wednesday" / "rank0.json") << "no trace";
    const Outcome told = lockstep({"fleet", runs, "--quiet", "--format", "json"});
    CHECK(told.status == 5);
    CHECK(Json::parse(told.out)["rows"].size() == 3);
    CHECK(told.err.find("wednesday") != std::string::npos);
    CHECK(lockstep({"fleet"}).status == 2);
}
