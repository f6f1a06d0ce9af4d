#pragma once
// Packets of a Perfetto trace as rows: track events with their arguments, GPU render stages, counters, names of
// processes and threads. Keeps what later packets refer to (interned names, tracks, clocks) and the open events of each
// track, so memory grows with names and tracks, not with packets. Each writer of a trace (a sequence) has names of its
// own.

#include "core/ingest/nsys/rank_stage.hpp"
#include "core/ingest/perfetto/gpu_tracks.hpp"
#include "core/ingest/perfetto/perfetto_clocks.hpp"
#include "core/ingest/perfetto/wire.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace core {

class PerfettoPackets {
public:
    explicit PerfettoPackets(RankStage& stage) : stage_(stage) {}

    // One packet, the bytes of the field `packet` of a trace.
    void add(std::string_view packet);
    // After the last: what is still held back, and names.
    void finish();

    std::uint64_t packets() const { return packets_; }
    // Processes with GPU work of their own, as texts of their numbers, and their ranks. Empty unless there are several.
    std::map<std::string, std::int32_t> ranks_of_processes() const;
    // Categories of ROCm Systems Profiler were there.
    bool is_of_rocm_systems() const { return is_of_rocm_systems_; }
    // GPU work by device, and several processes that may have launched it.
    bool may_have_writers() const { return has_stages_ && callers_.size() > 1; }

private:
    static constexpr std::size_t kMostHeld = 1 << 16;
    struct Names {
        std::unordered_map<std::uint64_t, std::string> of;
        void put(std::string_view message);
        std::string_view find(std::uint64_t id) const;
    };
    struct Stage {
        std::string name;
        std::uint64_t category = 0;
    };
    struct Sequence {
        Names events, categories, argument_names, argument_texts, kernels, kernel_arguments;
        std::unordered_map<std::uint64_t, Stage> stages;
        std::uint64_t usual_clock = PerfettoClocks::kBoot;
        std::uint64_t usual_track = 0;
        bool has_state = false;  // from a packet that clears names on, until one is lost
        std::unordered_map<std::uint64_t, double> totals;  // of incremental counters, by track
    };
    struct Track {
        std::uint64_t parent = 0;
        std::string name;
        std::optional<std::int64_t> pid;
        std::optional<std::int64_t> tid;
        std::optional<GpuTrack> gpu{};  // once an event was on it
        bool is_counted = false;  // its process is known to have GPU work
        bool is_of_caller = false;  // its process is known to make calls of the runtime
        bool is_by_shape = false;  // its GPU work is known from other than its category
        double unit = 1;  // of a counter
        bool is_incremental = false;  // a counter whose values are differences
    };
    struct Place {
        std::string pid;
        std::string tid;
    };
    // A time on a clock that may not be the primary one.
    struct Moment {
        PerfettoClockId clock;
        std::int64_t time_ns = 0;
    };
    // Events that a later snapshot will place on the primary clock.
    struct Waiting {
        std::int64_t time_ns = 0;
        std::function<void(std::int64_t)> put;
    };
    // An event held back until all of its time and track are there.
    struct Held {
        std::int64_t time = 0;
        std::uint64_t track = 0;
        std::uint64_t sequence = 0;  // of arrival
        Phase phase = Phase::Instant;
        std::string name{};
        std::string category{};
        RowArguments arguments{};
        bool has_collective = false;
    };

    void add_names(std::string_view message, Sequence& sequence);
    void add_defaults(std::string_view message, Sequence& sequence);
    void add_track(std::string_view message);
    void add_event(std::string_view message, Sequence& sequence, const Moment& moment);
    std::string replace_name(std::uint64_t id);
    std::string_view own_name(std::uint64_t track) const;
    const GpuTrack& gpu_track(std::uint64_t id);
    void mark_gpu_work(Held& event, std::string_view category, std::span<const std::uint64_t> flows);
    void note_shape(std::uint64_t track, bool by_name, bool by_arguments);
    void report_shape();
    void add_count(const Held& event, std::optional<double> count, Sequence& sequence, const Moment& moment);
    void add_render_stage(std::string_view message, Sequence& sequence, const Moment& moment);
    void name_gpu_counters(std::string_view message, std::uint64_t gpu);
    void add_gpu_count(std::string_view message, std::uint64_t gpu, const Moment& moment);
    void add_gpu_counters(std::string_view message, const Moment& moment);
    void add_argument(std::string_view message, const Sequence& sequence, RowArguments& to, bool& has_collective);
    std::string json_of(std::string_view annotation, const Sequence& sequence, int depth) const;
    // Calls `put` with the time on the primary clock, now or once a snapshot relates the two; else with its own time.
    template <typename Put>
    void place(const Moment& moment, Put put) {
        if (const std::optional<std::int64_t> time_ns = find_time(moment)) return put(*time_ns);
        waiting_[moment.clock].push_back({moment.time_ns, std::move(put)});
        if (++waiting_count_ >= kMostHeld) place_all_waiting();
    }
    std::optional<std::int64_t> find_time(const Moment& moment);
    void place_waiting(const PerfettoClockId& clock);
    void place_all_waiting();
    void report_unrelated_clocks();
    Place place_of(std::uint64_t track);
    void hold(Held event);
    void release(bool all);

    RankStage& stage_;
    PerfettoClocks clocks_;
    std::map<PerfettoClockId, std::vector<Waiting>> waiting_;
    std::size_t waiting_count_ = 0;
    bool has_primary_times_ = false;
    std::map<PerfettoClockId, std::uint64_t> unrelated_;  // clocks whose events are placed by their own time → how many
    std::uint64_t packets_ = 0;
    std::unordered_map<std::uint64_t, Sequence> sequences_;
    std::unordered_map<std::uint64_t, Track> tracks_;
    std::vector<Held> held_;
    std::unordered_map<std::uint64_t, std::int64_t> depths_;  // of open events, by track
    std::map<std::int64_t, std::string> processes_;
    std::map<std::pair<std::int64_t, std::int64_t>, std::string> threads_;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> gpu_counters_;  // GPU and number → name
    std::map<std::string, std::int64_t> gpu_processes_;  // pid text of a process with GPU work → its device, or -1
    bool is_of_rocm_systems_ = false;
    bool has_stages_ = false;  // GPU work by device, of no process
    std::set<std::string> callers_;  // pid texts of processes that make calls of the runtime
    std::uint64_t shape_tracks_ = 0;  // with GPU work that no category states
    std::string shape_;  // how the first of these shows it
    std::unordered_set<std::uint64_t> launch_flows_;  // that calls of the runtime began
    std::map<std::string, std::string> devices_;  // pid text of a GPU → its name
    std::map<std::pair<std::string, std::string>, std::string> own_rows_;  // tracks that are no threads
};

}  // namespace core
