// Damages a packed trace as the bytes say: a stretch is cut out, overwritten, repeated or zeroed. The answer is that of
// the whole file, or the run says that it is incomplete.

#include "core/analysis/catalogue/registry.hpp"
#include "core/analysis/run/run_analysis.hpp"
#include "core/export/csv.hpp"
#include "core/ingest/load/load_run.hpp"
#include "tests/core/damage.hpp"
#include "tests/core/ingest/load/small_trace.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>

#include <unistd.h>

namespace {

using namespace core;

// In memory if possible.
const std::filesystem::path& scratch_file() {
    static const std::filesystem::path file = [] {
        const std::filesystem::path shared = "/dev/shm";
        const bool in_memory = ::access(shared.c_str(), W_OK) == 0;
        return (in_memory ? shared : std::filesystem::temp_directory_path()) /
               ("lockstep-fuzz-" + std::to_string(::getpid()) + "-rank0.json.gz");
    }();
    return file;
}

struct Told {
    bool incomplete = false;
    std::string answers;
};

Told ask(std::string_view bytes) {
    std::ofstream(scratch_file(), std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    LoadProgress progress;
    LoadOptions options;
    options.index_files = IndexFiles::Ignore;
    const std::filesystem::path& file = scratch_file();
    const Result<RunPtr> run = load_run(std::span(&file, 1), options, progress, {});
    std::filesystem::remove(file);
    if (!run) return {.incomplete = true, .answers = {}};
    Told told;
    const Diagnostics all = (*run)->all_diagnostics();
    told.incomplete =
        std::ranges::any_of(all.entries(), [](const Diagnostic& entry) { return entry.kind->incomplete; });
    for (const char* const id : {"kernels", "temporal-breakdown"}) {
        const Analysis& analysis = *find_analysis(id);
        const Result<Answer> answer = run_analysis(analysis, **run, {}, *make_params(analysis, {}), 1, {});
        told.answers += answer ? to_csv(answer->main()) : answer.error().message;
    }
    return told;
}

const std::string& whole_file() {
    static const std::string packed = core::testing::gzip(core::testing::small_kineto_trace());
    return packed;
}

constexpr std::size_t kHeadBytes = 8;  // kind, 3 of the place, 2 of the size, 2 of the seed

std::string seed(core::testing::DamageKind kind, std::size_t at, std::size_t size) {
    return {static_cast<char>(kind),
            static_cast<char>(at),
            static_cast<char>(at >> 8),
            0,
            static_cast<char>(size),
            static_cast<char>(size >> 8),
            1,
            0};
}

}  // namespace

std::vector<std::string> fuzz::make_seeds() {
    std::vector<std::string> seeds;
    for (const core::testing::DamageKind kind : core::testing::kDamageKinds)
        for (const std::size_t at : {0u, 5u, 40u, 400u})
            for (const std::size_t size : {1u, 30u}) seeds.push_back(seed(kind, at, size));
    return seeds;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Told truth = ask(whole_file());
    if (truth.incomplete) fuzz::fail("the whole file is incomplete");
    if (size < kHeadBytes) return 0;
    const core::testing::Damage damage{
        .kind = core::testing::kDamageKinds[data[0] % core::testing::kDamageKinds.size()],
        .at = (data[1] | std::size_t{data[2]} << 8 | std::size_t{data[3]} << 16) % whole_file().size(),
        .size = data[4] | std::size_t{data[5]} << 8,
        .seed = data[6] | std::uint32_t{data[7]} << 8};
    const Told told = ask(core::testing::damaged(whole_file(), damage));
    if (!told.incomplete && told.answers != truth.answers) fuzz::fail("other answers, and nothing is said to be lost");
    return 0;
}
