// Risks on the command line: overwritten traces, texts that control the terminal, incomplete runs without a message,
// endless files.

#include "tests/app/cli.hpp"
#include "tests/core/ingest/perfetto/perfetto_writer.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <map>
#include <set>
#include <thread>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

using namespace app::testing;
using core::testing::TempFolder;
namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;

Outcome lockstep_words(const Words& words, const std::string& around = "%") {
    std::string command = quoted(core::testing::lockstep_binary());
    for (const std::string& word : words) command += " " + quoted(word);
    std::string shell = around;
    shell.replace(shell.find('%'), 1, command);
    return run_shell(shell);
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

fs::path write_small_run(const TempFolder& folder) {
    fs::path run = folder.path() / "run";
    REQUIRE(lockstep({"sample", run.string(), "--ranks", "2", "--steps", "2", "--layers", "1", "--quiet"}).status == 0);
    return run;
}

std::map<std::string, std::string> contents_of(const fs::path& folder) {
    std::map<std::string, std::string> contents;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file()) contents[entry.path().string()] = read_file(entry.path());
    }
    return contents;
}

fs::path first_trace(const fs::path& run) {
    std::set<fs::path> traces;
    for (const auto& entry : fs::directory_iterator(run)) {
        if (entry.path().extension() == ".json" && entry.path().filename() != "truth.json") traces.insert(entry.path());
    }
    REQUIRE_FALSE(traces.empty());
    return *traces.begin();
}

// ESC, OSC with BEL, a C1 control, isolates and overrides, a line end and a formula.
constexpr std::string_view kHostile =
    "=x\\u001b]0;owned\\u0007\\u009b31m\\u2066\\u202Eevil\\u2069\\nlockstep: done\\rranks      99";

// A trace with this text (JSON-escaped) in every field that writers fill.
std::string hostile_trace(std::string_view text) {
    const std::string t(text);
    const auto event = [&](const std::string& more) { return "{\"ph\": \"X\", \"pid\": " + more + "}"; };
    return "{\"schemaVersion\": 1, \"trace_name\": \"" + t + "\", \"" + t + "\": \"" + t + "\", \"host_name\": \"" + t +
           "\", \"distributedInfo\": {\"backend\": \"" + t +
           "\", \"rank\": 0, \"world_size\": 2, \"pg_config\": [{\"pg_name\": \"" + t + "\", \"pg_desc\": \"" + t +
           "\", \"ranks\": [0, 1]}]}, \"deviceProperties\": [{\"id\": 0, \"name\": \"" + t +
           "\"}], \"traceEvents\": [" +
           "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 1, \"args\": {\"name\": \"" + t + "\"}}," +
           "{\"ph\": \"M\", \"name\": \"process_labels\", \"pid\": 1, \"args\": {\"labels\": \"" + t + "\"}}," +
           "{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": 1, \"tid\": 1, \"args\": {\"name\": \"" + t + "\"}}," +
           event("1, \"tid\": 1, \"ts\": 1, \"dur\": 90, \"cat\": \"" + t + "\", \"name\": \"" + t +
                 "\", \"args\": {\"" + t + "\": \"" + t + "\"}") +
           "," +
           event("1, \"tid\": 1, \"ts\": 2, \"dur\": 50, \"cat\": \"cpu_op\", \"name\": \"" + t +
                 "\", \"args\": {\"External id\": 1}") +
           "," +
           event(
               "1, \"tid\": 1, \"ts\": 3, \"dur\": 5, \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", "
               "\"args\": {\"correlation\": 1}") +
           "," +
           event("0, \"tid\": 7, \"ts\": 20, \"dur\": 30, \"cat\": \"kernel\", \"name\": \"" + t +
                 "\", \"args\": {\"correlation\": 1, \"stream\": 7, \"device\": 0, \"Process Group Name\": \"" + t +
                 "\", \"Process Group Description\": \"" + t + "\", \"Collective name\": \"" + t + "\"}") +
           "," +
           event("1, \"tid\": 1, \"ts\": 1, \"dur\": 95, \"cat\": \"user_annotation\", \"name\": \"ProfilerStep#1 " +
                 t + "\"") +
           "," +
           event("1, \"tid\": 1, \"ts\": 1, \"dur\": 95, \"cat\": \"user_annotation\", \"name\": \"ProfilerStep#1\"") +
           "," + "{\"ph\": \"C\", \"name\": \"" + t + "\", \"pid\": 1, \"ts\": 4, \"args\": {\"" + t + "\": 1}}," +
           "{\"ph\": \"i\", \"name\": \"" + t + "\", \"pid\": 1, \"tid\": 1, \"ts\": 4, \"s\": \"" + t + "\"}," +
           event("1, \"tid\": 1, \"ts\": \"" + t + "\", \"name\": \"" + t + "\"") + "]}";
}

// The first control, C1 control or direction mark that would reach a terminal; 0: none.
unsigned first_steering(const std::string& text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = [&](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u; };
        const unsigned c = byte(i);
        if ((c < 0x20 && c != '\n') || c == 0x7F) return c;
        if (c == 0xC2 && byte(i + 1) < 0xA0) return byte(i + 1);
        if (c == 0xE2 && byte(i + 1) == 0x80 && byte(i + 2) >= 0xA8 && byte(i + 2) <= 0xAE) return 0x2000 + byte(i + 2);
        if (c == 0xE2 && byte(i + 1) == 0x81 && byte(i + 2) >= 0xA6 && byte(i + 2) <= 0xA9) return 0x2040 + byte(i + 2);
    }
    return 0;
}

}  // namespace

TEST_CASE("no command overwrites a file of the run under any name") {
    const TempFolder folder;
    const fs::path run = write_small_run(folder), trace = first_trace(run);
    const fs::path link = folder.path() / "link.json", hard = folder.path() / "hard.json";
    fs::create_symlink(trace, link);
    fs::create_hard_link(trace, hard);
    const auto before = contents_of(run);
    const std::string path = run.string();
    const std::array<Words, 7> commands = {{
        {"analyze", "kernels", path, "-o"},
        {"analyze", "kernels", path, "--format", "json", "-o"},
        {"info", path, "-o"},
        {"info", path, "--format", "json", "-o"},
        {"diff", path, path, "-o"},
        {"report", path, "--no-picture", "-o"},
        {"shot", path, "-o"},
    }};
    for (const Words& command : commands) {
        for (const fs::path& target : {trace, link, hard, run / "." / trace.filename()}) {
            Words words = command;
            words.push_back(target.string());
            const Outcome outcome = lockstep_words(words);
            INFO(command[0] << " -o " << target.string() << ": " << outcome.err);
            CHECK(outcome.status == 1);
            CHECK(contains(outcome.err, target.string()));
            CHECK(contains(outcome.err, "input of this run"));
        }
    }
    CHECK(contents_of(run) == before);
    CHECK(fs::is_symlink(link));
}

TEST_CASE("a result that cannot be written is an error and leaves no file") {
    const TempFolder folder;
    const fs::path run = write_small_run(folder);
    const auto refused = [&](const std::string& target, const std::string& around, const std::string& words) {
        const Outcome outcome = lockstep_words({"analyze", "kernels", run.string(), "-o", target}, around);
        INFO(target << ": " << outcome.err);
        CHECK(outcome.status == 1);
        CHECK(contains(outcome.err, words));
    };
    refused("/dev/full", "%", "No space left on device");
    refused(run.string(), "%", run.string());
    refused((folder.path() / "no/such/x.csv").string(), "%", "no/such");
    const Outcome closed = lockstep_words({"analyze", "kernels", run.string()}, "% >&-");
    CHECK(closed.status == 1);
    CHECK(contains(closed.err, "standard output: cannot write"));
    // Larger than the free disk space.
    const fs::path out = folder.path() / "out.json";
    const Outcome full = lockstep_words({"analyze", "kernels", run.string(), "--format", "json", "-o", out.string()},
                                        "trap '' XFSZ; ulimit -f 1; %");
    CHECK(full.status != 0);
    CHECK_FALSE(fs::exists(out));
    for (const auto& entry : fs::directory_iterator(folder.path())) CHECK(entry.path() == run);
}

TEST_CASE("no command prints control characters of a trace to the terminal") {
    const TempFolder folder;
    const fs::path run = folder.path() / "a\x1b[31m\xC2\x9B\xE2\x80\xAE";
    fs::create_directory(run);
    for (const char* const rank : {"0", "1"}) {
        std::string text = hostile_trace(kHostile);
        const std::size_t at = text.find("\"rank\": 0");
        REQUIRE(at != std::string::npos);
        text.replace(at, 9, std::string("\"rank\": ") + rank);
        std::ofstream(run / (std::string("x\x1b]0;y\a_rank") + rank + ".json")) << text;
    }
    std::ofstream(run / "\x1b[2Jbroken.json") << "{\"traceEvents\": [{\"ph\": \"\\u001b[2J";
    const std::string path = run.string();
    std::vector<Words> commands = {{"info", path},
                                   {"info", path, "--format", "json"},
                                   {"index", path, "-o", (folder.path() / "index").string()},
                                   {"export", path, "--to", "chrome", "-o", (folder.path() / "\x1b[1mout").string()},
                                   {"report", path, "--no-picture", "-o", "-"},
                                   {"analyze", "kernels", path, "--name", "\x1b[0m"},
                                   {"analyze", "\x1b[0m", path},
                                   {"analyze", "kernels", path, "--param", "\x1b[0m=1"},
                                   {"analyze", "kernels", path, "--\x1b[0m"},
                                   {"diff", path, path, "--fail-if", "total > \x1b[0m"},
                                   {"diff", path, path, "--pairs", path + "/none"},
                                   {"\x1b[0m"},
                                   {"info", path + "/none"},
                                   {"shot", path + "/none", "-o", (folder.path() / "x.png").string()}};
    const Outcome ids = lockstep({"analyses", "--format", "json"});
    const nlohmann::json known = nlohmann::json::parse(ids.out);
    const nlohmann::json& analyses = known.contains("analyses") ? known["analyses"] : known;
    REQUIRE(analyses.size() > 15);
    for (const nlohmann::json& analysis : analyses) {
        const std::string id = analysis["id"];
        for (const char* const format : {"table", "csv", "json"}) {
            commands.push_back({"analyze", id, path, "--format", format});
            if (analysis.value("comparable", true))
                commands.push_back({"diff", path, path, "--analysis", id, "--format", format});
        }
    }
    std::size_t shown = 0;
    for (const Words& words : commands) {
        const Outcome outcome = lockstep_words(words);
        INFO(words[0] << " " << (words.size() > 1 ? words[1] : "") << ": " << outcome.err.substr(0, 300));
        CHECK(outcome.status < 128);
        CHECK(first_steering(outcome.out) == 0);
        CHECK(first_steering(outcome.err) == 0);
        CHECK_FALSE(contains(outcome.err, "\nlockstep: done"));
        // No line is the trace's; a page is not lines.
        if (words[0] != "report") CHECK_FALSE(contains(outcome.out, "\nlockstep: done"));
        shown += contains(outcome.out, "evil") ? 1 : 0;
    }
    CHECK(shown > 10);  // the texts are printed, without control characters
}

TEST_CASE("CSV for spreadsheets guards texts that look like formulas; raw keeps them") {
    const TempFolder folder;
    std::ofstream(folder.path() / "rank0.json") << hostile_trace("=1+cmd|'/C calc'!A0");
    const std::string path = folder.path().string();
    const std::string guarded = lockstep({"analyze", "kernels", path, "--format", "csv"}).out;
    CHECK(contains(guarded, "'=1+cmd"));
    CHECK_FALSE(contains(guarded, "\n=1+cmd"));
    const std::string raw = lockstep({"analyze", "kernels", path, "--format", "csv", "--csv", "raw"}).out;
    CHECK(contains(raw, "=1+cmd"));
    CHECK_FALSE(contains(raw, "'=1+cmd"));
    CHECK(lockstep({"analyze", "kernels", path, "--csv", "both"}).status == 2);
}

TEST_CASE("an incomplete run sets the exit status and is refused with --strict") {
    const TempFolder folder;
    const fs::path run = write_small_run(folder);
    const std::string path = run.string();
    CHECK(lockstep({"info", path, "--strict"}).status == 0);
    CHECK(lockstep({"analyze", "kernels", path, "--strict"}).status == 0);
    fs::path deep = run;
    for (int level = 0; level < 40; ++level) deep /= "d";
    fs::create_directories(deep);
    const Outcome info = lockstep({"info", path});
    CHECK(info.status == 5);
    CHECK(contains(info.err, "part of the run was not recorded or could not be read"));
    CHECK(contains(info.out, "folder-too-deep"));
    const Outcome analyzed = lockstep({"analyze", "kernels", path, "--format", "csv"});
    CHECK(analyzed.status == 5);
    CHECK(contains(analyzed.err, "folder-too-deep"));
    CHECK_FALSE(analyzed.out.empty());
    CHECK(lockstep({"diff", path, path}).status == 5);
    CHECK(lockstep({"diff", path, path, "--fail-if", "compute.baseline > 0"}).status == 3);
    for (const char* const command : {"info", "kernels"}) {
        const Outcome strict = command == std::string("info") ? lockstep({"info", path, "--strict"})
                                                              : lockstep({"analyze", command, path, "--strict"});
        CHECK(strict.status == 1);
        CHECK(strict.out.empty());
        CHECK(contains(strict.err, "folder-too-deep"));
    }
    fs::remove_all(run / "d");
    const std::string text = read_file(first_trace(run));
    std::ofstream(run / "cut_rank7.json") << text.substr(0, text.size() / 2);
    CHECK(lockstep({"info", path}).status == 5);
    CHECK(contains(lockstep({"info", path, "--strict"}).err, "file-truncated"));
}

TEST_CASE("packets of a Perfetto trace that are damaged or in zstd make a run incomplete") {
    using namespace core::testing;
    const TempFolder folder;
    const std::string whole = thread_track(11, 1, 2, "t") + begin(1, 11, "a", "cpu_op") + end(3, 11);
    for (const std::uint32_t field : {50u, 133u}) {
        const fs::path file = folder.path() / "rank0.pftrace";
        std::ofstream(file, std::ios::binary) << whole << packet(bytes(field, "neither"));
        const Outcome info = lockstep({"info", file.string()});
        CHECK(info.status == 5);
        CHECK(contains(info.out, "unknown number of events"));
        CHECK(lockstep({"info", file.string(), "--strict"}).status == 1);
    }
}

TEST_CASE("scripts, pairs and settings are read only from regular files of bounded size") {
    const TempFolder folder;
    const fs::path run = write_small_run(folder), pipe = folder.path() / "pipe";
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    const std::string path = run.string();
    for (const std::string& source : {pipe.string(), std::string("/dev/zero")}) {
        const Outcome pairs = lockstep_words({"diff", path, path, "--pairs", source}, "timeout 20 %");
        CHECK(pairs.status == 2);
        CHECK(contains(pairs.err, source));
        const Outcome script = lockstep_words({"shot", "--script", source}, "timeout 20 %");
        CHECK(script.status == 1);
        CHECK(contains(script.err, source));
    }
    const Outcome input = lockstep_words({"diff", path, path, "--pairs", "-"}, "echo 'a = b' | %");
    CHECK(input.status == 0);
    fs::create_directories(folder.path() / "config/lockstep");
    std::ofstream(folder.path() / "config/lockstep/settings.json") << std::string(100'000, '[');
    const Outcome keys =
        lockstep_words({"--keys"}, "export XDG_CONFIG_HOME=" + quoted((folder.path() / "config").string()) + "; %");
    INFO(keys.err);
    CHECK(keys.status == 1);
    CHECK(contains(keys.err, "settings.json"));
}

TEST_CASE("a sparse file of a terabyte ends with an error at once") {
    const TempFolder folder;
    const std::string begins[] = {"", "{", "[", "{\"a\": 1, ", "{\"traceEvents\": ["};
    int number = 0;
    for (const std::string& begin : begins) {
        const fs::path file = folder.path() / ("rank" + std::to_string(number++) + ".json");
        std::ofstream(file) << begin;
        REQUIRE(truncate(file.c_str(), off_t{1} << 40) == 0);
        const Outcome outcome = lockstep_words({"info", file.string()}, "timeout 20 %");
        INFO(begin << ": " << outcome.err);
        CHECK(outcome.status == 1);
        CHECK(contains(outcome.err, file.filename().string()));
    }
}

// `timeout` sends SIGTERM once, and SIGKILL much later: 124 if the first worked, 137 if not.
TEST_CASE("the first SIGTERM ends every command that waits for a reader of its output") {
    const TempFolder folder;
    const fs::path run = write_small_run(folder), pipe = folder.path() / "pipe";
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    const std::string path = run.string();
    const std::vector<Words> commands{{"analyze", "kernels", path},
                                      {"analyze", "kernels", path, "--format", "json"},
                                      {"info", path},
                                      {"diff", path, path},
                                      {"report", path, "--no-picture"},
                                      {"shot", path, "--size", "320x240"}};
    std::vector<Outcome> outcomes(commands.size());
    std::vector<std::jthread> waiting;  // together: each waits for its seconds
    for (std::size_t i = 0; i < commands.size(); ++i)
        waiting.emplace_back([&, i] {
            Words words = commands[i];
            words.insert(words.end(), {"-o", pipe.string()});
            outcomes[i] = lockstep_words(words, "timeout --kill-after=30 8 %");
        });
    waiting.clear();
    for (std::size_t i = 0; i < commands.size(); ++i) {
        INFO(commands[i][0] << ": " << outcomes[i].err);
        CHECK(outcomes[i].status == 124);
    }
}

// Disables the leak check of sanitizers at exit: it stops the threads by a signal, which `timeout` cancels by sending
// SIGCONT after SIGTERM, so the check would wait for ever.
TEST_CASE("a SIGTERM at any moment ends every command, and leaves no part of a file") {
    const TempFolder folder;
    const fs::path run = write_small_run(folder), out = folder.path() / "out";
    fs::create_directory(out);
    const std::string path = run.string();
    const std::vector<Words> commands = {
        {"info", path, "-o", (out / "info.txt").string()},
        {"analyze", "critical-path", path, "-o", (out / "path.csv").string(), "--format", "csv"},
        {"diff", path, path, "-o", (out / "diff.txt").string()},
        {"report", path, "--no-picture", "-o", (out / "report.html").string()},
        {"export", path, "--to", "chrome", "-o", (out / "chrome").string()},
        {"index", path, "-o", (out / "index").string()},
        {"sample", (out / "sample").string(), "--ranks", "2", "--steps", "2"}};
    for (const Words& words : commands) {
        for (const std::string delay : {"0.01", "0.03", "0.1"}) {
            const Outcome outcome = lockstep_words(
                words, R"(ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0" timeout --kill-after=60 )" + delay + " %");
            INFO(words[0] << " after " << delay << " s: " << outcome.err);
            CHECK((outcome.status == 0 || outcome.status == 124));
        }
    }
    for (const auto& entry : fs::recursive_directory_iterator(out)) {
        const std::string name = entry.path().filename().string();
        INFO(name);
        CHECK((entry.is_directory() || entry.path().extension() != ".part"));
        CHECK_FALSE(name.starts_with('.'));
    }
}

namespace {

// Runs with its own home and every XDG folder inside it or at its default.
std::string with_home(const fs::path& home, bool named) {
    std::string around = "unset LOCKSTEP_NO_CACHE; unset XDG_CACHE_HOME XDG_STATE_HOME XDG_CONFIG_HOME XDG_DATA_HOME; ";
    if (named)
        for (const char* const name : {"CACHE", "STATE", "CONFIG", "DATA"})
            around += "export XDG_" + std::string(name) + "_HOME=" + quoted((home / name).string()) + "; ";
    return around + "HOME=" + quoted(home.string()) + " %";
}

}  // namespace

TEST_CASE("with --no-cache, commands write only their output") {
    const TempFolder folder;
    const fs::path run = write_small_run(folder), home = folder.path() / "home", out = folder.path() / "out";
    fs::create_directory(home);
    const auto before = contents_of(run);
    const std::string path = run.string();
    const Words commands[] = {{"shot", path, "--size", "640x480", "-o", out.string()},
                              {"report", path, "-o", out.string()},
                              {"report", path, path, "--analysis", "kernels", "-o", out.string()},
                              {"export", path, "--to", "chrome", "-o", out.string()},
                              {"info", path, "-o", out.string()},
                              {"analyze", "kernels", path, "-o", out.string()},
                              {"diff", path, path, "-o", out.string()}};
    for (const bool named : {false, true}) {
        for (Words words : commands) {
            words.insert(words.begin() + 1, "--no-cache");
            const Outcome outcome = lockstep_words(words, with_home(home, named));
            INFO(words[0] << ": " << outcome.err);
            CHECK(outcome.status == 0);
            CHECK(fs::exists(out));
            fs::remove_all(out);
            CHECK(fs::is_empty(home));
            CHECK(contents_of(run) == before);
        }
    }
    for (const auto& entry : fs::directory_iterator(folder.path()))
        CHECK((entry.path() == run || entry.path() == home));
}

TEST_CASE("pictures need no cache of shaders: none is made, and a folder that cannot be written stops nothing") {
    const TempFolder folder;
    const fs::path run = write_small_run(folder), home = folder.path() / "home", out = folder.path() / "out";
    const fs::path file = folder.path() / "file";
    fs::create_directory(home);
    std::ofstream(file) << "not a folder";
    for (const fs::path& place : {home, file}) {
        for (const Words& words : {Words{"shot", run.string(), "--size", "640x480", "-o", out.string()},
                                   Words{"report", run.string(), "-o", out.string()}}) {
            const Outcome outcome = lockstep_words(words, with_home(place, false));
            INFO(words[0] << " with " << place.string() << " as home: " << outcome.err);
            CHECK(outcome.status == 0);
            CHECK_FALSE(contains(outcome.err, "no picture"));
            fs::remove_all(out);
            CHECK(fs::is_empty(home));  // index files are next to the traces
        }
    }
    CHECK(read_file(file) == "not a folder");
}

TEST_CASE("a capture of a rank can be chosen as the doctor recommends, in every command that takes ranks") {
    const TempFolder folder;
    const fs::path run = folder.path() / "run";
    fs::create_directory(run);
    const auto trace = [](int length) {
        return R"({"distributedInfo": {"rank": 0, "world_size": 1}, "traceEvents": [{"ph": "X", "cat": "kernel", )"
               R"("name": "gemm", "pid": 0, "tid": 7, "ts": 10, "dur": )" +
               std::to_string(length) + R"(, "args": {"stream": 7}}]})";
    };
    std::ofstream(run / "a.json") << trace(5);
    std::ofstream(run / "b.json") << trace(9);
    const auto total = [&](const char* ranks) {
        const Outcome outcome =
            lockstep_words({"analyze", "kernels", run.string(), "--ranks", ranks, "--format", "json"});
        INFO(outcome.err);
        REQUIRE(outcome.status == 0);
        const nlohmann::json rows = nlohmann::json::parse(outcome.out)["rows"];
        REQUIRE(rows.size() == 1);
        return rows[0].dump();
    };
    CHECK(contains(total("0\u00B7b"), "9000"));
    CHECK(contains(total("0.b"), "9000"));
    CHECK(contains(lockstep({"info", run.string()}).out, "rank:3\u00B7b"));
    CHECK(lockstep_words({"analyze", "kernels", run.string(), "--ranks", "0\u00B7c"}).status == 1);
}
