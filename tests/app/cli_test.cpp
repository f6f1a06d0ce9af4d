// The command line as scripts see it: exit status, output streams, errors that name the file.

#include "tests/app/cli.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <set>

using namespace app::testing;
using core::testing::TempFolder;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

// One small sample run, written by the binary, shared by all tests of this file.
const fs::path& sample() {
    static const TempFolder folder;
    static const fs::path path = [] {
        const fs::path run = folder.path() / "run";
        const Outcome written = lockstep({"sample", run.string(), "--ranks", "2", "--steps", "3", "--layers", "2"});
        REQUIRE(written.status == 0);
        return run;
    }();
    return path;
}

bool is_one_line(const std::string& text) { return std::ranges::count(text, '\n') == 1 && text.ends_with('\n'); }

Json analyze_json(std::initializer_list<std::string> more) {
    std::vector<std::string> words = {"analyze"};
    words.insert(words.end(), more);
    std::string command = quoted(core::testing::lockstep_binary());
    for (const std::string& word : words) command += " " + quoted(word);
    const Outcome outcome = run_shell(command + " --format json");
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return Json::parse(outcome.out);
}

fs::path write_text(const fs::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
    return path;
}

}  // namespace

TEST_CASE("help and version go to standard output with status 0") {
    const Outcome help = lockstep({"--help"});
    CHECK(help.status == 0);
    for (const char* const command : {"info", "analyses", "analyze", "index", "shot", "export", "sample"}) {
        INFO(command);
        CHECK(help.out.find(command) != std::string::npos);
        const Outcome one = lockstep({command, "--help"});
        CHECK(one.status == 0);
        CHECK(one.out.find("Options") != std::string::npos);
        CHECK(one.err.empty());
    }
    const Outcome version = lockstep({"--version"});
    CHECK(version.status == 0);
    CHECK(version.out.starts_with("lockstep "));
    CHECK(is_one_line(version.out));
}

TEST_CASE("misspelt words are refused with status 2, one line, and the nearest known word") {
    const auto refused = [](std::initializer_list<std::string> words, const std::string& hint) {
        const Outcome outcome = lockstep(words);
        INFO(outcome.err);
        CHECK(outcome.status == 2);
        CHECK(outcome.out.empty());
        CHECK(is_one_line(outcome.err));
        CHECK(outcome.err.starts_with("lockstep"));
        CHECK(outcome.err.find(hint) != std::string::npos);
    };
    refused({"analyse"}, "did you mean analyze?");
    refused({"qqqqq"}, "neither a command nor a file");
    refused({"analyze", "kernel", "x"}, "did you mean kernels?");
    refused({"analyze", "kernels", "x", "--rank", "3"}, "did you mean --ranks?");
    refused({"analyze", "kernels"}, "needs the PATH");
    refused({"analyze"}, "needs the ID");
    refused({"info"}, "needs the PATH");
    refused({"info", "x", "--format", "xml"}, "'xml' is not table, csv or json");
    refused({"analyze", "kernels", "x", "--jobs", "none"}, "--jobs");
    refused({"analyze", "kernels", "x", "--time"}, "--time needs a value");
    refused({"analyze", "kernels", "x", "--quiet=1"}, "takes no value");
    refused({"analyze", "kernels", "x", "--ranks", "a-b"}, "--ranks");
    refused({"analyze", "kernels", "x", "--filter", "rnk:3"}, "--filter: \"rnk:3\"");
    refused({"analyze", "kernels", "x", "--name", "/(/"}, "--name: ");
    refused({"analyze", "temporal-breakdown", "x", "--param", "window"}, "is not KEY=VALUE");
    refused({"analyze", "temporal-breakdown", "x", "--param", "window=host"}, "is not one of gpu, steps");
    refused({"analyze", "kernels", "x", "--param", "window=gpu"}, "no parameter 'window'");
    refused({"sample"}, "needs one folder");
    refused({"sample", "x", "--ranks", "0"}, "--ranks");
    refused({"sample", "x", "--variant", "other"}, "--variant");
    refused({"analyses", "overlp"}, "did you mean overlap?");
}

TEST_CASE("an unreadable file is named on one line, with status 1") {
    const TempFolder folder;
    for (const char* const command : {"info", "analyze"}) {
        const auto run = [&](const fs::path& path) {
            return std::string(command) == "info" ? lockstep({"info", path.string()})
                                                  : lockstep({"analyze", "kernels", path.string()});
        };
        for (const fs::path& path :
             {folder.path() / "missing.json", write_text(folder.path() / "broken.json", "{\"traceEvents\": 7"),
              write_text(folder.path() / "empty.json", ""), write_text(folder.path() / "text.json", "hello")}) {
            const Outcome outcome = run(path);
            INFO(outcome.err);
            CHECK(outcome.status == 1);
            CHECK(outcome.out.empty());
            CHECK(is_one_line(outcome.err));
            CHECK(outcome.err.starts_with("lockstep: "));
            CHECK(outcome.err.find(path.filename().string()) != std::string::npos);
        }
    }
}

TEST_CASE("an answer is equal in JSON, CSV and table form, and standard output has only results") {
    const Json json = analyze_json({"temporal-breakdown", sample().string()});
    CHECK(json["schema"] == "lockstep.table/1");
    CHECK(json["run"] == "run");
    REQUIRE(json["rows"].size() == 2);
    const Outcome csv = lockstep({"analyze", "temporal-breakdown", sample().string(), "--format", "csv"});
    CHECK(csv.status == 0);
    const std::string header =
        "rank,window_ns,compute_ns,exposed_communication_ns,exposed_memory_ns,idle_ns,exposed_wait_ns,"
        "exposed_transfer_ns,exposed_other_ns\n";
    REQUIRE(csv.out.starts_with(header));
    std::string expected = header;
    for (const Json& row : json["rows"]) {
        for (std::size_t c = 0; c < row.size(); ++c) expected += (c ? "," : "") + row[c].dump();
        expected += "\n";
    }
    CHECK(csv.out == expected);
    const Outcome table = lockstep({"analyze", "temporal-breakdown", sample().string()});
    CHECK(table.status == 0);
    CHECK(table.out.find("exposed_communication") != std::string::npos);
    CHECK(table.out.ends_with("2 rows\n"));
}

TEST_CASE("secondary tables are cut on the terminal and complete in files and JSON") {
    const std::string run = sample().string();
    const auto lines = [](const std::string& text) { return std::ranges::count(text, '\n'); };
    const Json json = analyze_json({"critical-path", run});
    const std::size_t stretches = json["tables"]["path"]["rows"].size();
    REQUIRE(stretches > 100);
    const Outcome text = lockstep({"analyze", "critical-path", run});
    CHECK(text.status == 0);
    CHECK(lines(text.out) < 100);
    CHECK(text.out.find("... and " + std::to_string(stretches - 20) + " more rows\n") != std::string::npos);
    CHECK(text.out.find("all rows: -o FILE, or --format json\n") != std::string::npos);
    const core::testing::TempFolder folder;
    const fs::path file = folder.path() / "path.txt";
    CHECK(lockstep({"analyze", "critical-path", run, "-o", file.string()}).status == 0);
    CHECK(lines(read_file(file)) > static_cast<std::ptrdiff_t>(stretches));
    CHECK(read_file(file).find("more rows") == std::string::npos);
}

TEST_CASE("one table of an answer can be had alone, as text and as CSV; an unknown one is refused with the names") {
    const std::string run = sample().string();
    const Json answer = analyze_json({"findings", run});
    REQUIRE(answer["tables"]["kinds"]["rows"].size() > 0);
    const Outcome csv = lockstep({"analyze", "findings", run, "--table", "kinds", "--format", "csv"});
    CHECK(csv.status == 0);
    CHECK(csv.out.starts_with("finding,severity,certainty,ranks,"));
    CHECK(static_cast<std::size_t>(std::ranges::count(csv.out, '\n')) == answer["tables"]["kinds"]["rows"].size() + 1);
    const Outcome text = lockstep({"analyze", "findings", run, "--table", "kinds"});
    CHECK(text.out.find("sentence") != std::string::npos);
    CHECK(text.out.find("begin") == std::string::npos);  // a column of the main table
    CHECK(lockstep({"analyze", "findings", run, "--table", "main"}).out.find("begin") != std::string::npos);

    const Outcome unknown = lockstep({"analyze", "findings", run, "--table", "kind"});
    CHECK(unknown.status != 0);
    CHECK(unknown.err.find("tables are main, kinds") != std::string::npos);
    CHECK(unknown.err.find("did you mean kinds?") != std::string::npos);
    CHECK(lockstep({"analyze", "findings", run, "--table", "kinds", "--format", "json"}).status == 2);
}

TEST_CASE("every command that opens a run reads link speeds from a file, and names a bad file") {
    const TempFolder folder;
    const std::string file = (folder.path() / "links.txt").string(), bad = (folder.path() / "bad.txt").string();
    std::ofstream(file) << "H100 = 100\n";
    std::ofstream(bad) << "H100\n";
    const auto efficiency = [](const Json& answer) {
        for (std::size_t c = 0; c < answer["columns"].size(); ++c)
            if (answer["columns"][c]["id"] == "efficiency") return answer["rows"].back()[c].get<double>();
        return 0.0;
    };
    const double standard = efficiency(analyze_json({"bandwidth", sample().string()}));
    const double given = efficiency(analyze_json({"bandwidth", sample().string(), "--links", file}));
    CHECK(standard > 0);
    CHECK(given > standard);
    for (const Outcome& refused : {lockstep({"info", sample().string(), "--links", bad}),
                                   lockstep({"report", sample().string(), "-o", "-", "--links", bad})}) {
        CHECK(refused.status == 2);
        CHECK(refused.err.find("bad.txt: link speeds: line 1") != std::string::npos);
    }
}

TEST_CASE("limits of health are options of every command that opens a run, and an unknown one is named") {
    const auto status_of_host = [](const Json& answer) {
        for (const Json& row : answer["rows"])
            if (row[0] == "host") return row[1].get<std::string>();
        return std::string();
    };
    const std::string run = sample().string();
    CHECK(status_of_host(analyze_json({"health", run, "--limit", "host.warn=0.9,host.bad=0.95"})) == "ok");
    CHECK(status_of_host(analyze_json({"health", run, "--limit", "host.warn=0", "--limit", "host.bad=0"})) == "bad");
    const Outcome refused = lockstep({"analyze", "health", run, "--limit", "hosts.warn=1"});
    CHECK(refused.status == 2);
    CHECK(refused.err.find("hosts.warn") != std::string::npos);
}

TEST_CASE("filter options narrow the answer, alone, combined and as filter text") {
    const std::string run = sample().string();
    CHECK(analyze_json({"temporal-breakdown", run, "--ranks", "1"})["rows"].size() == 1);
    const Json whole = analyze_json({"kernels", run});
    const Json communication = analyze_json({"kernels", run, "--classes", "communication", "--ranks", "0"});
    CHECK(communication["rows"].size() < whole["rows"].size());
    for (const Json& row : communication["rows"]) CHECK(row[1] == "communication");
    CHECK(communication["filter"] == "rank:0 class:communication");
    CHECK(analyze_json({"kernels", run, "--filter", "rank:0 class:communication"})["rows"] == communication["rows"]);
    CHECK(analyze_json({"kernels", run, "--name", "/^nccl.*/", "--ranks=0"})["rows"] == communication["rows"]);
    CHECK(analyze_json({"steps", run, "--steps", "complete"})["rows"].size() <
          analyze_json({"steps", run, "--steps", "all"})["rows"].size());
    const Json cut = analyze_json({"temporal-breakdown", run, "--time", "1ms..3ms"});
    for (const Json& row : cut["rows"]) CHECK(row[1].get<std::int64_t>() <= 2'000'000);
    const Json steps = analyze_json({"temporal-breakdown", run, "--param", "window=steps"});
    CHECK(steps["params"]["window"] == "steps");
    CHECK(lockstep({"analyze", "kernels", run, "--ranks", "77"}).status == 1);
}

TEST_CASE("the table of the flame graph is an analysis of the command line, with its kinds") {
    const Json all = analyze_json({"flame-graph", sample().string(), "--quiet"});
    REQUIRE(all["rows"].size() > 10);
    CHECK(all["columns"][0]["id"] == "depth");
    CHECK(all["rows"][0][0] == 0);
    std::int64_t self = 0;
    for (const Json& row : all["rows"]) self += row[3].get<std::int64_t>();
    CHECK(self == all["rows"][0][2]);  // own times add up to the root's
    const Json marks = analyze_json({"flame-graph", sample().string(), "--param", "kind=annotations", "--quiet"});
    CHECK(marks["rows"].size() > all["rows"].size());
    CHECK(lockstep({"analyses"}).out.find("flame-graph") != std::string::npos);
}

TEST_CASE("every listed analysis runs on the sample and describes itself") {
    const Outcome list = lockstep({"analyses", "--format", "json"});
    REQUIRE(list.status == 0);
    const Json analyses = Json::parse(list.out)["analyses"];
    CHECK(analyses.size() >= 6);
    for (const Json& analysis : analyses) {
        const std::string id = analysis["id"];
        INFO(id);
        const Json answer = analyze_json({id, sample().string(), "--quiet"});
        CHECK(answer["analysis"] == id);
        CHECK(answer["columns"].size() == analysis["columns"].size());
        // The sample's groups are none of DDP, FSDP, stages or experts. It has no hardware counters, no sends or
        // all-to-alls, no outlying collective, no dumps, no memory snapshots, no replayed graphs and no logs of GPUs;
        // this small one has a single message size per group, from which nothing can be predicted.
        const std::set<std::string> absent = {"counters",
                                              "communication-matrix",
                                              "collective-outliers",
                                              "link-predictions",
                                              "hangs",
                                              "memory-snapshot",
                                              "memory-peak",
                                              "memory-fragmentation",
                                              "nccl",
                                              "training-log",
                                              "graphs",
                                              "telemetry",
                                              "energy",
                                              "ddp-buckets",
                                              "fsdp",
                                              "pipeline",
                                              "experts"};
        CHECK(answer["rows"].empty() == absent.contains(id));
        const Outcome described = lockstep({"analyses", id});
        CHECK(described.status == 0);
        for (const Json& column : analysis["columns"]) {
            CHECK(described.out.find("  " + column["id"].get<std::string>() + " ") != std::string::npos);
        }
    }
    CHECK(lockstep({"analyses"}).out.find("kernel-imbalance") != std::string::npos);
}

TEST_CASE("info lists present and missing ranks, as text and as JSON") {
    const Outcome text = lockstep({"info", sample().string()});
    CHECK(text.status == 0);
    CHECK(text.out.find("2 (0-1)") != std::string::npos);
    CHECK(text.out.find("diagnostics") != std::string::npos);
    const Json json = Json::parse(lockstep({"info", sample().string(), "--format", "json"}).out);
    CHECK(json["world_size"] == 2);
    CHECK(json["missing_ranks"].empty());
    REQUIRE(json["ranks"].size() == 2);
    CHECK(json["ranks"][1]["rank"] == 1);
    CHECK(json["ranks"][0]["steps"].size() == 3);
    CHECK(json["ranks"][0]["gpu_events"].get<int>() > 100);
    CHECK(json["categories"]["kernel"].get<int>() > 100);

    const TempFolder part;
    for (const fs::directory_entry& entry : fs::directory_iterator(sample())) {
        const std::string name = entry.path().filename().string();
        if (name.find('1') != std::string::npos) fs::copy(entry.path(), part.path() / name);
    }
    const Json alone = Json::parse(lockstep({"info", part.path().string(), "--format", "json"}).out);
    CHECK(alone["ranks"].size() == 1);
    CHECK(alone["missing_ranks"] == Json::array({Json::array({0, 0})}));
    REQUIRE(alone["doctor"].size() == 1);
    CHECK(alone["doctor"][0]["id"] == "ranks-missing");
}

TEST_CASE("info lists the doctor's findings, or says that all is well") {
    const Outcome well = lockstep({"info", sample().string()});
    CHECK(well.out.find("doctor: all is well: 2 of 2 ranks; steps ") != std::string::npos);
    CHECK(Json::parse(lockstep({"info", sample().string(), "--format", "json"}).out)["doctor"] == Json::array());

    const TempFolder folder;
    const fs::path file = write_text(folder.path() / "rank0.json",
                                     R"({"traceEvents": [
  {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 500, "dur": 5, "args": {"correlation": 1}},
  {"ph": "X", "cat": "kernel", "name": "early", "pid": 0, "tid": 7, "ts": 100, "dur": 20, "args": {"correlation": 1, "stream": 7}},
  {"ph": "X", "cat": "cpu_op", "name": "no time", "pid": 1, "tid": 1}
]})");
    const Outcome text = lockstep({"info", file.string()});
    CHECK(text.out.find("  error: event-malformed on rank 0\n    1 event had no usable time") != std::string::npos);
    const Json found = Json::parse(lockstep({"info", file.string(), "--format", "json"}).out)["doctor"];
    REQUIRE(found.size() == 3);
    CHECK(found[0]["id"] == "event-malformed");
    CHECK(found[0]["severity"] == "error");
    CHECK(found[0]["ranks"] == Json::array({0}));
    CHECK(found[0]["count"] == 1);
    CHECK(found[0]["example"]["text"].get<std::string>().starts_with("rank0.json: byte "));
    CHECK_FALSE(found[0]["example"].contains("event"));
    CHECK(found[1]["id"] == "kernels-before-launch");
    CHECK(found[1]["example"]["event"] == "early");
    CHECK(found[1]["example"]["rank"] == 0);
    CHECK(found[1]["example"]["start"] == 0);
    CHECK(found[2]["id"] == "steps-absent");
    CHECK(found[2]["example"].is_null());
    for (const Json& finding : found) {
        CHECK_FALSE(finding["text"].get<std::string>().empty());
        CHECK_FALSE(finding["means"].get<std::string>().empty());
        CHECK_FALSE(finding["remedy"].get<std::string>().empty());
    }
}

TEST_CASE("a result file is complete or absent, and a failed write keeps the previous file") {
    const TempFolder folder;
    const fs::path file = write_text(folder.path() / "old.csv", "old");
    CHECK(lockstep({"analyze", "kernels", sample().string(), "--format", "csv", "-o", file.string()}).status == 0);
    CHECK(read_file(file).starts_with("rank,class,kernel,"));
    const Outcome nowhere =
        lockstep({"analyze", "kernels", sample().string(), "-o", (folder.path() / "no" / "such").string()});
    CHECK(nowhere.status == 1);
    CHECK(nowhere.err.find("such: ") != std::string::npos);
    CHECK(nowhere.out.empty());
    const Outcome is_folder =
        lockstep({"analyze", "kernels", sample().string(), "--quiet", "-o", folder.path().string()});
    CHECK(is_folder.status == 1);
    CHECK(lockstep({"analyze", "kernels", sample().string(), "-o", "/dev/null"}).status == 0);
    CHECK(fs::is_character_file("/dev/null"));
    CHECK(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()) == 1);
}

TEST_CASE("a pipe closed early by its reader is not a failure, a full disk is") {
    const std::string command =
        quoted(core::testing::lockstep_binary()) + " analyze kernels " + quoted(sample().string()) + " --quiet";
    const Outcome closed = run_shell("{ " + command + "; echo status $? >&2; } | true");
    CHECK(closed.err == "status 0\n");
    if (fs::exists("/dev/full")) {
        const Outcome full = run_shell(command + " >/dev/full");
        CHECK(full.status == 1);
        CHECK(full.err.find("standard output: cannot write") != std::string::npos);
    }
}

TEST_CASE("quiet writes nothing to standard error; progress is shown on terminals only") {
    const Outcome quiet = lockstep({"analyze", "kernels", sample().string(), "--quiet"});
    CHECK(quiet.err.empty());
    const Outcome loud = lockstep({"analyze", "kernels", sample().string()});
    CHECK(loud.err.find('\r') == std::string::npos);
    CHECK(loud.out == quiet.out);
}

TEST_CASE("a signal ends a long write with status 130 and leaves no partial file") {
    const TempFolder folder;
    const fs::path run = folder.path() / "big";
    const Outcome stopped = run_shell("timeout --preserve-status -s INT 1 " + quoted(core::testing::lockstep_binary()) +
                                      " sample " + quoted(run.string()) + " --events 50000000");
    INFO(stopped.err);
    CHECK(stopped.status == 130);
    CHECK(stopped.err == "lockstep: stopped\n");
    if (fs::exists(run)) {
        for (const fs::directory_entry& entry : fs::directory_iterator(run)) {
            INFO(entry.path().string());
            CHECK(entry.path().extension() != ".json");
        }
    }
}

TEST_CASE("several files are one run, and -- allows paths that begin with a dash") {
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(sample())) {
        if (entry.path().filename() != "truth.json") files.push_back(entry.path());
    }
    REQUIRE(files.size() == 2);
    const Json json = analyze_json({"overlap", files[0].string(), files[1].string()});
    CHECK(json["rows"].size() == 2);
    const TempFolder folder;
    fs::copy(files[0], folder.path() / "-rank0.json");
    const Outcome dashed =
        run_shell("cd " + quoted(folder.path().string()) + " && " + quoted(core::testing::lockstep_binary()) +
                  " analyze overlap --quiet -- -rank0.json");
    CHECK(dashed.status == 0);
}

TEST_CASE("a picture can be written to a pipe, which stays a pipe") {
    const TempFolder folder;
    const std::string pipe = quoted((folder.path() / "pipe").string()), got = (folder.path() / "got.png").string();
    const Outcome outcome = run_shell("mkfifo " + pipe + "; cat " + pipe + " > " + quoted(got) + " & " +
                                      quoted(core::testing::lockstep_binary()) + " shot --size 640x480 -o " + pipe +
                                      " " + quoted(sample().string()) + "; wait");
    CHECK(outcome.status == 0);
    CHECK(fs::is_fifo(folder.path() / "pipe"));
    CHECK(read_file(got).starts_with("\x89PNG"));
}

TEST_CASE("a picture can show a place; an unknown place is reported") {
    core::testing::TempFolder folder;
    const std::string run = sample().string(), picture = (folder.path() / "a.png").string();
    CHECK(lockstep({"shot", run, "--goto", "rank=1,t=2ms,span=1ms", "-o", picture, "--size", "640x480"}).status == 0);
    const Outcome missing = lockstep({"shot", run, "--goto", "rank=99", "-o", picture, "--size", "640x480"});
    CHECK(missing.status == 1);
    CHECK(missing.err.find("--goto: the run has no rank 99") != std::string::npos);
    for (const char* const place : {"somewhere", "", "rank=1,span=1ms", "rank=1,rank=2"})
        CHECK(lockstep({"shot", run, "--goto", place, "-o", picture}).status == 2);
    CHECK(lockstep({"shot", "--goto", "rank=1", "-o", picture}).status == 2);
    CHECK(lockstep({"shot", "--theme", "light", "-o", picture, "--size", "640x480"}).status == 0);
    const Outcome theme = lockstep({"shot", "--theme", "pink", "-o", picture});
    CHECK(theme.status == 2);
    CHECK(theme.err.find("known are dark, light, safe") != std::string::npos);
}

TEST_CASE("shot renders a run off screen in the requested size; two paths are two runs") {
    const TempFolder folder;
    const std::string run = sample().string();
    const std::string picture = (folder.path() / "run.png").string();
    const Outcome outcome = lockstep({"shot", run, "-o", picture, "--size", "800x600"});
    INFO(outcome.err);
    CHECK(outcome.status == 0);
    const std::string png = read_file(picture);
    REQUIRE(png.size() > 24);
    CHECK(png.substr(1, 3) == "PNG");
    const auto size_at = [&](std::size_t at) {
        return static_cast<unsigned char>(png[at + 2]) * 256 + static_cast<unsigned char>(png[at + 3]);
    };
    CHECK(size_at(16) == 800);
    CHECK(size_at(20) == 600);
    const Outcome two = lockstep({"shot", run, run, "-o", picture});
    INFO(two.err);
    CHECK(two.status == 0);
    CHECK(read_file(picture) != png);
    const Outcome named = lockstep({"shot", run, "--baseline", run, "-o", picture});
    CHECK(named.status == 2);
    CHECK(named.err.find("--baseline: a path was given as well") != std::string::npos);
    const Outcome alone = lockstep({"shot", "--candidate", run, "-o", picture});
    CHECK(alone.status == 2);
    CHECK(alone.err.find("there is no baseline") != std::string::npos);
}

TEST_CASE("keys are listed by the ids that settings bind; invalid settings are refused with a reason") {
    const core::testing::TempFolder folder;
    std::filesystem::create_directory(folder.path() / "lockstep");
    const auto list = [&](std::string_view settings) {
        std::ofstream(folder.path() / "lockstep" / "settings.json") << settings;
        return run_shell("XDG_CONFIG_HOME=" + quoted(folder.path().string()) + " " +
                         quoted(core::testing::lockstep_binary()) + " --keys");
    };
    const auto usual = list("{}");
    CHECK(usual.status == 0);
    CHECK(usual.out.find("zoom-in                   W") != std::string::npos);
    CHECK(list(R"({"keys": {"zoom-in": "i"}})").out.find("zoom-in                   I") != std::string::npos);
    const auto wrong = list(R"({"keys": {"zoom": "i"}})");
    CHECK(wrong.status != 0);
    CHECK(wrong.err.find("settings.json: keys: unknown id 'zoom'") != std::string::npos);
}
