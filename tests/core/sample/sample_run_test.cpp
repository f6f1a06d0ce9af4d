#include "core/sample/sample_run.hpp"

#include <doctest/doctest.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

using nlohmann::json;
namespace fs = std::filesystem;

namespace {

class TemporaryFolder {
public:
    TemporaryFolder() {
        static std::atomic<int> count{0};
        path_ = fs::temp_directory_path() /
                ("lockstep_sample_" + std::to_string(::getpid()) + "_" + std::to_string(count.fetch_add(1)));
        fs::remove_all(path_);
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

std::string read_text(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    REQUIRE(in);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

core::SampleOptions small_options() {
    core::SampleOptions options;
    options.ranks = 4;
    options.steps = 3;
    options.layers = 2;
    return options;
}

struct Run {
    core::SampleSummary summary;
    json truth;
    std::vector<json> traces;  // by rank
};

Run write_and_read(const TemporaryFolder& folder, const core::SampleOptions& options) {
    auto summary = core::write_sample_run(folder.path(), options, {});
    REQUIRE_MESSAGE(summary.has_value(), (summary ? std::string() : summary.error().message));
    Run run;
    run.summary = *summary;
    run.truth = json::parse(read_text(folder.path() / "truth.json"));
    for (const fs::path& file : run.summary.files) run.traces.push_back(json::parse(read_text(file)));
    return run;
}

// The run of small_options(), written and read once.
const Run& small_run() {
    static const Run run = write_and_read(TemporaryFolder(), small_options());
    return run;
}

std::int64_t nanoseconds(const json& microseconds) {
    return static_cast<std::int64_t>(std::llround(microseconds.get<double>() * 1000));
}
std::int64_t start_of(const json& event) { return nanoseconds(event["ts"]); }
std::int64_t end_of(const json& event) { return start_of(event) + nanoseconds(event["dur"]); }

std::vector<const json*> events_of(const json& trace, const std::set<std::string>& categories) {
    std::vector<const json*> found;
    for (const json& event : trace["traceEvents"])
        if (event.contains("cat") && categories.contains(event["cat"].get<std::string>())) found.push_back(&event);
    return found;
}

const std::set<std::string> kHostCalls = {"cpu_op", "user_annotation", "python_function", "cuda_runtime",
                                          "cuda_driver"};
const std::set<std::string> kDeviceWork = {"kernel", "gpu_memcpy", "gpu_memset"};

using Intervals = std::vector<std::pair<std::int64_t, std::int64_t>>;

Intervals merged(Intervals intervals) {
    std::sort(intervals.begin(), intervals.end());
    Intervals result;
    for (const auto& interval : intervals) {
        if (!result.empty() && interval.first <= result.back().second)
            result.back().second = std::max(result.back().second, interval.second);
        else
            result.push_back(interval);
    }
    return result;
}

std::int64_t length(const Intervals& intervals) {
    std::int64_t sum = 0;
    for (const auto& [begin, end] : merged(intervals)) sum += end - begin;
    return sum;
}

Intervals joined(Intervals a, const Intervals& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

std::string failure_of(const core::SampleOptions& options) {
    const TemporaryFolder folder;
    const auto result = core::write_sample_run(folder.path(), options, {});
    return result ? std::string() : result.error().message;
}

}  // namespace

TEST_CASE("the same options give the same bytes, another seed gives others") {
    const TemporaryFolder first;
    const TemporaryFolder second;
    const TemporaryFolder other;
    core::SampleOptions options = small_options();
    REQUIRE(core::write_sample_run(first.path(), options, {}));
    REQUIRE(core::write_sample_run(second.path(), options, {}));
    options.seed = 2;
    REQUIRE(core::write_sample_run(other.path(), options, {}));
    for (const fs::directory_entry& entry : fs::directory_iterator(first.path())) {
        const fs::path name = entry.path().filename();
        CHECK_MESSAGE(read_text(first.path() / name) == read_text(second.path() / name), name);
        CHECK_MESSAGE(read_text(first.path() / name) != read_text(other.path() / name), name);
    }
    // Holds on every machine and compiler; changes only if the sample is changed on purpose.
    const std::string rank0 = read_text(first.path() / "sample_rank0.pt.trace.json");
    const auto sum = crc32(0, reinterpret_cast<const Bytef*>(rank0.data()), static_cast<uInt>(rank0.size()));
    CHECK(sum == 3743245606U);
}

TEST_CASE("a gzip run holds the text of the plain one") {
    const TemporaryFolder plain;
    const TemporaryFolder packed;
    core::SampleOptions options = small_options();
    REQUIRE(core::write_sample_run(plain.path(), options, {}));
    options.gzip = true;
    const auto summary = core::write_sample_run(packed.path(), options, {});
    REQUIRE(summary);
    for (int rank = 0; rank < options.ranks; ++rank) {
        const std::string expected =
            read_text(plain.path() / ("sample_rank" + std::to_string(rank) + ".pt.trace.json"));
        gzFile file = gzopen(summary->files[static_cast<std::size_t>(rank)].c_str(), "rb");
        REQUIRE(file != nullptr);
        std::string text(expected.size() + 1, '\0');
        const int size = gzread(file, text.data(), static_cast<unsigned>(text.size()));
        gzclose(file);
        REQUIRE(size == static_cast<int>(expected.size()));
        text.resize(expected.size());
        CHECK(text == expected);
    }
}

TEST_CASE("every event has the keys its phase needs, and truth counts every event") {
    const Run& run = small_run();
    const std::map<std::string, std::vector<const char*>> needed = {
        {"X", {"name", "cat", "pid", "tid", "ts", "dur", "args"}},
        {"i", {"name", "s", "pid", "tid", "ts"}},
        {"C", {"name", "pid", "ts", "args"}},
        {"M", {"name", "pid", "tid", "ts", "args"}},
        {"s", {"name", "cat", "id", "pid", "tid", "ts"}},
        {"f", {"name", "cat", "id", "pid", "tid", "ts", "bp"}}};
    std::uint64_t events = 0;
    for (std::size_t rank = 0; rank < run.traces.size(); ++rank) {
        const json& trace = run.traces[rank];
        CHECK(trace["distributedInfo"]["rank"] == rank);
        CHECK(trace["distributedInfo"]["world_size"] == 4);
        std::map<std::string, std::int64_t> counts;
        for (const json& event : trace["traceEvents"]) {
            const std::string phase = event.at("ph");
            REQUIRE(needed.contains(phase));
            for (const char* key : needed.at(phase)) REQUIRE_MESSAGE(event.contains(key), event.dump());
            counts[event.contains("cat") ? phase + ":" + event["cat"].get<std::string>() : phase] += 1;
        }
        CHECK(run.truth["ranks"][rank]["events_by_phase_and_category"] == json(counts));
        CHECK(run.truth["ranks"][rank]["events"] == trace["traceEvents"].size());
        events += trace["traceEvents"].size();
    }
    CHECK(events == run.summary.events);
}

TEST_CASE("calls on a host thread nest properly") {
    const Run& run = small_run();
    for (const json& trace : run.traces) {
        std::map<std::int64_t, std::vector<std::pair<std::int64_t, std::int64_t>>> threads;
        for (const json* event : events_of(trace, kHostCalls))
            threads[(*event)["tid"].get<std::int64_t>()].emplace_back(start_of(*event), end_of(*event));
        CHECK(threads.size() == 2);
        for (auto& [tid, calls] : threads) {
            std::sort(calls.begin(), calls.end(), [](const auto& a, const auto& b) {
                return a.first != b.first ? a.first < b.first : a.second > b.second;
            });
            std::vector<std::int64_t> open;
            for (const auto& [start, end] : calls) {
                while (!open.empty() && open.back() <= start) open.pop_back();
                REQUIRE((open.empty() || end < open.back()));
                open.push_back(end);
            }
        }
    }
}

TEST_CASE("device work follows its launch and never overlaps on a stream") {
    const Run& run = small_run();
    for (const json& trace : run.traces) {
        std::map<std::int64_t, const json*> launches;
        for (const json* call : events_of(trace, {"cuda_runtime", "cuda_driver"}))
            CHECK(launches.emplace((*call)["args"]["correlation"].get<std::int64_t>(), call).second);
        std::map<std::int64_t, Intervals> streams;
        for (const json* work : events_of(trace, kDeviceWork)) {
            const auto launch = launches.find((*work)["args"]["correlation"].get<std::int64_t>());
            REQUIRE(launch != launches.end());
            REQUIRE(start_of(*work) > end_of(*launch->second));
            CHECK((*work)["tid"] == (*work)["args"]["stream"]);
            streams[(*work)["tid"].get<std::int64_t>()].emplace_back(start_of(*work), end_of(*work));
        }
        CHECK(streams.size() == 4);
        for (auto& [stream, work] : streams) {
            std::sort(work.begin(), work.end());
            for (std::size_t i = 1; i < work.size(); ++i) REQUIRE(work[i - 1].second < work[i].first);
        }
    }
}

TEST_CASE("flow arrows come in pairs that point forward") {
    const Run& run = small_run();
    for (const json& trace : run.traces) {
        std::map<std::pair<std::string, std::int64_t>, std::int64_t> starts;
        std::size_t ends = 0;
        for (const json& event : trace["traceEvents"])
            if (event["ph"] == "s")
                CHECK(starts
                          .emplace(std::pair{event["cat"].get<std::string>(), event["id"].get<std::int64_t>()},
                                   start_of(event))
                          .second);
        for (const json& event : trace["traceEvents"]) {
            if (event["ph"] != "f") continue;
            const auto start = starts.find({event["cat"].get<std::string>(), event["id"].get<std::int64_t>()});
            REQUIRE(start != starts.end());
            REQUIRE(start->second < start_of(event));
            ++ends;
        }
        CHECK(ends == starts.size());
    }
}

TEST_CASE("a collective starts when a rank arrives and ends on all members together") {
    const Run& run = small_run();
    using Key = std::tuple<std::string, std::string, std::int64_t>;
    std::map<Key, std::map<std::size_t, const json*>> collectives;
    for (std::size_t rank = 0; rank < run.traces.size(); ++rank) {
        for (const json* kernel : events_of(run.traces[rank], {"kernel"})) {
            const json& args = (*kernel)["args"];
            CHECK(args.contains("Collective name") == (*kernel)["name"].get<std::string>().starts_with("nccl"));
            if (args.contains("Seq"))
                collectives[{args["Process Group Name"], args["Process Group Ranks"], args["Seq"]}].emplace(rank,
                                                                                                            kernel);
        }
    }
    CHECK(collectives.size() == run.truth["collectives"].size());
    for (const json& truth : run.truth["collectives"]) {
        std::string members = truth["members"].dump();
        for (std::size_t comma = 0; (comma = members.find(',', comma)) != std::string::npos; ++comma)
            members.insert(comma + 1, " ");
        const auto found = collectives.find({truth["group"], members, truth["seq"]});
        REQUIRE(found != collectives.end());
        REQUIRE(found->second.size() == truth["members"].size());
        std::int64_t latest_start = 0;
        std::int64_t first_end = INT64_MAX;
        std::int64_t last_end = 0;
        for (std::size_t i = 0; i < truth["members"].size(); ++i) {
            const json& kernel = *found->second.at(truth["members"][i].get<std::size_t>());
            CHECK(start_of(kernel) == truth["arrivals_ns"][i]);
            CHECK(end_of(kernel) == truth["ends_ns"][i]);
            CHECK(kernel["args"]["Collective name"] == truth["operation"]);
            latest_start = std::max(latest_start, start_of(kernel));
            first_end = std::min(first_end, end_of(kernel));
            last_end = std::max(last_end, end_of(kernel));
        }
        CHECK(last_end - first_end < 6000);  // clocks differ by up to 3.8 us
        CHECK(first_end > latest_start);
        CHECK(start_of(*found->second.at(truth["last_rank"].get<std::size_t>())) == latest_start);
    }
}

TEST_CASE("truth's breakdown is that of the written file, and its parts add up to the window") {
    const Run& run = small_run();
    for (std::size_t rank = 0; rank < run.traces.size(); ++rank) {
        Intervals compute;
        Intervals communication;
        Intervals memory;
        for (const json* work : events_of(run.traces[rank], kDeviceWork)) {
            const bool is_memory = (*work)["cat"] != "kernel";
            const bool is_communication = (*work)["name"].get<std::string>().starts_with("nccl");
            (is_memory          ? memory
             : is_communication ? communication
                                : compute)
                .emplace_back(start_of(*work), end_of(*work));
        }
        const Intervals all = merged(joined(joined(compute, communication), memory));
        const std::int64_t window = all.back().second - all.front().first;
        const json& truth = run.truth["ranks"][rank]["breakdown"];
        CHECK(truth["window_start_ns"] == all.front().first);
        CHECK(truth["window_ns"] == window);
        CHECK(truth["compute_ns"] == length(compute));
        CHECK(truth["exposed_communication_ns"] == length(joined(compute, communication)) - length(compute));
        CHECK(truth["exposed_memory_ns"] == length(all) - length(joined(compute, communication)));
        CHECK(truth["idle_ns"] == window - length(all));
        CHECK(truth["overlap_ns"] == length(compute) + length(communication) - length(joined(compute, communication)));
        CHECK(truth["compute_ns"].get<std::int64_t>() + truth["exposed_communication_ns"].get<std::int64_t>() +
                  truth["exposed_memory_ns"].get<std::int64_t>() + truth["idle_ns"].get<std::int64_t>() ==
              window);
    }
}

TEST_CASE("truth's steps are those of the file and their parts add up to their durations") {
    const Run& run = small_run();
    REQUIRE(run.truth["steps"].size() == 12);
    for (const json& step : run.truth["steps"]) {
        const std::string name = "ProfilerStep#" + std::to_string(step["step"].get<int>());
        int found = 0;
        for (const json* mark : events_of(run.traces[step["rank"].get<std::size_t>()], {"user_annotation"})) {
            if ((*mark)["name"] != name) continue;
            ++found;
            CHECK(start_of(*mark) == step["start_ns"]);
            CHECK(nanoseconds((*mark)["dur"]) == step["duration_ns"]);
        }
        CHECK(found == 1);
        std::int64_t sum = 0;
        for (const char* part : {"compute_ns", "exposed_communication_ns", "exposed_memory_ns", "idle_ns"})
            sum += step[part].get<std::int64_t>();
        CHECK(sum == step["duration_ns"]);
    }
}

TEST_CASE("truth's kernel sums are those of the file") {
    const Run& run = small_run();
    std::size_t rows = 0;
    std::set<std::pair<std::size_t, std::string>> names;
    for (const json& kernel : run.truth["kernels"]) {
        for (const json& row : kernel["ranks"]) {
            ++rows;
            std::vector<std::int64_t> durations;
            for (const json* work : events_of(run.traces[row["rank"].get<std::size_t>()], kDeviceWork))
                if ((*work)["name"] == kernel["name"]) durations.push_back(nanoseconds((*work)["dur"]));
            REQUIRE(!durations.empty());
            CHECK(row["count"] == durations.size());
            CHECK(row["min_ns"] == *std::min_element(durations.begin(), durations.end()));
            CHECK(row["max_ns"] == *std::max_element(durations.begin(), durations.end()));
            std::int64_t total = 0;
            for (const std::int64_t duration : durations) total += duration;
            CHECK(row["total_ns"] == total);
        }
    }
    for (std::size_t rank = 0; rank < run.traces.size(); ++rank)
        for (const json* work : events_of(run.traces[rank], kDeviceWork)) names.emplace(rank, (*work)["name"]);
    CHECK(names.size() == rows);
}

TEST_CASE("the straggler makes its tensor group wait at the start of every step") {
    const TemporaryFolder folder;
    core::SampleOptions options = small_options();
    options.straggler = 3;
    const Run run = write_and_read(folder, options);
    CHECK(run.truth["planted"]["straggler"]["rank"] == 3);
    CHECK(run.truth["planted"]["straggler"]["lateness_inherited_by"] == json::array({2}));
    std::set<int> steps;
    for (const json& collective : run.truth["collectives"]) {
        const int step = collective["step"];
        if (collective["members"] != json::array({2, 3}) || !steps.insert(step).second) continue;
        CHECK(collective["last_rank"] == 3);
        const std::int64_t wait =
            collective["arrivals_ns"][1].get<std::int64_t>() - collective["arrivals_ns"][0].get<std::int64_t>();
        CHECK(wait > 2'800'000);
        CHECK(wait < 3'300'000);
    }
    CHECK(steps.size() == 3);
}

TEST_CASE("the imbalanced kernel is slower on its rank by the planted factor") {
    const Run& run = small_run();
    const json& planted = run.truth["planted"]["imbalance"];
    std::map<int, double> means;
    for (const json& kernel : run.truth["kernels"])
        if (kernel["name"] == planted["kernel"])
            for (const json& row : kernel["ranks"])
                means[row["rank"]] = row["total_ns"].get<double>() / row["count"].get<double>();
    REQUIRE(means.size() == 4);
    for (const auto& [rank, mean] : means) {
        if (rank == planted["rank"]) continue;
        CHECK(means[planted["rank"]] / mean ==
              doctest::Approx(planted["percent_of_other_ranks"].get<double>() / 100).epsilon(0.02));
    }
}

TEST_CASE("the candidate differs in the ways its truth lists, and only in those kernels") {
    const TemporaryFolder baseline_folder;
    const TemporaryFolder candidate_folder;
    core::SampleOptions options = small_options();
    options.straggler = core::kNoStraggler;
    options.layers = 6;
    const Run baseline = write_and_read(baseline_folder, options);
    options.candidate = true;
    const Run candidate = write_and_read(candidate_folder, options);
    const auto totals = [](const Run& run) {
        std::map<std::string, std::int64_t> sums;
        for (const json& kernel : run.truth["kernels"])
            if (kernel["class"] == "compute")
                for (const json& row : kernel["ranks"]) sums[kernel["name"]] += row["total_ns"].get<std::int64_t>();
        return sums;
    };
    const auto before = totals(baseline);
    auto after = totals(candidate);
    const json& differences = candidate.truth["differences_from_baseline"];
    const std::string slower = differences[0]["kernel"];
    CHECK(static_cast<double>(after.at(slower)) / static_cast<double>(before.at(slower)) ==
          doctest::Approx(1.25).epsilon(0.001));
    for (const std::string name : differences[1]["removed"]) {
        CHECK(before.contains(name));
        CHECK(!after.contains(name));
    }
    const std::string added = differences[1]["added"][0];
    CHECK(!before.contains(added));
    CHECK(after.erase(added) == 1);
    for (const auto& [name, total] : after)
        if (name != slower) CHECK_MESSAGE(total == before.at(name), name);
    const auto exposed = [](const Run& run) {
        return run.truth["ranks"][0]["breakdown"]["exposed_communication_ns"].get<std::int64_t>();
    };
    CHECK(exposed(candidate) < exposed(baseline) - 1'000'000);
}

TEST_CASE("the number of events asked for is met within a fifth") {
    for (const std::uint64_t wanted : {8'000ULL, 50'000ULL, 220'000ULL}) {
        const TemporaryFolder folder;
        core::SampleOptions options;
        options.events = wanted;
        options.gzip = true;
        const auto summary = core::write_sample_run(folder.path(), options, {});
        REQUIRE(summary);
        CHECK(summary->events > wanted * 8 / 10);
        CHECK(summary->events < wanted * 12 / 10);
    }
}

TEST_CASE("runs of one rank, without tensor or without data groups are whole too") {
    for (const auto& [ranks, split] : {std::pair{1, 1}, std::pair{2, 2}, std::pair{3, 1}, std::pair{40, 4}}) {
        const TemporaryFolder folder;
        core::SampleOptions options;
        options.ranks = ranks;
        options.tensor_parallel = split;
        options.steps = 1;
        options.layers = 1;
        const Run run = write_and_read(folder, options);
        CHECK(run.traces.size() == static_cast<std::size_t>(ranks));
        std::set<std::string> groups;
        for (const json* kernel : events_of(run.traces[0], {"kernel"}))
            if ((*kernel)["args"].contains("Seq")) groups.insert((*kernel)["args"]["Process Group Name"]);
        CHECK(groups.contains("0") == (ranks > 1));
        CHECK(groups.contains("1") == (ranks > split));
        CHECK(groups.contains("2") == (split > 1));
        if (ranks != 40) continue;
        for (const json* kernel : events_of(run.traces[0], {"kernel"}))
            if ((*kernel)["args"].contains("Seq") && (*kernel)["args"]["Process Group Name"] == "0")
                CHECK((*kernel)["args"]["Process Group Ranks"].get<std::string>().ends_with("28, 29, ...]"));
    }
}

// Differences that begin with thousands of ranks, on a few more than that limit.
TEST_CASE("a run of many ranks has several stragglers, three axes, and a truth without rows per step") {
    const TemporaryFolder folder;
    core::SampleOptions options;
    options.ranks = 544;
    options.tensor_parallel = 16;
    options.stages = 2;
    options.steps = 1;
    options.layers = 2;
    options.straggler = 100;
    options.further_stragglers = {301};
    options.faults.slow_link = true;
    const auto summary = core::write_sample_run(folder.path(), options, {});
    REQUIRE(summary);
    CHECK(summary->files.size() == 544);
    std::ifstream in(folder.path() / "truth.json");
    const json truth = json::parse(in);
    CHECK(truth["planted"]["straggler"]["rank"] == 100);
    CHECK(truth["planted"]["further_stragglers"] == json::array({301}));
    CHECK(truth["planted"]["slow_link"]["members"].size() == 17);
    CHECK(truth["ranks"].size() == 544);
    CHECK(truth["ranks"][300]["data_group"] == json({{"first", 284}, {"stride", 16}, {"ranks", 17}}));
    CHECK_FALSE(truth.contains("steps"));
    CHECK(truth["kernels"][0].contains("total_ns"));
    CHECK_FALSE(truth["kernels"][0].contains("ranks"));
    std::uint64_t events = 0;
    for (const json& rank : truth["ranks"]) events += rank["events"].get<std::uint64_t>();
    CHECK(events == summary->events);
    const auto loading_ns = [&](int rank) {
        std::ifstream file(summary->files[static_cast<std::size_t>(rank)]);
        const json trace = json::parse(file);
        double longest = 0;
        for (const json& event : trace["traceEvents"])
            if (event.value("name", "").find("DataLoader") != std::string::npos)
                longest = std::max(longest, event.value("dur", 0.0));
        return longest;
    };
    CHECK(loading_ns(100) > 3'000);
    CHECK(loading_ns(301) > 3'000);
    CHECK(loading_ns(300) < 3'000);
}

TEST_CASE("options that make no run are refused with the reason") {
    core::SampleOptions options;
    options.ranks = 6;
    options.tensor_parallel = 4;
    CHECK(failure_of(options) == "sample: 6 ranks cannot be split into tensor parallel groups of 4");
    options.tensor_parallel = 3;
    CHECK(failure_of(options) == "sample: tensor parallel must be 1, 2, 4, 8 or 16, not 3");
    options = {};
    options.straggler = 8;
    CHECK(failure_of(options) == "sample: straggler must be a rank from 0 to 7, or -1 for none, not 8");
    options = {};
    options.ranks = 0;
    CHECK(failure_of(options) == "sample: ranks must be 1 to 16384, not 0");
    options = {};
    options.layers = 4097;
    CHECK(failure_of(options) == "sample: layers must be 1 to 4096, not 4097");
    options = {};
    options.events = 100;
    CHECK(failure_of(options).starts_with("sample: a run of 8 ranks has at least "));
}

TEST_CASE("a folder that holds ranks of another sample is refused, the same sample is replaced") {
    const TemporaryFolder folder;
    core::SampleOptions options = small_options();
    REQUIRE(core::write_sample_run(folder.path(), options, {}));
    CHECK(core::write_sample_run(folder.path(), options, {}));
    options.ranks = 2;
    const auto fewer = core::write_sample_run(folder.path(), options, {});
    REQUIRE(!fewer);
    CHECK(fewer.error().message.ends_with(": belongs to another sample; choose an empty folder"));
}

TEST_CASE("a cancelled run leaves no files behind") {
    const TemporaryFolder folder;
    std::stop_source stop;
    stop.request_stop();
    const auto result =
        core::write_sample_run(folder.path(), small_options(), core::JobContext{stop.get_token(), nullptr});
    REQUIRE(!result);
    CHECK(result.error().code == core::ErrorCode::Cancelled);
    CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("a folder that cannot be written is named") {
    const TemporaryFolder folder;
    { std::ofstream(folder.path()) << "a file"; }
    const auto result = core::write_sample_run(folder.path(), small_options(), {});
    REQUIRE(!result);
    CHECK(result.error().code == core::ErrorCode::Io);
    CHECK(result.error().message.starts_with(folder.path().string() + ": cannot create"));
}
