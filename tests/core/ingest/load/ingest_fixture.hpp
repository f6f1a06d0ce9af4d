#pragma once
// One-line builders for tests of the readers: files that vanish with the test, gzip, and a whole load.

#include "core/ingest/json/event_splitter.hpp"
#include "core/ingest/kineto/kineto_json.hpp"
#include "core/ingest/load/load_run.hpp"
#include "tests/core/ingest/load/small_trace.hpp"
#include "tests/core/temp_folder.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <fstream>
#include <string>
#include <string_view>

namespace core::testing {

// A folder that is removed with everything in it.
class ScratchFolder : public TempFolder {
public:
    std::filesystem::path write(std::string_view name, std::string_view bytes) const {
        const std::filesystem::path file = path() / name;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        return file;
    }
};

// Bytes in memory, given out in pieces of at most `step`.
class MemorySource final : public ByteSource {
public:
    explicit MemorySource(std::string bytes, std::size_t step = 1 << 20) : bytes_(std::move(bytes)), step_(step) {}
    Result<std::size_t> read(std::span<char> to) override {
        const std::size_t size = std::min({to.size(), step_, bytes_.size() - at_});
        std::memcpy(to.data(), bytes_.data() + at_, size);
        at_ += size;
        return size;
    }
    std::uint64_t consumed() const override { return at_; }

private:
    std::string bytes_;
    std::size_t step_;
    std::size_t at_ = 0;
};

inline EventChunk make_chunk(std::string_view text, std::string_view boundary = "", std::uint64_t offset = 0) {
    EventChunk chunk;
    chunk.storage.assign(1 + text.size() + EventChunk::kMargin, ' ');
    std::memcpy(chunk.storage.data() + 1, text.data(), text.size());
    chunk.size = text.size();
    chunk.offset = offset;
    chunk.boundary = boundary;
    return chunk;
}

inline EventBatch parse(std::string_view events, std::string_view boundary = "") {
    EventChunk chunk = make_chunk(events, boundary);
    return KinetoParser().parse_chunk(chunk);
}

inline Result<RankTracePtr> load_file(const std::filesystem::path& path) {
    LoadProgress progress;
    return load_rank(path, progress, JobContext{});
}

inline Result<RankTracePtr> load_text(std::string_view json, std::string_view name = "trace.json") {
    const ScratchFolder folder;
    return load_file(folder.write(name, json));
}

inline std::uint64_t sum_of_parts(const RecordCounts& n) {
    return n.complete + n.paired + n.instants + n.counters + n.flows + n.metadata + n.dropped;
}

}  // namespace core::testing
