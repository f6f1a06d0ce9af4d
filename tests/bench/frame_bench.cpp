// Median frame time of the whole window, off screen, panning over a synthetic run. cpu_ms: main
// thread before the swap; wall_ms: until the picture is finished; all_cpu_ms: all threads, software
// renderer included. --counters: rows per rank; --find: with the find bar. --open: another run or a run summary
// instead; then also the time to the first frame that shows all of it, and what is resident once nothing moves.
//   bench_frame_bench [--events N] [--ranks R] [--streams S] [--frames F] [--counters C]
//                     [--find TEXT] [--runs 2] [--json FILE] [--open PATH]

#include "core/ingest/load/load_run.hpp"
#include "core/store/assemble/trace_builder.hpp"
#include "ui/shell/main_window.hpp"

#include <nlohmann/json.hpp>

#include <time.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <thread>

namespace {

struct Options {
    std::size_t events = 1'000'000;
    std::size_t ranks = 8;
    std::size_t streams = 5;
    std::size_t frames = 60;
    std::size_t counters = 0;
    std::size_t runs = 1;
    std::string find;
    std::string json;
    std::string open;
};

Options read_options(int argc, char** argv) {
    Options options;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string key = argv[i];
        if (key == "--events") options.events = std::strtoull(argv[i + 1], nullptr, 10);
        if (key == "--ranks") options.ranks = std::strtoull(argv[i + 1], nullptr, 10);
        if (key == "--streams") options.streams = std::strtoull(argv[i + 1], nullptr, 10);
        if (key == "--frames") options.frames = std::strtoull(argv[i + 1], nullptr, 10);
        if (key == "--counters") options.counters = std::strtoull(argv[i + 1], nullptr, 10);
        if (key == "--runs") options.runs = std::strtoull(argv[i + 1], nullptr, 10);
        if (key == "--find") options.find = argv[i + 1];
        if (key == "--json") options.json = argv[i + 1];
        if (key == "--open") options.open = argv[i + 1];
    }
    return options;
}

core::EventRow make_row(core::EventBatch& batch, std::mt19937_64& random, std::int64_t start, std::size_t stream) {
    const bool is_collective = stream % 5 == 4;
    const std::string kind = is_collective ? "ncclDevKernel_AllReduce_Sum_bf16_RING_LL" : "gemm_kernel_";
    core::EventRow row{};
    row.start_ns = start;
    row.duration_ns = static_cast<std::int64_t>(500 + random() % (is_collective ? 60'000 : 15'000));
    row.name = batch.pool.intern(is_collective ? kind : kind + std::string(1 + random() % 20, 'x'));
    row.category = batch.pool.intern("kernel");
    row.pid = batch.pool.intern("0");
    row.tid = batch.pool.intern(std::to_string(7 + stream));
    row.phase = core::Phase::Complete;
    return row;
}

void add_counters(core::EventBatch& batch, std::mt19937_64& random, std::size_t count, std::int64_t end_ns) {
    for (std::size_t counter = 0; counter < count; ++counter) {
        const core::NameId name = batch.pool.intern("counter " + std::to_string(counter));
        for (std::int64_t time_ns = 0; time_ns < end_ns; time_ns += 20'000)
            batch.counters.push_back({time_ns, batch.pool.intern("0"), name, batch.pool.intern("value"),
                                      static_cast<double>(random() % 100)});
    }
}

core::RankTracePtr build_trace(const Options& options, int rank) {
    const std::size_t streams = options.streams;
    std::mt19937_64 random(static_cast<std::uint64_t>(rank) + 1);
    core::EventBatch batch;
    std::vector<std::int64_t> next(streams, 0);
    for (std::size_t i = 0; i < options.events / options.ranks; ++i) {
        const std::size_t stream = i % streams;
        core::EventRow row = make_row(batch, random, next[stream], stream);
        next[stream] = row.start_ns + row.duration_ns + static_cast<std::int64_t>(random() % 4'000);
        row.order = static_cast<std::uint32_t>(i);
        batch.integers[static_cast<std::size_t>(core::Arg::Stream)].push_back(
            {row.order, static_cast<std::int64_t>(7 + stream)});
        batch.events.push_back(row);
    }
    batch.records.complete = batch.records.total = batch.events.size();
    add_counters(batch, random, options.counters, *std::ranges::max_element(next));
    batch.records.counters = batch.counters.size();
    batch.records.total += batch.records.counters;
    core::TraceBuilder builder;
    builder.append(std::move(batch));
    core::RankInfo info;
    info.rank = rank;
    core::Result<core::RankTracePtr> trace = std::move(builder).finish(info, {}, {});
    if (!trace) std::abort();
    return *trace;
}

core::RunPtr build_run(const Options& options) {
    core::RunParts parts;
    parts.name = "synthetic";
    parts.names = std::make_shared<core::InternedNames>();
    for (std::size_t i = 0; i < options.ranks; ++i) {
        core::RankSlot slot;
        slot.key.number = static_cast<std::int32_t>(i);
        slot.index = std::make_shared<const core::RankIndex>(build_trace(options, slot.key.number), parts.rules);
        slot.names = parts.names->build_table(slot.trace().names);
        parts.ranks.push_back(std::move(slot));
    }
    return std::make_shared<const core::Run>(std::move(parts));
}

double wall_ms() {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double cpu_ms(clockid_t clock) {
    timespec t{};
    clock_gettime(clock, &t);
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

struct Series {
    std::vector<double> cpu, all_cpu, wall, collect;
    template <class Move>
    void measure(ui::Platform& platform, ui::MainWindow& window, std::size_t frames, Move move) {
        for (std::size_t i = 0; i < frames; ++i) {
            move();
            const double wall_began = wall_ms();
            const double cpu_began = cpu_ms(CLOCK_THREAD_CPUTIME_ID);
            const double all_began = cpu_ms(CLOCK_PROCESS_CPUTIME_ID);
            window.frame();
            cpu.push_back(cpu_ms(CLOCK_THREAD_CPUTIME_ID) - cpu_began);
            platform.present();
            all_cpu.push_back(cpu_ms(CLOCK_PROCESS_CPUTIME_ID) - all_began);
            wall.push_back(wall_ms() - wall_began);
            collect.push_back(window.timeline_stats().collect_ms);
        }
    }
    nlohmann::json summary(const std::string& what, const ui::MainWindow& window) const {
        const ui::TimelineStats& stats = window.timeline_stats();
        return {{"what", what},
                {"cpu_ms", median(cpu)},
                {"all_cpu_ms", median(all_cpu)},
                {"wall_ms", median(wall)},
                {"collect_ms", median(collect)},
                {"lanes", stats.lanes},
                {"rects", stats.rects},
                {"labels", stats.labels}};
    }
};

void settle(ui::Platform& platform, ui::MainWindow& window) {
    for (int i = 0; i < 2000; ++i) {
        const ui::FrameReport report = window.frame();
        platform.present();
        if (report.is_idle()) return;
    }
}

void move_to(ui::MainWindow& window, const ui::TimeView& view) {
    window.post(ui::MoveView{.time = view, .whole = window.view().whole});
}

void pan_by(ui::MainWindow& window, double px) {
    ui::TimeView view = window.view().time;
    view.pan(px);
    move_to(window, view);
}

std::size_t resident_mib() {
    std::ifstream in("/proc/self/statm");
    std::size_t all = 0, resident = 0;
    in >> all >> resident;
    return resident * 4096 >> 20;
}

// Draws at most 60 frames a second, as on a screen, until a frame shows everything.
void open_path(ui::Platform& platform, ui::MainWindow& window, core::Session& session, const std::string& path) {
    const double began = wall_ms();
    window.post(ui::OpenPaths{{path}});
    bool shown = false;
    for (int i = 0; i < 20'000; ++i) {
        const bool all =
            session.run() && session.load() && session.load()->newest() && session.is_whole(core::Side::Baseline);
        const auto next = std::chrono::steady_clock::now() + std::chrono::microseconds{16'667};
        const ui::FrameReport report = window.frame();
        platform.present();
        if (!shown && session.run() && !session.run()->ranks().empty()) {
            std::printf("first frame with %zu ranks after %.0f ms, %zu MiB resident\n", session.run()->ranks().size(),
                        wall_ms() - began, resident_mib());
            shown = true;
        }
        if (all && report.is_idle()) break;
        std::this_thread::sleep_until(next);
    }
    std::printf("at rest after %.0f ms, %zu MiB resident\n", wall_ms() - began, resident_mib());
}

void measure_size(core::RunPtr run, const Options& options, int width, int height, float scale, nlohmann::json& rows) {
    auto platform = ui::Platform::open_offscreen(width, height);
    if (!platform) std::abort();
    core::Session session;
    ui::MainWindow window(**platform, session, scale);
    if (run) {
        session.set_run(run);
    } else {
        open_path(**platform, window, session, options.open);
        run = session.run();
        if (!run) std::abort();
    }
    if (options.runs > 1) session.set_run(build_run(options), core::Side::Candidate);
    window.post(ui::ShowRun{});
    settle(**platform, window);
    if (!options.find.empty()) {
        window.post(ui::OpenFind{});
        settle(**platform, window);
        ui::Input typed;
        typed.text = options.find;
        window.frame(typed);
        settle(**platform, window);
    }
    for (const double part : {1.0, 20.0, 2000.0}) {
        ui::TimeView view = window.view().time;
        view.fit(run->window());
        view.zoom(part, static_cast<double>(view.width_px) / 2);
        move_to(window, view);
        settle(**platform, window);
        const std::string where =
            std::to_string(width) + "x" + std::to_string(height) + " 1/" + std::to_string(static_cast<int>(part));
        Series pan;
        pan.measure(**platform, window, options.frames, [&] { pan_by(window, 7); });
        rows.push_back(pan.summary("pan " + where, window));
        Series still;
        still.measure(**platform, window, options.frames, [] {});
        rows.push_back(still.summary("still " + where, window));
    }
}

}  // namespace

int main(int argc, char** argv) {
    const Options options = read_options(argc, argv);
    const core::RunPtr run = options.open.empty() ? build_run(options) : nullptr;
    nlohmann::json report{{"events", run ? run->event_count() : 0},
                          {"ranks", run ? options.ranks : 0},
                          {"frames", nlohmann::json::array()}};
    measure_size(run, options, 1920, 1080, 1, report["frames"]);
    if (run) measure_size(run, options, 3840, 2160, 2, report["frames"]);
    for (const nlohmann::json& row : report["frames"]) {
        std::printf(
            "%-26s cpu %6.2f ms  all %6.2f ms  wall %6.2f ms  collect %5.2f ms  %3d lanes %6d rects %5d labels\n",
            row["what"].get<std::string>().c_str(), row["cpu_ms"].get<double>(), row["all_cpu_ms"].get<double>(),
            row["wall_ms"].get<double>(), row["collect_ms"].get<double>(), row["lanes"].get<int>(),
            row["rects"].get<int>(), row["labels"].get<int>());
    }
    if (!options.json.empty()) std::ofstream(options.json) << report.dump(2) << '\n';
    return 0;
}
