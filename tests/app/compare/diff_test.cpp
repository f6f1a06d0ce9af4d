// lockstep diff as scripts see it.

#include "tests/app/cli.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <fstream>

using namespace app::testing;
using core::testing::TempFolder;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

struct Samples {
    TempFolder folder;
    std::string baseline = (folder.path() / "before").string();
    std::string candidate = (folder.path() / "after").string();
    std::string longer = (folder.path() / "longer").string();

    Samples() {
        write(baseline, "baseline", "3");
        write(candidate, "candidate", "3");
        write(longer, "baseline", "5");
    }
    static void write(const std::string& path, const char* variant, const char* steps) {
        REQUIRE(lockstep({"sample", path, "--ranks", "2", "--steps", steps, "--layers", "2", "--variant", variant,
                          "--quiet"})
                    .status == 0);
    }
};

const Samples& samples() {
    static const Samples written;
    return written;
}

Outcome diff(std::initializer_list<std::string> more) {
    std::string command = quoted(core::testing::lockstep_binary()) + " diff " + quoted(samples().baseline) + " " +
                          quoted(samples().candidate);
    for (const std::string& word : more) command += " " + quoted(word);
    return run_shell(command);
}

std::size_t lines_of(const std::string& text) { return static_cast<std::size_t>(std::ranges::count(text, '\n')); }

}  // namespace

TEST_CASE("diff prints what changed, by default of the time breakdown") {
    const Outcome table = diff({});
    INFO(table.err);
    CHECK(table.status == 0);
    CHECK(table.out.starts_with("step: "));
    CHECK(table.out.substr(0, table.out.find('\n'))
              .ends_with(" between these captures; one run each, so noise between runs is unknown"));
    CHECK(table.out.substr(table.out.find('\n') + 1)
              .starts_with("temporal-breakdown: baseline before, candidate after\nrank  window.baseline"));
    CHECK(table.out.ends_with("2 rows; every column with --format csv or json\n"));
    const Outcome kernels = diff({"--analysis", "kernels", "--format", "csv"});
    CHECK(kernels.status == 0);
    CHECK(kernels.out.starts_with("rank,class,kernel,presence,count.baseline,"));
    CHECK(kernels.out.find(",removed,") != std::string::npos);
    CHECK(kernels.out.find(",added,") != std::string::npos);
    const Json json = Json::parse(diff({"--analysis", "kernels", "--format", "json", "--names", "normalised"}).out);
    CHECK(json["schema"] == "lockstep.table/1");
    CHECK(json["baseline"] == "before");
    CHECK(json["candidate"] == "after");
    CHECK(json["names"] == "normalised");
    CHECK(lines_of(kernels.out) > json["rows"].size());
}

TEST_CASE("op-by-op aligns the operators of a step, and gates read its rows") {
    const Json json = Json::parse(diff({"--analysis", "op-by-op", "--format", "json", "--quiet"}).out);
    CHECK(json["analysis"] == "op-by-op");
    CHECK(json["notes"][1] == "step 11 of rank 0 against step 11 of rank 0");
    CHECK(json["notes"][0].get<std::string>().find(" operators against ") != std::string::npos);
    REQUIRE(!json["rows"].empty());
    const Json all =
        Json::parse(diff({"--analysis", "op-by-op", "--param", "rows=all", "--format", "json", "--quiet"}).out);
    CHECK(all["rows"].size() > json["rows"].size());
    const Outcome same =
        lockstep({"diff", samples().baseline, samples().baseline, "--analysis", "op-by-op", "--quiet"});
    CHECK(same.out.find("none changed, none replaced, none inserted, none removed") != std::string::npos);
    CHECK(
        diff({"--analysis", "op-by-op", "--table", "kernels", "--quiet", "--fail-if", "kernels.baseline > 0"}).status ==
        3);
    CHECK(diff({"--analysis", "op-by-op", "--table", "kernel", "--quiet"}).err.find("there are: main, kernels") !=
          std::string::npos);
}

TEST_CASE("runs of different length are compared by averages, with a note in every format") {
    const auto against_longer = [](const char* format) {
        return lockstep({"diff", samples().baseline, samples().longer, "--analysis", "kernels", "--format", format});
    };
    const std::string note = "averages per step: 3 in the baseline, 5 in the candidate";
    CHECK(against_longer("table").out.find("note: " + note + "\n") != std::string::npos);
    CHECK(against_longer("csv").err.find("lockstep: note: " + note + "\n") != std::string::npos);
    CHECK(Json::parse(against_longer("json").out)["notes"][0] == note);
}

TEST_CASE("filter options apply to both sides") {
    const Json json = Json::parse(
        diff({"--analysis", "kernels", "--format", "json", "--classes", "communication", "--ranks", "1"}).out);
    CHECK(json["filter"] == "rank:1 class:communication");
    REQUIRE_FALSE(json["rows"].empty());
    for (const Json& row : json["rows"]) {
        CHECK(row[0] == 1);
        CHECK(row[1] == "communication");
    }
}

TEST_CASE("the waterfall adds up to the step in every format, and --fail-if can test a part") {
    const Json json = Json::parse(diff({"--waterfall", "--format", "json", "--top", "3"}).out);
    CHECK(json["analysis"] == "waterfall");
    std::array<std::int64_t, 3> sum{};
    const std::array<std::size_t, 3> columns{3, 4, 5};  // baseline, candidate, change
    int kernels = 0;
    for (std::size_t row = 1; row < json["rows"].size(); ++row) {
        kernels += json["rows"][row][0] == "kernel" ? 1 : 0;
        for (std::size_t i = 0; i < 3; ++i) {
            const Json& cell = json["rows"][row][columns[i]];
            sum[i] += cell.is_null() ? 0 : cell.get<std::int64_t>();
        }
    }
    CHECK(kernels == 3);
    CHECK(json["rows"][0][0] == "step");
    for (std::size_t i = 0; i < 3; ++i) CHECK(json["rows"][0][columns[i]] == sum[i]);
    const Outcome table = diff({"--waterfall"});
    CHECK(table.out.find("\nwaterfall: baseline before, candidate after\npart") != std::string::npos);
    CHECK(table.out.find("exposed_communication") != std::string::npos);
    CHECK(
        diff({"--waterfall", "--format", "csv", "--quiet"}).out.starts_with("part,kernel,presence,time.baseline_ns,"));
    CHECK(diff({"--waterfall", "--quiet", "--fail-if", "time.change < 0 where part=step"}).status == 3);
    CHECK(lockstep({"diff", samples().baseline, samples().baseline, "--waterfall", "--quiet", "--fail-if",
                    "time.change != 0"})
              .status == 0);
}

TEST_CASE("names pair by operator and manually") {
    const Json by_operator =
        Json::parse(diff({"--analysis", "kernels", "--names", "operator", "--ranks", "0", "--format", "json"}).out);
    CHECK(by_operator["analysis"] == "kernels-by-operator");
    CHECK(by_operator["names"] == "operator");
    const TempFolder folder;
    std::ofstream(folder.path() / "pairs.txt") << "# what was renamed\nx = y\n";
    const Json by_hand = Json::parse(
        diff({"--waterfall", "--pair", "a=b", "--pairs", (folder.path() / "pairs.txt").string(), "--format", "json"})
            .out);
    CHECK(by_hand["pairs"] == Json::parse(R"([["a", "b"], ["x", "y"]])"));
}

TEST_CASE("a fail-if that holds exits with 3 and names the rows, otherwise with 0") {
    const Outcome holds = diff({"--analysis", "kernels", "--fail-if", "total.ratio > 1.2 and count > 1", "--fail-if",
                                "total < 0", "--format", "csv", "--quiet"});
    CHECK(holds.status == 3);
    CHECK(holds.out.starts_with("rank,class,kernel"));
    CHECK(holds.err.starts_with("lockstep: --fail-if 'total.ratio > 1.2 and count > 1' holds for "));
    CHECK(holds.err.find("\n  rank ") != std::string::npos);
    CHECK(holds.err.find("'total < 0'") == std::string::npos);
    const Outcome passes = diff({"--fail-if", "window.ratio > 100", "--quiet"});
    CHECK(passes.status == 0);
    CHECK(passes.err.empty());
}

TEST_CASE("another table of an analysis is compared by name, and --fail-if uses its columns") {
    const Outcome names = diff({"--analysis", "critical-path", "--table", "names", "--format", "json", "--quiet"});
    REQUIRE(names.status == 0);
    const Json document = Json::parse(names.out);
    CHECK(document["table"] == "names");
    CHECK(document["columns"][0]["id"] == "name");
    CHECK_FALSE(Json::parse(diff({"--format", "json", "--quiet"}).out).contains("table"));
    const Outcome holds = diff({"--analysis", "critical-path", "--table", "names", "--fail-if", "time > 0", "--quiet"});
    CHECK(holds.status == 3);
    const Outcome wrong =
        diff({"--analysis", "critical-path", "--table", "names", "--fail-if", "bound_by > 0", "--quiet"});
    CHECK(wrong.status == 1);
    CHECK(wrong.err.find("--fail-if") != std::string::npos);
    const Outcome unknown = diff({"--analysis", "critical-path", "--table", "nam", "--quiet"});
    CHECK(unknown.status == 1);
    CHECK(unknown.err.find("there is no table 'nam'; there are: main, ") != std::string::npos);
    CHECK(lockstep({"diff", "/no/such", "/neither", "--waterfall", "--table", "names"}).status == 2);
}

TEST_CASE("a malformed fail-if is refused before a run is opened") {
    const Outcome refused = lockstep({"diff", "/no/such", "/neither", "--fail-if", "windo > 3"});
    CHECK(refused.status == 2);
    CHECK(refused.err.starts_with("lockstep diff: --fail-if: at 1: no measure 'windo'; did you mean window?"));
    CHECK(lines_of(refused.err) == 1);
}

TEST_CASE("a fail-if on a row that does not exist fails, so that a typo does not pass") {
    const Outcome outcome = diff({"--fail-if", "window > 0 where rank=7", "--quiet"});
    CHECK(outcome.status == 1);
    CHECK(outcome.err == "lockstep: --fail-if 'window > 0 where rank=7': where: no row has rank=7\n");
}

TEST_CASE("diff refuses usage errors with status 2 and unreadable paths with 1") {
    const auto refused = [](std::initializer_list<std::string> words, const std::string& hint) {
        const Outcome outcome = lockstep(words);
        INFO(outcome.err);
        CHECK(outcome.status == 2);
        CHECK(outcome.out.empty());
        CHECK(outcome.err.find(hint) != std::string::npos);
    };
    refused({"diff"}, "needs two paths, BASELINE and CANDIDATE, not 0");
    refused({"diff", "a"}, "not 1");
    refused({"diff", "a", "b", "c"}, "not 3");
    refused({"diff", "a", "b", "--analysis", "kernel"}, "did you mean kernels?");
    refused({"diff", "a", "b", "--analysis", "launches"}, "launches cannot be compared");
    refused({"diff", "a", "b", "--names", "short"}, "--names: 'short' is not exact, normalised or operator");
    refused({"diff", "a", "b", "--names", "operator"}, "temporal-breakdown cannot be paired by operator");
    refused({"diff", "a", "b", "--pair", "a"}, "--pair: 'a' is not BASELINE=CANDIDATE");
    refused({"diff", "a", "b", "--pairs", "/no/such"}, "--pairs: /no/such: does not exist");
    refused({"diff", "a", "b", "--waterfall", "--analysis", "kernels"}, "leave out --analysis");
    refused({"diff", "a", "b", "--top", "3"}, "--top is for --waterfall");
    refused({"diff", "a", "b", "--param", "window"}, "is not KEY=VALUE");
    refused({"diff", "a", "b", "--fail", "x"}, "--fail");
    const Outcome missing = lockstep({"diff", samples().baseline, "/no/such/run"});
    CHECK(missing.status == 1);
    CHECK(missing.err.find("/no/such/run") != std::string::npos);
    const Outcome no_ranks = diff({"--ranks", "77", "--quiet"});
    CHECK(no_ranks.status == 1);
    CHECK(no_ranks.err == "lockstep: no rank of the baseline, before, matches the filter\n");
    const Outcome help = lockstep({"diff", "--help"});
    CHECK(help.status == 0);
    CHECK(help.out.find("--fail-if") != std::string::npos);
    CHECK(help.out.find("from the aligned step of each run") != std::string::npos);
}

namespace {

// Seven steps, of which six count: enough for a verdict.
struct LongSamples {
    TempFolder folder;
    std::string baseline = (folder.path() / "base").string();
    std::string candidate = (folder.path() / "cand").string();
    LongSamples() {
        write_long(baseline, "baseline");
        write_long(candidate, "candidate");
    }
    static void write_long(const std::string& path, const char* variant) {
        REQUIRE(
            lockstep({"sample", path, "--ranks", "4", "--steps", "7", "--layers", "2", "--variant", variant, "--quiet"})
                .status == 0);
    }
};

const LongSamples& long_samples() {
    static const LongSamples written;
    return written;
}

}  // namespace

TEST_CASE("diff says first what became of the step, in JSON with every number") {
    const LongSamples& runs = long_samples();
    const Outcome table = lockstep({"diff", runs.baseline, runs.candidate, "--analysis", "kernels", "--quiet"});
    CHECK(table.out.starts_with("step: improved "));
    CHECK(table.out.find("n 6+6) between these captures; one run each") != std::string::npos);
    CHECK(table.out.find("rows changed between these captures (q < 0.05)\n") != std::string::npos);
    CHECK(table.out.find("note: baseline: step 10 (") != std::string::npos);
    const Json json = Json::parse(
        lockstep({"diff", runs.baseline, runs.candidate, "--analysis", "kernels", "--format", "json", "--quiet"}).out);
    const Json& step = json["statistics"]["step"];
    CHECK(step["n"] == Json::array({6, 6}));
    CHECK(step["verdict"] == "improved");
    CHECK(step["between_captures"] == true);
    CHECK(step["dropped"]["warmup"] == Json::array({1, 1}));
    CHECK(step["values"]["baseline"].size() == 6);
    CHECK(json["statistics"]["rows"].size() == json["rows"].size());
    CHECK(json["statistics"]["sentence"] == table.out.substr(0, table.out.find('\n')));
}

TEST_CASE("a permutation test of the step is an option, and what one run alone has is called that") {
    const LongSamples& runs = long_samples();
    const Outcome table =
        lockstep({"diff", runs.baseline, runs.candidate, "--waterfall", "--test", "permutation", "--quiet"});
    CHECK(table.out.find("\npermutation, median: ") != std::string::npos);
    CHECK(table.out.find(" of all 924 choices\n") != std::string::npos);
    CHECK(table.out.find("only in candidate") != std::string::npos);
    const Json json = Json::parse(lockstep({"diff", runs.baseline, runs.candidate, "--waterfall", "--test",
                                            "permutation", "--quiet", "--format", "json"})
                                      .out);
    const Json& permutation = json["statistics"]["step"]["permutation"];
    CHECK(permutation["p95"]["choices"] == 924);
    CHECK(permutation["median"]["p"] < 0.05);
    bool any_lone = false;
    for (const Json& part : json["statistics"]["contributions"]["parts"]) {
        const bool lone = part["presence"] != "both";
        any_lone |= lone;
        CHECK(part["test"].value("q", Json()).is_null() == lone);
        if (lone) CHECK(part["test"]["verdict"] == part["presence"]);
    }
    CHECK(any_lone);
    CHECK_FALSE(
        Json::parse(
            lockstep({"diff", runs.baseline, runs.candidate, "--quiet", "--format", "json"}).out)["statistics"]["step"]
            .contains("permutation"));
    CHECK(lockstep({"diff", "a", "b", "--test", "student"}).err.find("is not welch or permutation") !=
          std::string::npos);
    CHECK(lockstep({"diff", "a", "b", "--test", "permutation", "--paired"}).status == 2);
}

TEST_CASE("gates exit with 3, warnings with 0, and an undecided step with 4 if asked") {
    const LongSamples& runs = long_samples();
    const auto gate = [&](const std::string& b, const std::string& c, std::initializer_list<std::string> more) {
        std::string command =
            quoted(core::testing::lockstep_binary()) + " diff " + quoted(b) + " " + quoted(c) + " --quiet";
        for (const std::string& word : more) command += " " + quoted(word);
        return run_shell(command);
    };
    CHECK(gate(runs.baseline, runs.candidate, {"--fail-if", "step.verdict = regressed"}).status == 0);
    CHECK(gate(runs.candidate, runs.baseline, {"--fail-if", "step.verdict = regressed"}).status == 3);
    CHECK(gate(runs.candidate, runs.baseline, {"--fail-if", "step.verdict = regressed", "--noise", "50%"}).status == 0);
    CHECK(gate(runs.candidate, runs.baseline, {"--warn-if", "step.verdict = regressed"})
              .err.find("lockstep: warning: --warn-if") == 0);
    CHECK(gate(runs.candidate, runs.baseline, {"--warn-if", "step.verdict = regressed"}).status == 0);
    CHECK(gate(samples().baseline, samples().candidate, {"--fail-if-undecided"}).status == 4);
    CHECK(gate(runs.baseline, runs.candidate, {"--fail-if-undecided"}).status == 0);
    CHECK(gate(samples().baseline, samples().candidate, {"--fail-if-undecided", "--fail-if", "step > 0"}).status == 3);
    CHECK(gate(runs.baseline, runs.candidate, {"--fail-if", "idle.p < 1"}).status == 1);
    CHECK(gate(runs.baseline, runs.candidate, {"--noise", "x"}).status == 2);
}

TEST_CASE("JUnit and Markdown tell the outcome of the gates") {
    const LongSamples& runs = long_samples();
    const TempFolder folder;
    const std::string junit = (folder.path() / "gates.xml").string(), markdown = (folder.path() / "gates.md").string();
    const Outcome outcome =
        lockstep({"diff", runs.candidate, runs.baseline, "--quiet", "--fail-if", "step.verdict = regressed",
                  "--warn-if", "step.n < 3", "--junit", junit, "--markdown", markdown});
    CHECK(outcome.status == 3);
    CHECK(read_file(junit).find("<testsuites tests=\"2\" failures=\"1\">") != std::string::npos);
    CHECK(read_file(markdown).find("| passed |") != std::string::npos);
    CHECK(read_file(markdown).find("**step&#58; regressed ") != std::string::npos);
}

TEST_CASE("the waterfall says what changed in a headline, with contributions that add up") {
    const LongSamples& runs = long_samples();
    const Outcome table = lockstep({"diff", runs.baseline, runs.candidate, "--waterfall", "--quiet"});
    CHECK(table.out.find("\nstep improved between these captures; ") != std::string::npos);
    CHECK(table.out.find("\nstep of the slowest rank: ") != std::string::npos);
    const Json json = Json::parse(
        lockstep({"diff", runs.baseline, runs.candidate, "--waterfall", "--quiet", "--format", "json"}).out);
    const Json& contributions = json["statistics"]["contributions"];
    std::int64_t sum = 0;
    for (const Json& part : contributions["parts"]) sum += part["change"].get<std::int64_t>();
    CHECK(sum == contributions["mean"][1].get<std::int64_t>() - contributions["mean"][0].get<std::int64_t>());
}

TEST_CASE("repeated runs are compared by one value each") {
    const LongSamples& runs = long_samples();
    const Json json = Json::parse(
        lockstep({"diff", "--baseline", runs.baseline, "--baseline", samples().baseline, "--baseline", samples().longer,
                  "--candidate", runs.candidate, "--candidate", samples().candidate, "--quiet", "--format", "json"})
            .out);
    CHECK(json["statistics"]["step"]["level"] == "runs");
    CHECK(json["statistics"]["step"]["n"] == Json::array({3, 2}));
    CHECK(json["statistics"]["step"]["between_captures"] == false);
    CHECK(lockstep({"diff", "--baseline", runs.baseline}).status == 2);
    CHECK(lockstep({"diff", "--baseline", runs.baseline, "--candidate", runs.candidate, runs.candidate}).status == 2);
}

TEST_CASE("a baseline has a name, kept in a text file") {
    const TempFolder state;
    const std::string here =
        "XDG_STATE_HOME=" + quoted(state.path().string()) + " " + quoted(core::testing::lockstep_binary()) + " ";
    const LongSamples& runs = long_samples();
    CHECK(run_shell(here + "baseline tag good " + quoted(runs.baseline)).status == 0);
    CHECK(read_file(state.path() / "lockstep" / "baselines.txt").find("\ngood\t/") != std::string::npos);
    CHECK(run_shell(here + "baseline list").out.starts_with("good  /"));
    CHECK(run_shell(here + "diff @good " + quoted(runs.candidate) + " --quiet").out.starts_with("step: improved"));
    const Outcome unknown = run_shell(here + "diff @god " + quoted(runs.candidate));
    CHECK(unknown.status == 2);
    CHECK(unknown.err.find("did you mean good?") != std::string::npos);
    CHECK(run_shell(here + "baseline tag 'a b' " + quoted(runs.baseline)).status == 2);
    CHECK(run_shell(here + "baseline tag x /nowhere").status == 1);
    CHECK(run_shell(here + "baseline remove good").status == 0);
    CHECK(run_shell(here + "baseline remove good").status == 1);
    std::ofstream(state.path() / "lockstep" / "baselines.txt") << "no tab here\n";
    CHECK(run_shell(here + "baseline list").err.find("line 1: expected NAME, a tab and a path") != std::string::npos);
}

TEST_CASE("trend puts runs in order and judges the latest") {
    const LongSamples& runs = long_samples();
    const Outcome trend = lockstep({"trend", runs.baseline, samples().baseline, runs.candidate, "--quiet"});
    CHECK(trend.status == 0);
    CHECK(trend.out.starts_with("latest run "));
    CHECK(trend.out.find("fewer than 6 runs with steps: no change points") != std::string::npos);
    std::string same = quoted(core::testing::lockstep_binary()) + " trend --quiet --format json --fail-if-latest";
    for (int i = 0; i < 6; ++i) same += " " + quoted(runs.baseline);
    same += " " + quoted(runs.candidate);  // it begins later, and is faster
    const Outcome faster = run_shell(same);
    CHECK(faster.status == 0);
    const Json json = Json::parse(faster.out);
    CHECK(json["runs"].size() == 7);
    CHECK(json["latest"]["outside"] == true);
    CHECK(json["sentence"].get<std::string>().find(", faster than its level of ") != std::string::npos);
    CHECK(lockstep({"trend"}).status == 2);
}

TEST_CASE("configurations are compared with one baseline, and a gate fails if it holds for any") {
    const std::string &before = samples().baseline, &after = samples().candidate, &longer = samples().longer;
    const Outcome table =
        lockstep({"diff", "--baseline", longer, "--config", "new=" + after, "--config", "same=" + longer, "--quiet"});
    INFO(table.err);
    CHECK(table.status == 0);
    CHECK(table.out.find("Holm over 2 configurations") != std::string::npos);
    CHECK(table.out.find("\nnew: step: ") != std::string::npos);
    const Json json = Json::parse(lockstep({"diff", "--baseline", longer, "--config", "same=" + longer, "--config",
                                            "new=" + after, "--config", "new=" + before, "--format", "json", "--quiet"})
                                      .out);
    REQUIRE(json["configurations"].size() == 2);
    CHECK(json["configurations"][0]["name"] == "same");
    CHECK(json["configurations"][0]["step"]["change"] == 0);
    CHECK(json["configurations"][1]["step"]["n"][1] == 2);
    CHECK(json.contains("omnibus"));
    const std::string same = "same=" + longer;
    CHECK(lockstep({"diff", "--baseline", longer, "--config", same, "--quiet", "--fail-if", "step.verdict = regressed"})
              .status == 0);
    CHECK(lockstep({"diff", "--baseline", longer, "--config", same, "--quiet", "--fail-if", "step.n > 2"}).status == 3);
    CHECK(lockstep({"diff", "--baseline", before, "--config", same, "--quiet", "--fail-if-undecided"}).status == 4);
    CHECK(lockstep({"diff", "--config", same}).err.find("--config needs a --baseline") != std::string::npos);
    CHECK(lockstep({"diff", "--baseline", before, "--config", "x"}).err.find("not NAME=PATH") != std::string::npos);
    CHECK(lockstep({"diff", "--baseline", before, "--config", same, "--waterfall"}).status == 2);
}

TEST_CASE("runs that are named with the baseline set the noise") {
    const Json json = Json::parse(lockstep({"diff", samples().longer, samples().longer, "--baseline-also",
                                            samples().candidate, "--format", "json", "--quiet"})
                                      .out);
    CHECK(json["statistics"]["step"]["noise"] > 0);
    CHECK(json["statistics"]["sentence"].get<std::string>().find("run-to-run noise taken as") != std::string::npos);
}
