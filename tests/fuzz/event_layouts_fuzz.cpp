// Reads arbitrary bytes as a chunk of events twice, by layouts and by parsing alone, and stops where the batches differ.
// With clang's -fsanitize=fuzzer it is a libFuzzer target (define LOCKSTEP_LIBFUZZER); otherwise its main runs every
// file it is given.

#include "core/ingest/kineto_json.hpp"

#include "tests/core/ingest/batch_difference.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

namespace {

core::EventBatch read(core::KinetoParser& parser, std::string_view text) {
    core::EventChunk chunk;
    chunk.storage.assign(1 + text.size() + core::EventChunk::kMargin, '"');
    std::memcpy(chunk.storage.data() + 1, text.data(), text.size());
    chunk.size = text.size();
    chunk.boundary = "{\"ph\":";
    return parser.parse_chunk(chunk);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    core::KinetoParser by_layout(core::KnownLayouts::Use);
    core::KinetoParser parsing(core::KnownLayouts::Ignore);
    const core::EventBatch expected = read(parsing, text);
    for (int round = 0; round < 2; ++round) {
        const std::string difference = core::testing::find_difference(read(by_layout, text), expected);
        if (difference.empty()) continue;
        std::fprintf(stderr, "round %d: %s differ\n", round, difference.c_str());
        std::abort();
    }
    return 0;
}

#ifndef LOCKSTEP_LIBFUZZER
int main(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        std::ifstream file(argv[i], std::ios::binary);
        const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    }
    std::printf("%d inputs\n", argc - 1);
    return 0;
}
#endif
