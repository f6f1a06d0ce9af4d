// Opens arbitrary bytes as an index file, unchanged and with all checksums corrected as a forger would; reads events,
// lanes and some analyses of those that open.

#include "core/analysis/catalogue/registry.hpp"
#include "core/analysis/run/run_analysis.hpp"
#include "tests/core/ingest/index_file/index_fixture.hpp"
#include "tests/core/trace_fixture.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <unistd.h>

namespace {

using namespace core;

// In memory if possible: a file is written twice for each input.
const std::filesystem::path& scratch_file() {
    static const std::filesystem::path file = [] {
        const std::filesystem::path shared = "/dev/shm";
        const bool in_memory = ::access(shared.c_str(), W_OK) == 0;
        return (in_memory ? shared : std::filesystem::temp_directory_path()) /
               ("lockstep-fuzz-" + std::to_string(::getpid()) + ".lockstep-index");
    }();
    return file;
}

// Running all analyses each time would dominate the cost; the bytes choose some.
constexpr std::size_t kAnalysesOfInput = 4;

void ask(const RankIndexPtr& index, std::uint64_t hash) {
    const RankTrace& trace = index->trace();
    RunParts parts;
    parts.names = std::make_shared<InternedNames>();
    parts.ranks.push_back({{0, 0}, {}, index, {}, parts.names->build_table(trace.names)});
    const Run run(std::move(parts));
    for (std::size_t i = 0; i < kAnalysesOfInput; ++i) {
        const Analysis& analysis = all_analyses()[(hash + i) % all_analyses().size()];
        const Result<Params> params = make_params(analysis, {});
        (void)run_analysis(analysis, run, {}, *params, 1, {}).has_value();
    }
    for (std::uint32_t e = 0; e < trace.size() && e < 64; ++e) (void)trace.event_text(EventId{e}).has_value();
    std::vector<PixelColumn> columns(64);
    for (std::size_t lane = 0; lane < trace.lanes.size() && lane < 64; ++lane)
        index->pyramid(lane).collect_columns(trace, index->classes(), trace.window.begin, 0, 100, columns);
}

void open_bytes_as_index(std::string_view bytes) {
    std::filesystem::remove(scratch_file());  // a new inode each time, so that no certificate applies
    core::testing::write_bytes(scratch_file(), bytes);
    // Twice: what the first opening certifies, the second one believes.
    for (const IndexCheck check : {IndexCheck::InFull, IndexCheck::AsCertified}) {
        const Result<OpenedIndex> opened =
            open_index_file(scratch_file(), "rank0.json", std::nullopt, ClassRules::standard(), {}, check);
        if (opened) ask(opened->index, quick_hash(bytes));
    }
}

RankTracePtr trace_of_all_kinds() {
    core::testing::TraceFixture fixture;
    fixture.rank(3).step(0, 60, 1).step(60, 60, 2);
    for (int i = 0; i < 6; ++i) {
        fixture.cpu(20 * i, 15, "aten::mm").launch(20 * i + 1, 2, i + 1).arg(Arg::InputDims, "[[1, 2]]");
        fixture.kernel(20 * i + 5, 9, i % 3 == 0 ? "ncclDevKernel_AllReduce" : "gemm", 7 + i % 2, i + 1);
    }
    fixture.batch().text_store.add(0, 10, R"({"a": 1})", "");
    fixture.info().groups = {{"0", "default_pg", "nccl", 2, {0, 1}}};
    return fixture.build();
}

}  // namespace

std::vector<std::string> fuzz::make_seeds() {
    std::vector<std::string> seeds;
    for (const RankTracePtr& trace : {core::testing::TraceFixture().build(), trace_of_all_kinds()}) {
        const RankIndex index(trace, ClassRules::standard());
        if (!write_index_file(scratch_file(), index, {}, ClassRules::standard(), false, {}))
            fail("no index file can be written");
        seeds.push_back(core::testing::read_bytes(scratch_file()));
    }
    std::filesystem::remove(scratch_file());
    return seeds;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string bytes(fuzz::as_text(data, size));
    open_bytes_as_index(bytes);
    core::testing::seal(bytes);
    open_bytes_as_index(bytes);
    std::filesystem::remove(scratch_file());
    return 0;
}
