#pragma once
// Reads Python pickles of protocols 0 to 5 that hold plain data. Nothing is ever called: every opcode that could
// import, build or call an object is refused with its byte offset. Streams: holds the values, never the file.
// Memory is bounded by `most_values` and by the bytes that are there; no length in the file is trusted.

#include "core/base/jobs.hpp"
#include "core/ingest/pickle/value_tree.hpp"
#include "core/ingest/source/byte_source.hpp"

namespace core {

struct PickleLimits {
    std::uint64_t most_values = std::uint64_t{1} << 26;  // pushed on the stack in all
    std::uint64_t most_text_bytes = std::uint64_t{1} << 31;
    std::size_t most_marks = 256;  // open at once: depth of containers under construction
};

// Protocols 0 and 1 have no magic number: true only if a dictionary or a list begins.
bool begins_pickle(std::string_view head);

// Errors: "byte 17: …". What follows the end of the pickle is not read.
Result<ValueTree> read_pickle(ByteSource& source, const PickleLimits& limits, const JobContext& context);

}  // namespace core
