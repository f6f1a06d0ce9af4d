#pragma once
// Four ranks on one host, each with a GPU of its own, that compute and then meet in an all-reduce: six steps of five
// seconds from 2025-12-31 14:00:00 UTC. One rank's kernels take 1980/1410 as long. With texts of logs of their GPUs.

#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/ingest/load/ingest_fixture.hpp"

#include <functional>
#include <string>

namespace core::testing {

inline constexpr int kTelemetryRanks = 4;
inline constexpr int kTelemetrySteps = 6;
inline constexpr int kTelemetryStep = 5;  // seconds
inline constexpr std::int64_t kTelemetryBase = 1'767'189'600;  // 2025-12-31 14:00:00 UTC
inline constexpr int kSlowRank = 2;

struct LoggedSecond {
    int gpu = 0;
    std::int64_t second = 0;  // since kTelemetryBase
    int clock = 0;  // MHz
    int power = 0;  // W
    int reasons = 0;
};

inline bool is_telemetry_slow(int rank) { return rank == kSlowRank; }

inline std::string telemetry_trace(int rank) {
    const auto event = [](std::string_view category, const std::string& name, std::int64_t pid, int tid,
                          std::int64_t ts_us, std::int64_t dur_us, const std::string& args) {
        return R"({"ph": "X", "cat": ")" + std::string(category) + R"(", "name": ")" + name + R"(", "pid": )" +
               std::to_string(pid) + R"(, "tid": )" + std::to_string(tid) + R"(, "ts": )" + std::to_string(ts_us) +
               R"(, "dur": )" + std::to_string(dur_us) + R"(, "args": {)" + args + "}}";
    };
    std::string events;
    for (int step = 0; step < kTelemetrySteps; ++step) {
        const std::int64_t begin = std::int64_t{step} * kTelemetryStep * 1'000'000;
        const std::int64_t compute = is_telemetry_slow(rank) ? 4'914'893 : 3'500'000;
        const std::string correlation = R"("correlation": )" + std::to_string(2 * step + 1);
        const std::string later = R"("correlation": )" + std::to_string(2 * step + 2);
        const std::string on = R"(, "device": )" + std::to_string(rank) + R"(, "stream": )";
        const std::string reduce = later + on + R"(20, "Collective name": "allreduce", "dtype": "Float", )" +
                                   R"("In msg nelems": 1024, "Out msg nelems": 1024, "Group size": 4, )" +
                                   R"("Process Group Name": "0", "Process Group Ranks": "[0, 1, 2, 3]", "Seq": )" +
                                   std::to_string(step);
        const std::int64_t arrival = begin + 2'000 + compute;
        for (const std::string& one :
             {event("user_annotation", "ProfilerStep#" + std::to_string(step), 100 + rank, 1, begin, 4'990'000, ""),
              event("cuda_runtime", "cudaLaunchKernel", 100 + rank, 1, begin + 10, 5, correlation),
              event("kernel", "gemm", rank, 7, begin + 1'000, compute, correlation + on + "7"),
              event("cuda_runtime", "cudaLaunchKernel", 100 + rank, 1, begin + 20, 5, later),
              event("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", rank, 20, arrival, begin + 4'950'000 - arrival,
                    reduce)})
            events += (events.empty() ? "" : ",") + one;
    }
    return R"({"schemaVersion": 1, "host_name": "node-a", "distributedInfo": {"backend": "nccl", "rank": )" +
           std::to_string(rank) + R"(, "world_size": 4}, "baseTimeNanoseconds": )" + std::to_string(kTelemetryBase) +
           R"(000000000, "traceEvents": [)" + events + "]}";
}

inline void write_telemetry_traces(const ScratchFolder& folder) {
    for (int rank = 0; rank < kTelemetryRanks; ++rank)
        folder.write("rank" + std::to_string(rank) + ".json", telemetry_trace(rank));
}

inline RunPtr open_folder(const ScratchFolder& folder) {
    LoadProgress progress;
    const Result<RunPtr> run = load_run(std::vector{folder.path()}, {}, progress, JobContext{});
    REQUIRE_MESSAGE(run.has_value(), (run ? "" : run.error().message));
    return *run;
}

// A line for every GPU and second, from ten seconds before the traces to ten after.
inline std::string telemetry_lines(const std::function<std::string(const LoggedSecond&)>& line) {
    std::string text;
    for (std::int64_t second = -10; second < kTelemetrySteps * kTelemetryStep + 10; ++second)
        for (int gpu = 0; gpu < kTelemetryRanks; ++gpu) {
            const bool slow = is_telemetry_slow(gpu);
            text += line({.gpu = gpu,
                          .second = second,
                          .clock = slow ? 1410 : 1980,
                          .power = slow ? 699 : 500,
                          .reasons = slow ? 4 : 0});
        }
    return text;
}

// "14:00:07": of the second, on a clock so many hours ahead of UTC.
inline std::string clock_text(std::int64_t second, int hours_ahead = 0) {
    const std::int64_t of_day = (14 + hours_ahead) * 3600 + second;
    const auto two = [](std::int64_t n) { return (n < 10 ? "0" : "") + std::to_string(n); };
    return two(of_day / 3600) + ":" + two(of_day / 60 % 60) + ":" + two(of_day % 60);
}

inline std::string query_csv(int hours_ahead = 0) {
    return "timestamp, index, uuid, clocks.current.sm [MHz], power.draw [W], temperature.gpu, "
           "clocks_event_reasons.active\n" +
           telemetry_lines([&](const LoggedSecond& at) {
               return "2025/12/31 " + clock_text(at.second, hours_ahead) + ".000, " + std::to_string(at.gpu) +
                      ", GPU-0000000" + std::to_string(at.gpu) + ", " + std::to_string(at.clock) + " MHz, " +
                      std::to_string(at.power) + ".00 W, 64, 0x000000000000000" + std::to_string(at.reasons) + "\n";
           });
}

}  // namespace core::testing
