// Opens arbitrary bytes as a run summary, unchanged and with all checksums corrected as a forger would; reads stored
// answers, computed answers and lanes of those that open.

#include "core/analysis/catalogue/registry.hpp"
#include "core/analysis/run/run_analysis.hpp"
#include "core/analysis/run/summary_answers.hpp"
#include "core/doctor/doctor.hpp"
#include "core/export/write_summary.hpp"
#include "core/ingest/load/load_run.hpp"
#include "tests/core/ingest/index_file/summary_fixture.hpp"
#include "tests/core/trace_fixture.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <unistd.h>

namespace {

using namespace core;

const std::filesystem::path& scratch_file() {
    static const std::filesystem::path file = [] {
        const std::filesystem::path shared = "/dev/shm";
        const bool in_memory = ::access(shared.c_str(), W_OK) == 0;
        return (in_memory ? shared : std::filesystem::temp_directory_path()) /
               ("lockstep-fuzz-" + std::to_string(::getpid()) + ".lockstep-summary");
    }();
    return file;
}

void ask(const Run& run) {
    for (const Analysis& analysis : all_analyses()) {
        if (analysis.in_summary == InSummary::Nothing) continue;
        (void)run_analysis(analysis, run, {}, *make_params(analysis, {}), 1, {}).has_value();
    }
    (void)examine_run(run, 1, {}).has_value();
    std::vector<PixelColumn> columns(64);
    for (const RankSlot& rank : run.ranks()) {
        const RankTrace& trace = rank.trace();
        for (std::size_t lane = 0; lane < trace.lanes.size() && lane < 64; ++lane)
            rank.index->pyramid(lane).collect_columns(trace, rank.index->classes(), trace.window.begin, 0, 100,
                                                      columns);
    }
}

void open_bytes_as_summary(std::string_view bytes) {
    core::testing::write_bytes(scratch_file(), bytes);
    LoadProgress progress;
    const std::filesystem::path paths[] = {scratch_file()};
    const Result<RunPtr> run = load_run(paths, {}, progress, {});
    if (run && is_summary(**run)) ask(**run);
}

RunPtr two_ranks() {
    std::vector<RankTracePtr> traces;
    for (int rank = 0; rank < 2; ++rank) {
        core::testing::TraceFixture fixture;
        fixture.rank(rank).step(0, 60, 1).step(60, 60, 2);
        for (int i = 0; i < 6; ++i) {
            fixture.cpu(20 * i, 15, "aten::mm").launch(20 * i + 1, 2, i + 1);
            fixture.kernel(20 * i + 5, 9 + rank, i % 3 == 0 ? "ncclDevKernel_AllReduce" : "gemm", 7 + i % 2, i + 1);
        }
        traces.push_back(fixture.build());
    }
    return core::testing::run_of(traces);
}

}  // namespace

std::vector<std::string> fuzz::make_seeds() {
    if (!write_summary(two_ranks(), scratch_file(), 1, {})) fail("no run summary can be written");
    std::vector<std::string> seeds{core::testing::read_bytes(scratch_file())};
    std::filesystem::remove(scratch_file());
    return seeds;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string bytes(fuzz::as_text(data, size));
    open_bytes_as_summary(bytes);
    core::testing::seal_summary(bytes);
    open_bytes_as_summary(bytes);
    std::filesystem::remove(scratch_file());
    return 0;
}
