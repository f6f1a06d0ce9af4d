#pragma once
// A sample of a few ranks: its traces in one folder, its index files and its run summary in another.

#include "core/collectives/choose_clocks.hpp"
#include "core/collectives/waits.hpp"
#include "core/export/write_summary.hpp"
#include "core/ingest/index_file/summary_file.hpp"
#include "core/ingest/load/load_run.hpp"
#include "core/sample/sample_run.hpp"
#include "tests/core/temp_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <vector>

namespace core::testing {

struct SummaryBeside {
    SummaryBeside() {
        SampleOptions options;
        options.ranks = 4;
        options.steps = 3;
        options.layers = 2;
        REQUIRE(write_sample_run(traces.path(), options, {}));
        LoadProgress progress;
        REQUIRE(build_index_files(std::vector{traces.path()}, {.folder = index.path()}, progress, {}));
        full = with_clocks(load(traces.path()), ClockChoice::Auto);
        REQUIRE(write_summary(load(traces.path()), file, 2, {}));
        summary = with_clocks(load(file), ClockChoice::Auto);
    }
    static RunPtr load(const std::filesystem::path& path) {
        LoadProgress progress;
        const Result<RunPtr> run = load_run(std::vector{path}, {}, progress, {});
        REQUIRE_MESSAGE(run, (run ? std::string() : run.error().message));
        return *run;
    }
    std::filesystem::path index_file_of(std::size_t slot) const {
        return index.path() / (full->rank(slot).trace().info.path.filename().string() + ".lockstep-index");
    }

    TempFolder traces, index;
    std::filesystem::path file = index.path() / kSummaryFileName;
    RunPtr full;
    RunPtr summary;
};

}  // namespace core::testing
