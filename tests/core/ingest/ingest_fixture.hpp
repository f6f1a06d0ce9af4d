#pragma once
// One-line builders for tests of the readers: files that vanish with the test, gzip, and a whole load.

#include "core/ingest/event_splitter.hpp"
#include "core/ingest/kineto_json.hpp"
#include "core/ingest/load_run.hpp"

#include <doctest/doctest.h>
#include <zlib.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>

#include <unistd.h>

namespace core::testing {

// A folder that is removed with everything in it.
class ScratchFolder {
public:
    ScratchFolder() {
        static std::atomic<int> count{0};
        path_ = std::filesystem::temp_directory_path() /
                ("lockstep-test-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
        std::filesystem::create_directories(path_);
    }
    ~ScratchFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path write(std::string_view name, std::string_view bytes) const {
        const std::filesystem::path file = path_ / name;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        return file;
    }

private:
    std::filesystem::path path_;
};

inline std::string gzip(std::string_view bytes) {
    z_stream stream{};
    REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    std::string packed(deflateBound(&stream, bytes.size()), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    return packed;
}

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

// As Kineto writes one, with every kind of record in it.
inline std::string small_kineto_trace() {
    return R"json({
  "schemaVersion": 1,
  "deviceProperties": [
    {
      "id": 0, "name": "Test GPU", "totalGlobalMem": 85045477376
    }
  ],
  "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8, "pg_config": [{"pg_name": "0", "pg_desc": "default_pg", "backend_config": "cuda:nccl", "pg_size": 8, "ranks": [0, 1, 2, 3, 4, 5, 6, 7]}], "nccl_version": "2.27.5"},
  "displayTimeUnit": "ms",
  "baseTimeNanoseconds": 1700000000000000000,
  "traceEvents": [
  {
    "ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 100, "tid": 100,
    "ts": 1000.001, "dur": 20.500,
    "args": {
      "External id": 1, "Sequence number": 7, "Input Dims": [[128, 64], []]
    }
  },
  {
    "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 100, "tid": 100,
    "ts": 1005, "dur": 4,
    "args": {
      "External id": 1, "cbid": 211, "correlation": 42
    }
  },
  {
    "ph": "X", "cat": "kernel", "name": "void add_kernel<float>(float*, \"q\")", "pid": 0, "tid": 7,
    "ts": 1020.250, "dur": 9.750,
    "args": {
      "device": 0, "stream": 7, "correlation": 42, "grid": [1, 1, 1]
    }
  },
  {
    "ph": "s", "id": 42, "pid": 100, "tid": 100, "ts": 1005,
    "cat": "ac2g", "name": "ac2g"
  },
  {
    "ph": "f", "id": 42, "pid": 0, "tid": 7, "ts": 1020.250,
    "cat": "ac2g", "name": "ac2g", "bp": "e"
  },
  {
    "name": "process_name", "ph": "M", "ts": 1000, "pid": 100, "tid": 0,
    "args": {
      "name": "python"
    }
  },
  {
    "name": "Memory", "ph": "C", "ts": 1001, "pid": 100, "args": {"allocated": 12.5}
  },
  {
    "name": "Iteration Start: PyTorch Profiler", "ph": "i", "s": "g",
    "pid": "Traces", "tid": "Trace PyTorch Profiler", "ts": 1000
  },
  {
    "name": "Record Window End", "ph": "i", "s": "g", "pid": "", "tid": "", "ts": 1100
  }
  ],
  "traceName": "/tmp/trace.json"
}
)json";
}

}  // namespace core::testing
