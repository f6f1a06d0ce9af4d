// Reads arbitrary bytes as a chunk of events twice, by layouts and by parsing alone, and aborts if the batches differ.

#include "core/ingest/kineto/kineto_json.hpp"

#include "tests/core/ingest/kineto/batch_difference.hpp"
#include "tests/core/ingest/load/small_trace.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <cstring>

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

// Cuts as the splitter does: from the first boundary to the end.
std::vector<std::string> fuzz::make_seeds() {
    const std::string whole = core::testing::small_kineto_trace();
    return {whole.substr(whole.find("\"ph\": \"X\""))};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = fuzz::as_text(data, size);
    core::KinetoParser by_layout(core::KnownLayouts::Use);
    core::KinetoParser parsing(core::KnownLayouts::Ignore);
    const core::EventBatch expected = read(parsing, text);
    for (int round = 0; round < 2; ++round) {
        const std::string difference = core::testing::find_difference(read(by_layout, text), expected);
        if (!difference.empty()) fuzz::fail("round " + std::to_string(round) + ": " + difference + " differ");
    }
    return 0;
}
