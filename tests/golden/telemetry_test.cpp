// Runs with logs of their GPUs, whose slow rank, cause and reason are known: cases that must name the clock, and others
// that must not.

#include "core/analysis/telemetry/rank_samples.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/golden/goldens.hpp"

#include <cmath>

using namespace core;
using namespace core::testing;

namespace {

std::vector<fs::path> telemetry_cases() {
    std::vector<fs::path> cases;
    const fs::path folder = golden_folder() / "telemetry";
    if (!fs::is_directory(folder)) {
        MESSAGE("skipped: no cases in " << folder);
        return cases;
    }
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
        if (entry.is_directory()) cases.push_back(entry.path());
    std::ranges::sort(cases);
    return cases;
}

RunPtr load_case(const fs::path& folder) {
    LoadProgress progress;
    const fs::path paths[] = {folder};
    Result<RunPtr> run = load_run(paths, {}, progress, {});
    REQUIRE(run.has_value());
    return *run;
}

}  // namespace

TEST_CASE("the cause of the slow rank is that of the truth, and decoys name no clock") {
    for (const fs::path& folder : telemetry_cases()) {
        CAPTURE(folder.string());
        const Json truth = Json::parse(text_of_file(folder.string() + ".truth.json"));
        const RunPtr run = load_case(folder);
        const Table stragglers = answer_of(*run, "stragglers").main();
        CHECK(RankKey::unpacked(stragglers.integer(0, 0)).number == truth.at("rank").get<int>());
        const Table causes = answer_of(*run, "straggler-causes").main();
        const std::string_view cause = causes.text(0, 1);
        if (truth.at("cause").is_string())
            CHECK(cause == truth.at("cause").get<std::string>());
        else
            CHECK(cause == "slower kernels");
        for (std::size_t row = 0; row < causes.rows(); ++row)
            CHECK((causes.text(row, 1) == "clocks") == (truth.value("cause", Json()) == "clocks" && row == 0));
        if (cause != "clocks") continue;
        CHECK(causes.text(0, causes.find_column("reason")) == truth.at("reason").get<std::string>());
        const double ratio = causes.number(0, causes.find_column("clock_ratio"));
        CHECK(std::abs(ratio - truth.at("clock_ratio").get<double>()) <= 0.01);
        if (truth.contains("log_utc_offset_s"))
            CHECK(telemetry_of(*run)->logs.front().utc_offset == truth.at("log_utc_offset_s").get<std::int64_t>());
    }
}
