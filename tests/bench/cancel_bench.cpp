// Responsiveness of a load on real files: longest time without progress, time to the first rank,
// time to stop after cancelling at several moments. Prints JSON. Limits: 100 ms for the first and
// the last.
// Usage: bench_cancel_bench PATH…

#include "core/ingest/load/load_run.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace core;
using Clock = std::chrono::steady_clock;
using Paths = std::vector<std::filesystem::path>;

constexpr int kMoments = 20;

double ms_between(Clock::time_point begin, Clock::time_point end) {
    return std::chrono::duration<double, std::milli>(end - begin).count();
}

struct Watched {
    double whole_ms = 0, first_rank_ms = 0, longest_silence_ms = 0, stop_ms = 0;
    bool cancelled = false;
};

// Loads the paths; cancels after the given time, if any.
Watched watch(const Paths& paths, std::optional<double> cancel_after_ms) {
    LoadProgress progress;
    std::stop_source stop;
    std::atomic<bool> ended{false};
    Watched watched;
    const Clock::time_point begin = Clock::now();
    LoadOptions options;
    options.on_rank = [&, seen = false](const RunPtr&) mutable {
        if (!std::exchange(seen, true)) watched.first_rank_ms = ms_between(begin, Clock::now());
    };
    std::jthread loading([&] {
        watched.cancelled = !load_run(paths, options, progress, JobContext{stop.get_token(), nullptr, nullptr});
        ended = true;
    });
    Clock::time_point changed = begin, asked{};
    std::uint64_t last = 0;
    while (!ended) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        const Clock::time_point now = Clock::now();
        const std::uint64_t done = progress.bytes_done + progress.events + progress.ranks_done + progress.pulse;
        if (std::exchange(last, done) != done) {
            watched.longest_silence_ms = std::max(watched.longest_silence_ms, ms_between(changed, now));
            changed = now;
        }
        if (cancel_after_ms && !stop.stop_requested() && ms_between(begin, now) >= *cancel_after_ms) {
            stop.request_stop();
            asked = now;
        }
    }
    const Clock::time_point end = Clock::now();
    watched.longest_silence_ms = std::max(watched.longest_silence_ms, ms_between(changed, end));
    watched.whole_ms = ms_between(begin, end);
    if (stop.stop_requested()) watched.stop_ms = ms_between(asked, end);
    return watched;
}

}  // namespace

int main(int argc, char** argv) {
    const Paths paths(argv + std::min(argc, 1), argv + argc);
    if (paths.empty()) {
        std::fprintf(stderr, "usage: bench_cancel_bench PATH...\n");
        return 1;
    }
    const Watched whole = watch(paths, {});
    if (whole.cancelled) {
        std::fprintf(stderr, "the run cannot be opened\n");
        return 1;
    }
    std::printf("{\n  \"whole_ms\": %.1f,\n  \"first_rank_ms\": %.1f,\n  \"longest_silence_ms\": %.1f,\n",
                whole.whole_ms, whole.first_rank_ms, whole.longest_silence_ms);
    double slowest = 0;
    std::printf("  \"cancelled\": [\n");
    for (int i = 0; i < kMoments; ++i) {
        const Watched one = watch(paths, whole.whole_ms * (i + 0.5) / kMoments);
        slowest = std::max(slowest, one.stop_ms);
        std::printf("    {\"after_share\": %.3f, \"stopped_in_ms\": %.1f}%s\n", (i + 0.5) / kMoments, one.stop_ms,
                    i + 1 < kMoments ? "," : "");
    }
    std::printf("  ],\n  \"slowest_stop_ms\": %.1f\n}\n", slowest);
    return 0;
}
