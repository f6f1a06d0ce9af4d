// Costs of opening, in one run: the floor (read() in 1 MB blocks, and unpacking), time to the first
// rank, reading without index files, with writing them as the window or `lockstep index` does,
// opening from them up to the data of a first complete frame, and resident memory. Prints JSON.
// Removes its index files. Usage: bench_open_bench PATH…

#include "core/analysis/catalogue/registry.hpp"
#include "core/analysis/run/run_analysis.hpp"
#include "core/base/jobs.hpp"
#include "core/ingest/load/discover.hpp"
#include "core/ingest/load/load_run.hpp"
#include "core/ingest/source/byte_source.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace {

using namespace core;
namespace fs = std::filesystem;
using Paths = std::vector<fs::path>;

constexpr int kRounds = 5;

double ms_of(const std::function<void()>& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}
// Minimum of several runs, because other load only adds time.
double least_ms_of(const std::function<void()>& work) {
    double least = ms_of(work);
    for (int i = 1; i < kRounds; ++i) least = std::min(least, ms_of(work));
    return least;
}

double median_of(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

// Long work is timed between two readings of the floor, because the machine's speed changes within seconds.
struct Timed {
    std::vector<double> ms, floor_ms, per_floor;
};
Timed time_with_floor(const std::function<void()>& floor, const std::function<void()>& work) {
    Timed timed;
    double before = ms_of(floor);
    for (int i = 0; i < kRounds; ++i) {
        const double ms = ms_of(work);
        const double after = ms_of(floor);
        timed.ms.push_back(ms);
        timed.floor_ms.push_back((before + after) / 2);
        timed.per_floor.push_back(ms / timed.floor_ms.back());
        before = after;
    }
    return timed;
}

void read_blocks(const Paths& files) {
    std::vector<char> block(std::size_t{1} << 20);
    for (const fs::path& file : files) {
        const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
        while (::read(descriptor, block.data(), block.size()) > 0) {}
        ::close(descriptor);
    }
}

// Reads the bytes of the files, unpacked if packed, and discards them.
void unpack_files(const Paths& files) {
    Executor& executor = Executor::instance();
    executor.parallel_for(Priority::Load, files.size(), executor.threads(), [&](std::size_t i) {
        Result<std::unique_ptr<ByteSource>> source = open_bytes(files[i]);
        std::vector<char> block(std::size_t{1} << 20);
        for (bool more = source.has_value(); more;) {
            const Result<std::size_t> got = (*source)->read(block);
            more = got && *got > 0;
        }
    });
}

double first_rank_ms(const Paths& paths) {
    const auto begin = std::chrono::steady_clock::now();
    std::atomic<double> first{0};
    LoadProgress progress;
    LoadOptions options;
    options.on_rank = [&](const RunPtr&) {
        if (first == 0)
            first = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    };
    if (!load_run(paths, options, progress, {})) std::exit(1);
    return first;
}

RunPtr load(const Paths& paths, IndexFiles index_files = IndexFiles::Ignore) {
    LoadProgress progress;
    LoadOptions options;
    options.index_files = index_files;
    Result<RunPtr> run = load_run(paths, options, progress, {});
    if (!run) {
        std::fprintf(stderr, "%s\n", run.error().message.c_str());
        std::exit(1);
    }
    return *run;
}

// A folder of links to the files, next to which index files are written.
void link_files(const Paths& files, const fs::path& folder) {
    fs::remove_all(folder);
    fs::create_directories(folder);
    for (const fs::path& file : files) fs::create_symlink(fs::absolute(file), folder / file.filename());
}

void build(const Paths& paths, const fs::path& folder) {
    LoadProgress progress;
    BuildIndexOptions options;
    options.folder = folder;
    const Result<std::vector<IndexOutcome>> outcomes = build_index_files(paths, options, progress, {});
    if (outcomes) return;
    std::fprintf(stderr, "%s\n", outcomes.error().message.c_str());
    std::exit(1);
}

void ask_first_frame(const Run& run) {
    const Analysis& analysis = *find_analysis("temporal-breakdown");
    const Result<Answer> answer = run_analysis(analysis, run, {}, *make_params(analysis, {}), 2, {});
    if (!answer) std::exit(1);
    std::vector<PixelColumn> columns(1920);
    for (const RankSlot& rank : run.ranks()) {
        const RankTrace& trace = rank.trace();
        const double ns_per_px = static_cast<double>(trace.window.length().count()) / 1920;
        for (std::size_t lane = 0; lane < trace.lanes.size(); ++lane)
            rank.index->pyramid(lane).collect_columns(trace, rank.index->classes(), trace.window.begin, 0,
                                                      std::max(ns_per_px, 1e-3), columns);
    }
}

double resident_mb() {
    std::ifstream in("/proc/self/statm");
    std::uint64_t all = 0, resident = 0;
    in >> all >> resident;
    return static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1e6;
}

void print(const char* name, double value, const char* end = ",") {
    std::printf("  \"%s\": %.3f%s\n", name, value, end);
}

}  // namespace

int main(int argc, char** argv) {
    const Paths paths(argv + std::min(argc, 1), argv + argc);
    const Result<Discovery> found = discover_files(paths);
    if (!found || found->files.empty()) {
        std::fprintf(stderr, "usage: bench_open_bench PATH...\n");
        return 1;
    }
    Paths files;
    for (const FoundFile& file : found->files) files.push_back(file.path);
    const fs::path folder = fs::temp_directory_path() / ("lockstep-open-bench-" + std::to_string(::getpid()));

    read_blocks(files);
    build(paths, folder);
    // Memory of one open, before anything else has used any.
    const double before = resident_mb();
    RunPtr run = load({folder});
    ask_first_frame(*run);
    const double resident = resident_mb() - before;
    std::uint64_t records = 0;
    for (const RankSlot& rank : run->ranks()) records += rank.trace().info.records.total;
    const double reopen = least_ms_of([&] { run = load({folder}); });
    const double frame = least_ms_of([&] { ask_first_frame(*run); });
    run.reset();
    const auto floor = [&] { read_blocks(files); };
    const Timed cold = time_with_floor(floor, [&] { run = load(paths); });
    run.reset();
    const bool packed = std::ranges::any_of(files, [](const fs::path& file) { return file.extension() == ".gz"; });
    const double unpack = packed ? least_ms_of([&] { unpack_files(files); }) : 0;
    std::vector<double> first;
    for (int i = 0; i < kRounds; ++i) first.push_back(first_rank_ms(paths));
    const fs::path links = folder.string() + "-links";
    const Timed opened = time_with_floor(floor, [&] {
        link_files(files, links);
        run = load({links}, IndexFiles::Use);
    });
    run.reset();
    fs::remove_all(links);
    const Timed indexed = time_with_floor(floor, [&] {
        fs::remove_all(folder);
        build(paths, folder);
    });
    std::uint64_t index_bytes = 0;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
        index_bytes += entry.is_regular_file() ? entry.file_size() : 0;
    fs::remove_all(folder);

    std::printf("{\n");
    print("records", static_cast<double>(records));
    print("floor_ms", median_of(cold.floor_ms));
    print("cold_ms", median_of(cold.ms));
    print("cold_per_floor", median_of(cold.per_floor));
    print("first_rank_ms", median_of(first));
    if (packed) {
        print("unpack_ms", unpack);
        print("cold_per_unpack", median_of(cold.ms) / unpack);
        print("cold_with_index_files_per_unpack", median_of(opened.ms) / unpack);
        print("lockstep_index_per_unpack", median_of(indexed.ms) / unpack);
    }
    print("cold_with_index_files_ms", median_of(opened.ms));
    print("cold_with_index_files_per_floor", median_of(opened.per_floor));
    print("lockstep_index_ms", median_of(indexed.ms));
    print("lockstep_index_per_floor", median_of(indexed.per_floor));
    print("reopen_ms", reopen);
    print("first_frame_ms", frame);
    print("reopen_to_first_frame_ms", reopen + frame);
    print("index_bytes_per_record", static_cast<double>(index_bytes) / static_cast<double>(records));
    print("resident_bytes_per_record", resident * 1e6 / static_cast<double>(records), "");
    std::printf("}\n");
    return 0;
}
