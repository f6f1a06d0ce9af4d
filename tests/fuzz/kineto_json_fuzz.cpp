// Feeds arbitrary bytes to the splitter and the parser. With clang's -fsanitize=fuzzer it is a libFuzzer target (define
// LOCKSTEP_LIBFUZZER); otherwise its main runs every file it is given.

#include "core/ingest/event_splitter.hpp"
#include "core/ingest/kineto_json.hpp"
#include "core/ingest/kineto_metadata.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

namespace {

class BytesSource final : public core::ByteSource {
public:
    explicit BytesSource(std::string_view bytes) : bytes_(bytes) {}
    core::Result<std::size_t> read(std::span<char> to) override {
        const std::size_t size = std::min(to.size(), bytes_.size());
        std::memcpy(to.data(), bytes_.data(), size);
        bytes_.remove_prefix(size);
        return size;
    }
    std::uint64_t consumed() const override { return 0; }

private:
    std::string_view bytes_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    BytesSource source({reinterpret_cast<const char*>(data), size});
    core::SplitterLimits limits;
    limits.chunk_bytes = 256;
    limits.event_bytes = 4096;
    core::EventSplitter splitter(source, limits);
    core::KinetoParser parser;
    core::EventChunk chunk;
    for (core::Result<bool> more = splitter.next(chunk); more && *more; more = splitter.next(chunk)) {
        const core::RecordCounts n = parser.parse_chunk(chunk).records;
        if (n.total != n.complete + n.paired + n.instants + n.counters + n.flows + n.metadata + n.dropped) std::abort();
    }
    core::RankInfo info;
    core::Diagnostics diagnostics;
    core::read_kineto_metadata(splitter.metadata(), info, diagnostics);
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
