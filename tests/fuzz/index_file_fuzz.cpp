// Opens arbitrary bytes as an index file: as they are, and with every checksum made right as a forger would; what opens is
// asked everything. With clang's -fsanitize=fuzzer it is a libFuzzer target (define LOCKSTEP_LIBFUZZER); otherwise its
// main runs every file it is given. Seeds: any small index file.

#include "core/analysis/analysis.hpp"
#include "tests/core/ingest/index_fixture.hpp"

#include <cstdio>
#include <cstdlib>

#include <unistd.h>

namespace {

using namespace core;

const std::filesystem::path& scratch_file() {
    static const std::filesystem::path file =
        std::filesystem::temp_directory_path() / ("lockstep-fuzz-" + std::to_string(::getpid()) + ".lockstep-index");
    return file;
}

void ask_everything(const RankIndexPtr& index) {
    const RankTrace& trace = index->trace();
    RunParts parts;
    parts.names = std::make_shared<SessionNames>();
    parts.ranks.push_back({{0, 0}, {}, index, {}, parts.names->build_table(trace.names)});
    const Run run(std::move(parts));
    for (const Analysis& analysis : all_analyses()) {
        const Result<Params> params = make_params(analysis, {});
        (void)run_analysis(analysis, run, {}, *params, 1, {}).has_value();
    }
    for (std::uint32_t e = 0; e < trace.size() && e < 64; ++e) (void)trace.event_text(EventId{e}).has_value();
    std::vector<PixelColumn> columns(64);
    for (std::size_t lane = 0; lane < trace.lanes.size() && lane < 64; ++lane)
        index->pyramid(lane).collect_columns(trace, index->classes(), trace.window.begin, 0, 100, columns);
}

void open_bytes_as_index(std::string_view bytes) {
    std::filesystem::remove(scratch_file());  // a new inode each time: nothing vouches for it
    core::testing::write_bytes(scratch_file(), bytes);
    const Result<OpenedIndex> opened =
        open_index_file(scratch_file(), "rank0.json", std::nullopt, ClassRules::standard(), {}, IndexCheck::InFull);
    if (opened) ask_everything(opened->index);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string bytes(reinterpret_cast<const char*>(data), size);
    open_bytes_as_index(bytes);
    core::testing::seal(bytes);
    open_bytes_as_index(bytes);
    std::filesystem::remove(scratch_file());
    return 0;
}

#ifndef LOCKSTEP_LIBFUZZER
int main(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        const std::string bytes = core::testing::read_bytes(argv[i]);
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    }
    std::printf("%d inputs\n", argc - 1);
    return 0;
}
#endif
