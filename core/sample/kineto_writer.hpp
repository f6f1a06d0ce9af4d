#pragma once
// One rank's events as text in the layout of Kineto's writer.
//
// Host events first, then the calls and the device work of each step; metadata closes the file.
// Counts events by category and phase. Applies the rank's clock and what records lose or misstate.

#include "core/base/output_file.hpp"
#include "core/sample/rank_recorder.hpp"
#include "core/sample/sample_plan.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace core::sample {

// clang-format off
enum class Counted : std::uint8_t {
    CpuOp, UserAnnotation, PythonFunction, CpuInstant, CudaRuntime, CudaDriver, Kernel, GpuMemcpy, GpuMemset, CudaSync,
    GpuUserAnnotation, LaunchStart, LaunchEnd, ForwardStart, ForwardEnd, Counter, Metadata, Trace, Instant, Count,
};
// clang-format on
struct CountedName {
    const char* phase;
    const char* category;
};
CountedName counted_name(Counted counted);

struct CounterSample {
    std::int64_t at_ns = 0;   // true time
    std::int64_t permille = 0;
};

class KinetoWriter {
public:
    KinetoWriter(const Catalog& catalog, const Topology& topology, int rank, RankClock clock, RecordFaults faults,
                 std::string trace_name);

    void write_header(OutputFile& file);
    void write_step(OutputFile& file, const RankRecorder& recorder, const std::vector<CounterSample>& utilization);
    void write_footer(OutputFile& file, std::int64_t begin_ns, std::int64_t end_ns);

    std::uint64_t events() const;
    std::uint64_t text_bytes() const { return text_bytes_; }
    const std::array<std::uint64_t, static_cast<std::size_t>(Counted::Count)>& counts() const { return counts_; }

private:
    void add(std::string_view text) { text_.append(text); }
    void add(std::int64_t number);
    void add_time(std::int64_t ns) { add_microseconds(clock_.show(ns)); }
    void add_microseconds(std::int64_t ns);
    void add_row(Lane lane);
    void add_head(Counted counted, std::string_view category, std::string_view name, std::string_view name_end,
                  const Event& event);
    void add_args_begin(const Event& event);
    void add_numbered_head(Counted counted, std::string_view category, const Event& event);
    void close_event() { add("\n    }\n  },"); }

    void add_host_event(const Event& event, const RankRecorder& recorder);
    void add_operator(const Event& event, const RankRecorder& recorder);
    void add_forward_flow(const Event& event);
    void add_python(const Event& event);
    void add_memory(const Event& event);
    void add_call(const Event& event);
    void add_device_event(const Event& event, const RankRecorder& recorder);
    void add_kernel(const Event& event, const RankRecorder& recorder);
    void add_transfer(const Event& event);
    void add_sync(const Event& event);
    void add_collective(const Collective& recorded);
    void add_launch_flow(const Event& event, bool start);
    void add_gpu_annotations(const RankRecorder& recorder);
    void add_counters(const std::vector<CounterSample>& utilization);
    void add_metadata(std::string_view name, std::string_view pid, std::int64_t tid, std::string_view key,
                      std::string_view value, std::int64_t at_ns);
    void add_process_metadata(std::int64_t at_ns);
    void count(Counted counted) { ++counts_[static_cast<std::size_t>(counted)]; }
    void flush(OutputFile& file);      // once there is much
    void write_out(OutputFile& file);  // all
    std::int64_t backward_thread() const { return main_thread_ + 1466; }

    const Catalog& catalog_;
    Topology topology_;
    int rank_;
    RankClock clock_;
    RecordFaults faults_;
    std::string trace_name_;
    std::array<std::string, kLaneCount> rows_;  // "pid": …, "tid": …
    std::array<std::string, kGroupKindCount> group_args_;
    std::int64_t main_thread_;  // its id is the process id
    std::string cpu_pid_;
    std::string gpu_pid_;
    std::string text_;
    std::int64_t next_event_index_ = 0;
    std::uint64_t text_bytes_ = 0;
    std::array<std::uint64_t, static_cast<std::size_t>(Counted::Count)> counts_{};
};

inline constexpr int kGpusPerHost = 8;

// Tid of a stream; the host threads have their own.
int stream_of(Lane lane);

}  // namespace core::sample
