// The part that all fuzzers share: writing seeds, and the main of an ordinary program.

#include "tests/fuzz/fuzz.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace fuzz {

void fail(std::string_view what) {
    std::fprintf(stderr, "%.*s\n", static_cast<int>(what.size()), what.data());
    std::abort();
}

namespace {

void write_seeds(const std::filesystem::path& folder) {
    std::filesystem::create_directories(folder);
    const std::vector<std::string> seeds = make_seeds();
    for (std::size_t i = 0; i < seeds.size(); ++i) {
        std::ofstream out(folder / ("seed-" + std::to_string(i)), std::ios::binary);
        out.write(seeds[i].data(), static_cast<std::streamsize>(seeds[i].size()));
        if (!out.flush()) fail("seeds cannot be written to " + folder.string());
    }
}

}  // namespace
}  // namespace fuzz

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
    if (*argc != 3 || std::string_view((*argv)[1]) != "--write-seeds") return 0;
    fuzz::write_seeds((*argv)[2]);
    std::exit(0);
}

#ifndef LOCKSTEP_LIBFUZZER

namespace {

int inputs = 0;

void run_bytes(const std::string& bytes) {
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    ++inputs;
}

void run_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) fuzz::fail(path.string() + ": cannot be read");
    run_bytes({std::istreambuf_iterator<char>(file), {}});
}

void run_path(const std::filesystem::path& path) {
    if (!std::filesystem::is_directory(path)) return run_file(path);
    for (const auto& entry : std::filesystem::directory_iterator(path)) run_file(entry.path());
}

}  // namespace

int main(int argc, char** argv) {
    LLVMFuzzerInitialize(&argc, &argv);
    for (const std::string& seed : fuzz::make_seeds()) run_bytes(seed);
    for (int i = 1; i < argc; ++i) run_path(argv[i]);
    std::printf("%d inputs\n", inputs);
    return 0;
}

#endif
