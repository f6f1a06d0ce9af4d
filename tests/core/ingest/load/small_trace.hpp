#pragma once
// A small trace as text, and gzip, for tests and fuzzers. Needs no test program around it.

#include <zlib.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace core::testing {

inline std::string gzip(std::string_view bytes) {
    z_stream stream{};
    if (deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) std::abort();
    std::string packed(deflateBound(&stream, bytes.size()), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    if (deflate(&stream, Z_FINISH) != Z_STREAM_END) std::abort();
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    return packed;
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
