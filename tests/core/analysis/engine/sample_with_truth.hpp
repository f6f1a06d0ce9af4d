#pragma once
// A small sample run and its truth.json.

#include "core/sample/sample_run.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/temp_folder.hpp"
#include "tests/golden/goldens.hpp"

#include <fstream>

namespace core::testing {

struct Sample {
    RunPtr run;
    Json truth;
};

inline Sample make_sample(bool candidate, int steps = 3) {
    const TempFolder folder;
    SampleOptions options;
    options.ranks = 4;
    options.steps = steps;
    options.layers = 2;
    options.candidate = candidate;
    REQUIRE(write_sample_run(folder.path(), options, {}));
    LoadProgress progress;
    const fs::path paths[] = {folder.path()};
    const Result<RunPtr> run = load_run(paths, {}, progress, {});
    REQUIRE(run);
    std::ifstream in(folder.path() / "truth.json");
    return {*run, Json::parse(in)};
}

}  // namespace core::testing
