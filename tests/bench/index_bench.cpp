// Costs of the index on synthetic ranks of 64 lanes: ns and bytes per event to build, ns per
// breakdown, ns per drawn pixel column and lane. Prints JSON.
// Usage: bench_index_bench [EVENTS…] (default 1000000 10000000).

#include "core/base/jobs.hpp"
#include "core/index/run.hpp"
#include "core/query/filter_text.hpp"
#include "core/query/selection.hpp"
#include "core/store/assemble/trace_builder.hpp"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>

namespace {

using namespace core;

constexpr std::size_t kColumns = 1920;
constexpr int kStreams = 8;
constexpr int kThreads = 14;
constexpr int kDepth = 4;

// Processor time of this thread, which other processes do not affect.
double seconds_now() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}
double seconds_since(double begin) { return seconds_now() - begin; }

class SyntheticRank {
public:
    explicit SyntheticRank(bool bursts) : random_(1), bursts_(bursts) {
        for (int i = 0; i < 400; ++i)
            names_.push_back(batch_.pool.intern("void kernel_" + std::to_string(i) + "<float>(Args)"));
        for (int i = 0; i < 40; ++i)
            names_.push_back(batch_.pool.intern("ncclDevKernel_AllReduce_" + std::to_string(i)));
    }

    RankTracePtr build(std::size_t events) && {
        const std::size_t per_lane = events / 64;
        for (int s = 0; s < kStreams; ++s) add_stream(s, per_lane);
        for (int t = 0; t < kThreads; ++t) add_thread(t, per_lane * kDepth);
        batch_.records.total = order_;
        batch_.records.complete = order_;
        TraceBuilder builder;
        builder.append(std::move(batch_));
        Result<RankTracePtr> trace = std::move(builder).finish({}, {}, {});
        if (!trace) std::abort();
        return *trace;
    }

private:
    std::int64_t below(std::uint64_t n) { return static_cast<std::int64_t>(random_() % n); }
    // About 2 us between events on average; with bursts 50 times denser, then silent.
    std::int64_t gap() { return !bursts_ ? below(2'000) : below(1'000) == 0 ? below(2'000'000) : below(40); }

    void add(std::int64_t start, std::int64_t duration, NameId name, const char* category, const char* pid, int tid) {
        EventRow row{};
        row.start_ns = start;
        row.duration_ns = duration;
        row.name = name;
        row.category = batch_.pool.intern(category);
        row.pid = batch_.pool.intern(pid);
        row.tid = batch_.pool.intern(std::to_string(tid));
        row.order = order_++;
        row.phase = Phase::Complete;
        batch_.events.push_back(row);
    }
    void add_stream(int stream, std::size_t events) {
        std::int64_t t = 1'700'000'000'000'000'000 + below(10'000);
        for (std::size_t i = 0; i < events; ++i) {
            t += gap();
            const std::int64_t length = 1 + below(bursts_ ? 40 : 2'000);
            add(t, length, names_[static_cast<std::size_t>(below(names_.size()))], "kernel", "0", stream);
            batch_.integers[static_cast<std::size_t>(Arg::Stream)].push_back({order_ - 1, stream});
            t += length;
        }
    }
    void add_thread(int thread, std::size_t events) {
        std::int64_t t = 1'700'000'000'000'000'000 + below(10'000);
        for (std::size_t i = 0; i < events; i += kDepth) {
            t += gap();
            std::int64_t begin = t;
            std::int64_t length = kDepth * 2 + below(bursts_ ? 40 : 2'000);
            t += length;
            for (int d = 0; d < kDepth; ++d, ++begin, length -= 2) {
                add(begin, length, names_[static_cast<std::size_t>(below(names_.size()))], "cpu_op", "100", thread);
            }
        }
    }

    EventBatch batch_;
    std::vector<NameId> names_;
    std::mt19937_64 random_;
    std::uint32_t order_ = 0;
    bool bursts_;
};

void print(const char* name, double value, const char* end = ",") {
    std::printf("    \"%s\": %.2f%s\n", name, value, end);
}

// Runs `build` and reports its cost per event.
template <class Build>
auto timed(const char* name, std::size_t events, Build build) {
    const double begin = seconds_now();
    auto result = build();
    print(name, seconds_since(begin) * 1e9 / static_cast<double>(events));
    return result;
}

void bench_breakdown(const RankIndex& index) {
    std::mt19937_64 random(2);
    const RankRange whole = index.gpu_window();
    constexpr int kQueries = 200'000;
    std::int64_t sum = 0;
    const double begin = seconds_now();
    for (int i = 0; i < kQueries; ++i) {
        const auto length = static_cast<std::uint64_t>(whole.length().count());
        const RankTime a = whole.begin + Duration{static_cast<std::int64_t>(random() % length)};
        const RankTime b = whole.begin + Duration{static_cast<std::int64_t>(random() % length)};
        sum += index.partition().times({std::min(a, b), std::max(a, b)}).compute().count();
    }
    print("breakdown_query_ns", seconds_since(begin) * 1e9 / kQueries);
    if (sum == 42) std::puts("");
}

// All lanes at one zoom, at several positions.
void bench_columns(const RankIndex& index) {
    const RankTrace& trace = index.trace();
    std::vector<PixelColumn> columns(kColumns);
    std::mt19937_64 random(3);
    double busy = 0;
    const auto span = static_cast<double>(trace.window.length().count());
    std::printf("    \"columns\": [\n");
    for (double ns_per_px = span / kColumns; ns_per_px > 0.5; ns_per_px /= 2.3) {
        const double width = ns_per_px * kColumns;
        double spent = 0;
        double worst = 0;
        constexpr int kFrames = 8;
        for (int frame = 0; frame < kFrames; ++frame) {
            const double at = (span - width) * static_cast<double>(random() % 1000) / 1000;
            const RankTime t0 = trace.window.begin + Duration{static_cast<std::int64_t>(at)};
            const double begin = seconds_now();
            for (std::size_t lane = 0; lane < trace.lanes.size(); ++lane) {
                index.pyramid(lane).collect_columns(trace, index.classes(), t0, 0.3, ns_per_px, columns);
                busy += static_cast<double>(columns[lane].busy());
            }
            const double seconds = seconds_since(begin);
            spent += seconds;
            worst = std::max(worst, seconds);
        }
        const double per_frame = 1e9 / (static_cast<double>(trace.lanes.size()) * kColumns);
        std::printf("      {\"ns_per_px\": %.4g, \"ns_per_column_and_lane\": %.2f, \"worst\": %.2f}%s\n", ns_per_px,
                    spent / kFrames * per_frame, worst * per_frame, ns_per_px / 2.3 > 0.5 ? "," : "");
    }
    std::printf("    ],\n");
    if (busy == 42) std::puts("");
}

void bench_cells(const RankIndex& index) {
    std::vector<ClassPartition::Cell> cells(kColumns);
    const RankRange whole = index.gpu_window();
    const double begin = seconds_now();
    constexpr int kFrames = 50;
    for (int frame = 0; frame < kFrames; ++frame) {
        const double width = static_cast<double>(whole.length().count()) / (1 << (frame % 16));
        index.partition().collect_cells(whole.begin, 0.3, width / kColumns, cells);
    }
    print("cells_ns_per_cell", seconds_since(begin) * 1e9 / (kFrames * kColumns));
}

void bench_selection(const RankTracePtr& trace) {
    RunParts parts;
    RankSlot slot;
    slot.index = std::make_shared<const RankIndex>(trace, ClassRules::standard());
    parts.ranks.push_back(slot);
    const Run run(std::move(parts));
    for (const char* text :
         {"name:kernel_1", "name:/kernel_[0-9]*7</", "class:communication", "dur:>1us", "stream:3"}) {
        const Filter filter = *parse_filter(text);
        const double begin = seconds_now();
        const Result<SelectionPtr> selection = Selection::build(run, 0, filter, {});
        if (!selection) std::abort();
        std::printf("    \"selection %s ms\": %.1f,\n", text, seconds_since(begin) * 1e3);
    }
}

void bench(std::size_t events, bool bursts) {
    const RankTracePtr trace = SyntheticRank(bursts).build(events);
    const std::size_t n = trace->size();
    const auto per_event = [&](std::size_t bytes) { return static_cast<double>(bytes) / static_cast<double>(n); };
    std::printf("  {\n    \"shape\": \"%s\",\n    \"events\": %zu,\n    \"gpu_events\": %zu,\n    \"lanes\": %zu,\n",
                bursts ? "bursts" : "even", n, trace->gpu_events.size(), trace->lanes.size());
    const ClassTable classes =
        timed("build_class_table_ns", n, [&] { return ClassTable(*trace, ClassRules::standard()); });
    const IntervalTree tree = timed("build_tree_ns_per_gpu_event", trace->gpu_events.size(),
                                    [&] { return IntervalTree(trace->gpu_events, trace->start, trace->duration); });
    const ClassPartition partition = timed("build_partition_ns_per_gpu_event", trace->gpu_events.size(),
                                           [&] { return ClassPartition(*trace, classes, trace->gpu_events); });
    const std::vector<TimePyramid> pyramids = timed("build_pyramids_ns", n, [&] {
        std::vector<TimePyramid> all;
        for (const Lane& lane : trace->lanes) all.emplace_back(*trace, classes, lane);
        return all;
    });
    const RankIndex index = timed("build_rank_index_ns", n, [&] { return RankIndex(trace, ClassRules::standard()); });
    std::size_t pyramid_bytes = 0;
    for (const TimePyramid& pyramid : pyramids) pyramid_bytes += pyramid.resident_bytes();
    print("class_table_bytes", per_event(classes.resident_bytes()));
    print("tree_bytes", per_event(tree.resident_bytes()));
    print("partition_bytes", per_event(partition.resident_bytes()));
    print("pyramid_bytes", per_event(pyramid_bytes));
    print("index_bytes", per_event(index.resident_bytes()));
    bench_breakdown(index);
    bench_columns(index);
    bench_cells(index);
    if (!bursts) bench_selection(trace);
    print("trace_bytes", per_event(trace->resident_bytes()), "");
    std::printf("  }");
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::size_t> sizes;
    for (int i = 1; i < argc; ++i) sizes.push_back(static_cast<std::size_t>(std::strtoull(argv[i], nullptr, 10)));
    if (sizes.empty()) sizes = {1'000'000, 10'000'000};
    std::printf("[\n");
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        bench(sizes[i], false);
        std::printf(",\n");
        bench(sizes[i], true);
        std::printf(i + 1 < sizes.size() ? ",\n" : "\n");
    }
    std::printf("]\n");
}
