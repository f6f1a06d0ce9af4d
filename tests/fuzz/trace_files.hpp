#pragma once
// Bytes as a file of any name for fuzzers of readers that open files themselves. What opens has as many records as its
// parts, and its events can be looked at.

#include "core/ingest/source/trace_reader.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

namespace fuzz {

// A file of this name with these bytes, in a folder of this process; the last one is replaced.
inline std::filesystem::path write_trace(std::string_view name, std::string_view bytes) {
    static const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("lockstep-fuzz-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    const std::filesystem::path path = folder / name;
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path;
}

inline void check_rank(const core::RankTrace& rank) {
    const core::RecordCounts& n = rank.info.records;
    if (n.total != n.complete + n.paired + n.instants + n.counters + n.flows + n.metadata + n.dropped)
        fail("the records are not the sum of their parts");
    for (std::uint32_t e = 0; e < rank.size(); ++e) {
        if (rank.duration[e].count() < 0) fail("a negative duration");
        if (e < 64) (void)rank.event_text(core::EventId{e}).has_value();
    }
}

// The ranks of a reader; none if it refuses, which it has to explain.
inline std::vector<core::RankTracePtr> read_ranks(core::Result<std::unique_ptr<core::TraceReader>> reader) {
    if (!reader) {
        if (reader.error().message.empty()) fail("refused without a word");
        return {};
    }
    (*reader)->work({});
    core::Result<std::vector<core::RankTracePtr>> ranks = (*reader)->finish_ranks({});
    if (!ranks) {
        if (ranks.error().message.empty()) fail("refused without a word");
        return {};
    }
    for (const core::RankTracePtr& rank : *ranks) check_rank(*rank);
    return std::move(*ranks);
}

}  // namespace fuzz
