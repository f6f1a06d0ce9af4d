// Exports traces and reads them back: equal events and answers, with any additions.

#include "core/export/chrome/chrome_trace.hpp"
#include "core/export/chrome/chrome_additions.hpp"
#include "core/ingest/load/load_run.hpp"
#include "core/sample/sample_run.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/temp_folder.hpp"
#include "tests/core/trace_fixture.hpp"
#include "tests/corpus.hpp"

#include <zlib.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <random>
#include <set>
#include <sstream>

using namespace core;
using namespace core::testing;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

RunPtr load_export(const fs::path& path) {
    LoadProgress progress;
    LoadOptions options;
    options.index_files = IndexFiles::Ignore;
    const fs::path paths[] = {path};
    const Result<RunPtr> run = load_run(paths, options, progress, {});
    INFO(path.string());
    REQUIRE_MESSAGE(run, (run ? "" : run.error().message));
    return *run;
}

std::vector<ChromeSummary> export_to(const Run& run, const fs::path& out, std::string_view filter_text = "",
                                     bool gzip = false) {
    const Result<Filter> filter = parse_filter(filter_text);
    REQUIRE(filter);
    const Result<std::vector<ChromeFile>> files = plan_chrome_files(run, *filter, out, gzip);
    REQUIRE_MESSAGE(files, (files ? "" : files.error().message));
    const Result<std::vector<ChromeSummary>> written = write_chrome_traces(run, *filter, *files, 2, {});
    REQUIRE_MESSAGE(written, (written ? "" : written.error().message));
    return *written;
}

std::string text_of_file(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

bool is_added(const RankTrace& trace, EventId e) { return trace.category_text(e) == kAddedCategory; }

// In file order, without Lockstep's additions.
std::vector<EventId> events_of_file(const RankTrace& trace) {
    std::vector<EventId> events;
    for (std::uint32_t e = 0; e < trace.size(); ++e) {
        if (!is_added(trace, EventId{e})) events.push_back(EventId{e});
    }
    std::ranges::sort(events, {}, [&](EventId e) { return trace.order[index_of(e)]; });
    return events;
}

// Everything a reader can see of the events, one line per event.
std::vector<std::string> lines_of_events(const RankTrace& trace) {
    const std::vector<EventId> events = events_of_file(trace);
    std::vector<std::size_t> place(trace.size());
    for (std::size_t i = 0; i < events.size(); ++i) place[index_of(events[i])] = i;
    std::vector<std::string> lines;
    for (const EventId e : events) {
        const Track& track = trace.track_of(e);
        const Process& process = trace.processes[track.process];
        const EventId parent = trace.parent[index_of(e)];
        const Step* const step = trace.step_of(e);
        std::ostringstream line;
        line << ns_of(trace.start[index_of(e)]) << " +" << trace.duration[index_of(e)].count() << " '"
             << trace.name_text(e) << "' " << trace.category_text(e) << " pid " << trace.text(process.pid) << " '"
             << trace.text(process.name) << "' '" << trace.text(process.labels) << "' " << process.sort_index
             << " device " << process.device << " tid " << trace.text(track.tid) << " '" << trace.text(track.name)
             << "' " << track.sort_index << " kind " << static_cast<int>(track.kind) << " stream " << track.stream
             << " flags " << (trace.flags[index_of(e)] & ~(kFromPair | kUnclosed)) << " in "
             << (parent == kNoEvent ? -1 : static_cast<std::int64_t>(place[index_of(parent)])) << " step "
             << (step ? step->number : -1);
        for (std::size_t a = 0; a < kArgCount; ++a) {
            const Arg arg = static_cast<Arg>(a);
            if (type_of(arg) == ArgType::Integer && trace.integer(arg, e))
                line << " #" << a << '=' << *trace.integer(arg, e);
            if (type_of(arg) == ArgType::Text && trace.argument(arg, e))
                line << " #" << a << '=' << *trace.argument(arg, e);
        }
        lines.push_back(line.str());
    }
    return lines;
}

std::vector<std::string> lines_of_arrows(const RankTrace& trace) {
    std::vector<std::string> lines;
    for (const Flow& flow : trace.flows) {
        std::ostringstream line;
        line << ns_of(trace.start[index_of(flow.from)]) << ' ' << trace.name_text(flow.from) << " -> "
             << ns_of(trace.start[index_of(flow.to)]) << ' ' << trace.name_text(flow.to) << ' ' << trace.text(flow.name)
             << ' ' << trace.text(trace.categories[flow.category].text);
        lines.push_back(line.str());
    }
    std::ranges::sort(lines);
    return lines;
}

std::vector<std::string> lines_of_counters(const RankTrace& trace) {
    std::vector<std::string> lines;
    for (const CounterTrack& counter : trace.counters) {
        const std::string_view pid = trace.text(trace.processes[counter.process].pid);
        if (pid == kAddedProcess) continue;
        for (std::uint64_t i = counter.first; i < counter.last; ++i) {
            std::ostringstream line;
            line << pid << ' ' << trace.text(counter.name) << ' ' << trace.text(counter.series) << ' '
                 << ns_of(trace.counter_times[i]) << ' ' << std::hexfloat << trace.counter_values[i];
            lines.push_back(line.str());
        }
    }
    std::ranges::sort(lines);
    return lines;
}

void check_lines(const std::vector<std::string>& again, const std::vector<std::string>& lines) {
    REQUIRE(again.size() == lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) REQUIRE(again[i] == lines[i]);
}

bool names_events(const Table& table) {
    return std::ranges::any_of(table.columns(), [](const Column& column) { return column.unit == Unit::Event; });
}

void check_same_answers(const Run& again, const Run& run) {
    for (const Analysis& analysis : all_analyses()) {
        INFO(analysis.id);
        const Table table = answer_of(run, analysis.id).main();
        if (names_events(table)) continue;  // ids are positions among all events of a rank
        check_lines(rows_of(answer_of(again, analysis.id).main()), rows_of(table));
    }
}

void check_same_run(const Run& again, const Run& run) {
    REQUIRE(again.ranks().size() == run.ranks().size());
    for (std::size_t slot = 0; slot < run.ranks().size(); ++slot) {
        const RankTrace& trace = run.rank(slot).trace();
        const RankTrace& read = again.rank(slot).trace();
        INFO(trace.info.path.string());
        CHECK(again.rank(slot).key == run.rank(slot).key);
        CHECK(read.window == trace.window);
        CHECK(read.info.base_time_ns == trace.info.base_time_ns);
        check_lines(lines_of_events(read), lines_of_events(trace));
        check_lines(lines_of_arrows(read), lines_of_arrows(trace));
        check_lines(lines_of_counters(read), lines_of_counters(trace));
    }
    check_same_answers(again, run);
}

// Exports, parses, reads back and compares; returns the read-back run.
RunPtr check_round_trip(const Run& run) {
    const TempFolder folder;
    const fs::path out = folder.path() / "out";
    fs::create_directories(out);
    for (const ChromeSummary& written : export_to(run, out)) {
        INFO(written.file.path.string());
        CHECK(written.bytes == fs::file_size(written.file.path));
        if (written.bytes < 30'000'000) CHECK(Json::accept(text_of_file(written.file.path)));
    }
    const RunPtr again = load_export(out);
    check_same_run(*again, run);
    return again;
}

RunPtr write_sample_to(const fs::path& folder, int ranks = 2) {
    SampleOptions options;
    options.ranks = ranks;
    options.tensor_parallel = std::min(2, ranks);
    options.steps = 3;
    options.layers = 2;
    REQUIRE(write_sample_run(folder, options, {}));
    return load_export(folder);
}

RunPtr read_text(const TempFolder& folder, const std::string& json) {
    const fs::path file = folder.path() / "rank0.json";
    std::ofstream(file, std::ios::binary) << json;
    return load_export(file);
}

// Random events of every kind, mostly short enough to touch and overlap.
class RandomChromeFile {
public:
    explicit RandomChromeFile(unsigned seed) : random_(seed) {}

    std::string write() {
        for (int thread = 1; thread <= 2; ++thread) add_calls(thread, 0, 4000, 0);
        for (int i = 0; i < 12; ++i) add_kernel(i);
        for (int i = 0; i < 4; ++i) add_pairs(i);
        const std::string base = roll(0, 1) ? "\"baseTimeNanoseconds\": 1700000000000000000, " : "";
        return "{" + base + "\"distributedInfo\": {\"rank\": 3, \"world_size\": 8}, \"note\": \"x\\u0007\", " +
               "\"traceEvents\": [\n" + events_ + "]}";
    }

private:
    int roll(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }
    void add(const std::string& event) { events_ += (events_.empty() ? "{" : ",\n{") + event + "}"; }
    static std::string micros(int ns) {
        return std::to_string(ns / 1000) + "." + std::to_string(1000 + ns % 1000).substr(1);
    }
    static std::string at(const std::string& pid, const std::string& tid, int start) {
        return ", \"pid\": " + pid + ", \"tid\": " + tid + ", \"ts\": " + micros(start);
    }
    static std::string slice(const std::string& name, const std::string& category, int duration) {
        return R"("ph": "X", "name": ")" + name + R"(", "cat": ")" + category + R"(", "dur": )" + micros(duration);
    }

    void add_calls(int thread, int begin, int end, int depth) {
        for (int start = begin + roll(0, 50); depth < 4 && start < end;) {
            const int duration = std::min(end - start, roll(0, 1500 >> depth));
            const std::string place = at("77", std::to_string(thread), start);
            const int kind = roll(0, 5);
            if (depth == 0 && thread == 1) {
                add(slice("ProfilerStep#" + std::to_string(++steps_), "user_annotation", duration) + place);
            } else if (kind == 0) {
                calls_.push_back(start);
                call_threads_.push_back(thread);
                add(slice("cudaLaunchKernel", "cuda_runtime", duration) + place + R"(, "args": {"correlation": )" +
                    std::to_string(calls_.size()) + R"(, "nan": NaN, "x": 0x1F})");
            } else {
                add(slice("aten::op\\n\\u00e9" + std::to_string(roll(0, 3)), "cpu_op", duration) + place +
                    R"(, "tts": 5, "args": {"Input Dims": [[2, 3], []], "args": {"a": [1, 2.5e3]}, "Sequence number": )" +
                    std::to_string(roll(0, 9)) + "}");
            }
            add_calls(thread, start, start + duration, depth + 1);
            start += duration + roll(0, 2) * roll(0, 100);
            if (duration == 0) ++start;
        }
    }

    // Linked by correlation, by an arrow, or not linked.
    void add_kernel(int i) {
        const int start = roll(0, 5000);
        const std::string stream = std::to_string(roll(7, 8));
        const char* const category = roll(0, 4) ? "kernel" : "gpu_memcpy";
        const int link = roll(0, 2);
        const std::size_t call =
            calls_.empty() ? 0 : static_cast<std::size_t>(roll(0, static_cast<int>(calls_.size()) - 1));
        std::string arguments = R"(, "args": {"stream": )" + stream + R"(, "bytes": 1000)";
        if (link == 0) arguments += R"(, "correlation": )" + std::to_string(call + 1);
        add(slice(roll(0, 3) ? "gemm" : "ncclAllReduce", category, roll(0, 400)) + at("0", stream, start) + arguments +
            "}");
        if (link != 1 || calls_.empty()) return;
        const std::string arrow = R"("cat": "ac2g", "name": "ac2g", "id": )" + std::to_string(900 + i);
        add(R"("ph": "s", )" + arrow + at("77", std::to_string(call_threads_[call]), calls_[call]));
        add(R"("ph": "f", "bp": "e", )" + arrow + at("0", stream, start));
    }

    void add_pairs(int i) {
        const int start = roll(0, 3000), end = start + roll(0, 900);
        const std::string id = R"(, "id": "0x)" + std::to_string(i % 2) + "\"";
        add(R"("ph": "B", "name": "pair", "cat": "x", "args": {"a": 1, "args": {}})" + at("77", "3", start));
        add(R"("ph": "E", "args": {"a": 2, "bytes": 7})" + at("77", "3", end));
        add(R"("ph": "b", "name": "async", "cat": "y", "args": {"size": 3})" + id + at("77", "3", start));
        add(R"("ph": "e", "name": "async", "cat": "y")" + id + at("77", "3", end));
        add(R"("ph": "i", "s": "p", "name": "moment", "cat": "z")" + at("77", "\"main \\\"x\\\"\"", start));
        add(R"("ph": "C", "name": "memory", "pid": 77, "ts": )" + micros(start) + R"(, "args": {"a": 0.1, "b": 3e10})");
        add(R"("ph": "C", "name": "memory", "pid": 77, "ts": )" + micros(end) + R"(, "args": {"b": -1})");
        add(R"("ph": "M", "name": "thread_name", "pid": 77, "tid": )" + std::to_string(i) +
            R"(, "args": {"name": "t"})");
    }

    std::mt19937 random_;
    std::string events_;
    std::vector<int> calls_, call_threads_;
    int steps_ = 0;
};

}  // namespace

TEST_CASE("random traces are read back as equal events with equal answers") {
    for (unsigned seed = 1; seed <= 40; ++seed) {
        INFO("seed " << seed);
        const TempFolder folder;
        check_round_trip(*read_text(folder, RandomChromeFile(seed).write()));
    }
}

TEST_CASE("the sample run is read back unchanged, and a second export is identical") {
    const TempFolder folder;
    const RunPtr run = write_sample_to(folder.path() / "run");
    const RunPtr again = check_round_trip(*run);
    CHECK(again->event_count() > run->event_count());
    const auto first = export_to(*run, folder.path() / "first"), second = export_to(*again, folder.path() / "second");
    REQUIRE(first.size() == 2);
    for (std::size_t i = 0; i < first.size(); ++i) {
        CHECK(first[i].file.path.filename() == "rank" + std::to_string(i) + ".json");
        const bool same = text_of_file(first[i].file.path) == text_of_file(second[i].file.path);
        CHECK(same);
    }
}

TEST_CASE("traces of the corpus are read back as the same runs") {
    if (!corpus_is_here()) return;
    const std::set<std::string> names = {"HolisticTraceAnalysis/cpu_only",
                                         "HolisticTraceAnalysis/critical_path_overlaid",
                                         "TraceLens/h100_vs_mi300_small",
                                         "TraceLens/mi210_gpu_only",
                                         "dtu_mlops/cpu_small",
                                         "Ascend-msinsight/pytorch_npu_level0_2rank",
                                         "kineto/cuda_graph_node_id",
                                         "kineto/gpu_metrics_counters",
                                         "torchrec/resnet18_2rank",
                                         "zoology/dangling_flows"};
    std::size_t read_back = 0;
    for (const fs::path& folder : corpus_runs()) {
        const std::string name = fs::relative(folder, corpus_folder()).generic_string();
        INFO(name);
        if (!names.contains(name)) continue;
        check_round_trip(*load_export(folder));
        ++read_back;
    }
    CHECK(read_back == (is_whole_corpus() ? names.size() : 8));
}

TEST_CASE("Lockstep adds counters, the critical path, exposed communication and waits") {
    const TempFolder folder;
    const RunPtr run = write_sample_to(folder.path() / "run");
    const fs::path file = folder.path() / "one.json";
    const auto written = export_to(*run, file, "rank:1");
    REQUIRE(written.size() == 1);
    const Json json = Json::parse(text_of_file(file));
    std::map<std::string, std::int64_t> time;
    std::map<std::string, std::size_t> counters;
    std::int64_t last_end = -1;
    bool path_touches = true;
    const auto ns = [](const Json& micros) { return std::llround(micros.get<double>() * 1000); };
    for (const Json& event : json["traceEvents"]) {
        if (event.value("pid", Json()) != kAddedProcess) continue;
        if (event["ph"] == "C") ++counters[event["name"].get<std::string>()];
        if (event["ph"] != "X") continue;
        const auto row = event["tid"].get<std::string>();
        time[row] += ns(event["dur"]);
        if (row != "critical path") continue;
        path_touches = path_touches && (last_end < 0 || std::abs(last_end - ns(event["ts"])) <= 1);
        last_end = ns(event["ts"]) + ns(event["dur"]);
        CHECK(event["args"].contains("bound by"));
    }
    CHECK(path_touches);
    std::int64_t path = 0, exposed = 0;
    const Table bound = answer_of(*run, "critical-path", "rank:1").main();
    for (std::size_t row = 0; row < bound.rows(); ++row) path += bound.integer(row, bound.find_column("time"));
    const Table breakdown = answer_of(*run, "temporal-breakdown", "rank:1").main();
    exposed = breakdown.integer(0, breakdown.find_column("exposed_communication"));
    CHECK(time["critical path"] == path);
    CHECK(time["exposed communication"] == exposed);
    const Table idle = answer_of(*run, "idle-breakdown", "rank:1").main();
    std::int64_t gaps = 0, waits = 0;
    for (std::size_t row = 0; row < idle.rows(); ++row) gaps += idle.integer(row, idle.find_column("time"));
    for (const auto& [row, sum] : time) waits += row.starts_with("waits, ") ? sum : 0;
    CHECK(waits == gaps);
    for (const std::string id : {"queue-length", "memory-bandwidth"}) {
        for (const Series& series : answer_of(*run, id, "rank:1").series) {
            INFO(series.name);
            CHECK(counters[series.name] == series.time.size());
        }
    }
}

TEST_CASE("a filter selects events; step marks stay, and arrows keep both ends") {
    const TempFolder folder;
    const RunPtr run = write_sample_to(folder.path() / "run", 1);
    const fs::path file = folder.path() / "one.json.gz";
    const std::string filter = "class:compute step:" + std::to_string(run->rank(0).trace().steps[1].number);
    const auto written = export_to(*run, file, filter);
    const RunPtr again = load_export(file);
    const RankTrace& trace = again->rank(0).trace();
    CHECK(trace.steps.size() == 1);
    std::size_t others = 0;
    for (const EventId e : events_of_file(trace)) others += trace.has(e, kGpuEvent) || trace.has(e, kStepMark) ? 0 : 1;
    CHECK(others == 0);
    const Table kernels = answer_of(*run, "kernels", filter).main();
    std::int64_t count = 0;
    for (std::size_t row = 0; row < kernels.rows(); ++row) count += kernels.integer(row, kernels.find_column("count"));
    CHECK(static_cast<std::int64_t>(trace.gpu_events.size()) == count);
    CHECK(written.front().events == trace.gpu_events.size() + 1);
    CHECK(text_of_file(file).starts_with("\x1f\x8b"));
}

TEST_CASE("times are exact, and invalid JSON names are mended") {
    TraceFixture fixture;
    fixture.info().base_time_ns = 1'700'000'000'123'456'789;
    fixture.cpu(1, 999, "line\nbreak \x01 \"quoted\" \\ tab\t");
    fixture.cpu(2001, 9'007'199'254'740'993, "bad \xff\xfe utf8 \xc3");
    constexpr std::int64_t kTwentyDays = 20 * 86'400'000'000'000;
    for (int i = 1; i <= 5; ++i) fixture.cpu(i * kTwentyDays, 1, "a long event is not alone");
    const TempFolder folder;
    const fs::path file = folder.path() / "rank0.json";
    export_to(*run_of({fixture.build()}), file);
    const std::string text = text_of_file(file);
    REQUIRE(Json::accept(text));
    CHECK(text.find("\"ts\":0.001,\"dur\":0.999") != std::string::npos);
    CHECK(text.find("\"ts\":2.001,\"dur\":9007199254740.993") != std::string::npos);
    CHECK(text.find("\"baseTimeNanoseconds\": 1700000000123456789") != std::string::npos);
    const RunPtr again = load_export(file);
    const RankTrace& trace = again->rank(0).trace();
    CHECK(find_named(trace, "line\nbreak \x01 \"quoted\" \\ tab\t") != kNoEvent);
    CHECK(find_named(trace, "bad \xEF\xBF\xBD\xEF\xBF\xBD utf8 \xEF\xBF\xBD") != kNoEvent);
    CHECK(ns_of(trace.start[0]) == 1'700'000'000'123'456'790);
}

TEST_CASE("several ranks go to a folder, one to a file, and no trace is overwritten") {
    const TempFolder folder;
    const fs::path source = folder.path() / "run";
    const RunPtr run = write_sample_to(source);
    const auto plan = [&](const fs::path& out, std::string_view filter) {
        return plan_chrome_files(*run, *parse_filter(filter), out, true);
    };
    CHECK((*plan(folder.path() / "new", ""))[1].path == folder.path() / "new/rank1.json.gz");
    RunParts twice = run->parts();
    twice.ranks[1].key = {0, 1};
    const auto captures = plan_chrome_files(Run(twice), {}, folder.path() / "new", false);
    CHECK((*captures)[1].path == folder.path() / "new/rank0_capture0002.json");
    CHECK((*plan(folder.path() / "one.json", "rank:1"))[0].path == folder.path() / "one.json");
    CHECK((*plan(folder.path() / "new/", "rank:1"))[0].path == folder.path() / "new/rank1.json.gz");
    CHECK(plan(folder.path() / "all.json", "").error().message.find("--ranks") != std::string::npos);
    CHECK(plan(source / "truth.json", "").error().message.find("is a file") != std::string::npos);
    CHECK(plan(folder.path() / "x", "rank:9").error().code == ErrorCode::NotFound);
    const fs::path own = run->rank(1).trace().info.path;
    CHECK(plan(own, "rank:1").error().message.find("is an input of this run") != std::string::npos);
}

TEST_CASE("a counter value that JSON cannot hold is skipped, and the file stays valid") {
    const TempFolder folder;
    TraceFixture fixture;
    fixture.kernel(0, 10, "gemm");
    EventBatch& batch = fixture.batch();
    const NameId pid = batch.pool.intern("0"), name = batch.pool.intern("power");
    const NameId good = batch.pool.intern("good"), odd = batch.pool.intern("odd");
    const double kValues[] = {std::nan(""), INFINITY, -INFINITY, 1e300};
    for (std::int64_t i = 0; i < 4; ++i) {
        batch.counters.push_back({.time_ns = i, .pid = pid, .name = name, .series = good, .value = 0.5});
        batch.counters.push_back({.time_ns = i, .pid = pid, .name = name, .series = odd, .value = kValues[i]});
        batch.counters.push_back({.time_ns = i, .pid = pid, .name = odd, .series = odd, .value = kValues[i]});
    }
    const fs::path out = folder.path() / "out.json";
    export_to(*run_of({fixture.build()}), out);
    const Json json = Json::parse(text_of_file(out), nullptr, false);
    REQUIRE_FALSE(json.is_discarded());
    std::map<std::string, std::size_t> values;
    for (const Json& event : json.at("traceEvents")) {
        if (event.at("ph") != "C") continue;
        CHECK_FALSE(event.at("args").empty());
        for (const auto& [series, value] : event.at("args").items()) {
            CHECK(value.is_number());
            ++values[event.at("name").get<std::string>() + "/" + series];
        }
    }
    CHECK(values["power/good"] == 4);
    CHECK(values["power/odd"] == 1);
    CHECK(values["odd/odd"] == 1);
}

TEST_CASE("a cancelled export leaves no file") {
    const TempFolder folder;
    const RunPtr run = write_sample_to(folder.path() / "run", 1);
    std::stop_source stop;
    stop.request_stop();
    const fs::path file = folder.path() / "one.json";
    const Result<ChromeSummary> written = write_chrome_trace(*run, {}, {0, file}, {stop.get_token(), nullptr});
    REQUIRE_FALSE(written);
    CHECK(written.error().code == ErrorCode::Cancelled);
    CHECK(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()) == 1);
}
