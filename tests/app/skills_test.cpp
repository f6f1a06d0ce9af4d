// The commands of docs/skills on runs with known defects: they work as written, show the evidence, and don't blame
// other ranks.

#include "tests/app/cli.hpp"
#include "tests/places.hpp"

#include <regex>
#include <vector>

using namespace app::testing;
using core::testing::TempFolder;
namespace fs = std::filesystem;

namespace {

std::string replace_word(std::string text, const std::string& word, const std::string& by) {
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + by.size()))
        text.replace(at, word.size(), by);
    return text;
}

// Lines that begin with "lockstep" in the fenced blocks of a document.
std::vector<std::string> commands_of(const fs::path& document) {
    std::istringstream lines(read_file(document));
    std::vector<std::string> commands;
    bool in_block = false;
    for (std::string line; std::getline(lines, line);) {
        line.erase(0, line.find_first_not_of(' '));
        if (line.starts_with("```")) in_block = !in_block;
        if (in_block && line.starts_with("lockstep ")) commands.push_back(line.substr(9));
    }
    return commands;
}

struct Runs {
    fs::path run;
    fs::path candidate;
};

// Combined output of a workflow's commands.
std::string follow(const std::string& workflow, const Runs& runs) {
    const fs::path folder = core::testing::source_folder() / "docs/skills/lockstep";
    std::vector<std::string> commands = commands_of(folder / "SKILL.md");
    const std::vector<std::string> own = commands_of(folder / "workflows" / (workflow + ".md"));
    REQUIRE(!own.empty());
    commands.insert(commands.end(), own.begin(), own.end());
    std::string text;
    for (std::string command : commands) {
        command = replace_word(command, "BASELINE", quoted(runs.run.string()));
        command = replace_word(command, "CANDIDATE", quoted(runs.candidate.string()));
        command = replace_word(command, "RUN", quoted(runs.run.string()));
        const Outcome outcome = run_shell(quoted(core::testing::lockstep_binary()) + " " + command);
        INFO(command, "\n", outcome.err);
        CHECK(outcome.status == 0);
        text += outcome.out;
    }
    return text;
}

fs::path write_sample(const TempFolder& folder, const std::string& name, const std::string& options) {
    const fs::path run = folder.path() / name;
    const Outcome written = run_shell(quoted(core::testing::lockstep_binary()) + " sample " + quoted(run.string()) +
                                      " --quiet --layers 4 " + options);
    REQUIRE(written.status == 0);
    return run;
}

void expect(const std::string& text, const char* pattern) {
    INFO(text.substr(0, 20'000));
    CHECK_MESSAGE(std::regex_search(text, std::regex(pattern)), "expected: ", pattern);
}

void forbid(const std::string& text, const char* pattern) {
    CHECK_MESSAGE(!std::regex_search(text, std::regex(pattern)), "forbidden: ", pattern);
}

}  // namespace

TEST_CASE("the skill names its workflows, and each has commands") {
    const fs::path folder = core::testing::source_folder() / "docs/skills/lockstep";
    const std::string router = read_file(folder / "SKILL.md");
    CHECK(router.starts_with("---\nname: lockstep\ndescription: "));
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(folder / "workflows")) {
        CHECK(router.find("workflows/" + entry.path().filename().string()) != std::string::npos);
        CHECK(!commands_of(entry.path()).empty());
        ++count;
    }
    CHECK(count == 6);
}

TEST_CASE("the workflow for stragglers finds the rank that is late, and its cause") {
    const TempFolder folder;
    const std::string text =
        follow("straggler", {write_sample(folder, "run", "--ranks 4 --straggler 2 --cause loading"), {}});
    expect(text, "Rank 2 is last in|wait for rank 2|Rank 2:");
    expect(text, "data loading");
    forbid(text, "No rank stands out");
}

TEST_CASE("the workflow for stragglers blames no rank in a balanced run") {
    const TempFolder folder;
    const std::string text = follow("straggler", {write_sample(folder, "run", "--ranks 4 --straggler none"), {}});
    expect(text, "No rank stands out");
    forbid(text, "\"late-rank\"");
}

TEST_CASE("the workflow for a slow step says what would be saved") {
    const TempFolder folder;
    const std::string text = follow("slow-step", {write_sample(folder, "run", "--ranks 2 --straggler 1"), {}});
    expect(text, "exposed-communication");
    expect(text, "saved");
}

TEST_CASE("the workflow for a regression names what changed, and of a run with itself nothing") {
    const TempFolder folder;
    const fs::path run = write_sample(folder, "run", "--ranks 2"),
                   candidate = write_sample(folder, "candidate", "--ranks 2 --variant candidate");
    const std::string text = follow("regression", {run, candidate});
    expect(text, "vectorized_layer_norm_kernel");
    expect(text, "triton_poi_fused_mul_silu");
    const std::string same = follow("regression", {run, run});
    forbid(same, "step: (regressed|improved)");
}

TEST_CASE("the workflow for memory finds the peak") {
    const TempFolder folder;
    expect(follow("memory", {write_sample(folder, "run", "--ranks 1"), {}}), "peak_allocated");
}

TEST_CASE("the workflow for launches finds gaps and what the host did") {
    const TempFolder folder;
    const std::string text =
        follow("launch-bound", {write_sample(folder, "run", "--ranks 2 --straggler 1 --cause host"), {}});
    expect(text, "host_wait|host wait");
    expect(text, "short_kernels");
}

TEST_CASE("the workflow for hangs names the rank that is missing, and not those that wait") {
    const TempFolder folder;
    const auto dump = [&](int rank, int sequences) {
        std::ofstream out(folder.path() / ("nccl_trace_rank_" + std::to_string(rank)));
        out << R"({"version":"2.5","pg_config":{"0":{"name":"0","desc":"default_pg","ranks":"[0, 1, 2]"}},"pg_status":{"0":{"last_enqueued_collective":)"
            << sequences << R"(,"last_started_collective":)" << sequences << R"(,"last_completed_collective":)"
            << std::min(sequences, 4) << R"(}},"entries":[)";
        for (int sequence = 1; sequence <= sequences; ++sequence)
            out << (sequence == 1 ? "" : ",")
                << R"({"frames":[{"name":"backward","filename":"train.py","line":7}],"record_id":)" << sequence - 1
                << R"(,"pg_id":0,"process_group":["0","default_pg"],"collective_seq_id":)" << sequence
                << R"(,"p2p_seq_id":0,"op_id":1,"profiling_name":"nccl:all_reduce","time_created_ns":)"
                << 1000000 * sequence
                << R"(,"duration_ms":null,"input_sizes":[[8]],"output_sizes":[[8]],"input_dtypes":["Float"],"output_dtypes":["Float"],"state":")"
                << (sequence <= 4 ? "completed" : "scheduled")
                << R"(","time_discovered_started_ns":null,"time_discovered_completed_ns":null,"retired":)"
                << (sequence <= 4 ? "true" : "false") << R"(,"timeout_ms":600000,"is_p2p":false})";
        out << "]}";
    };
    dump(0, 5);
    dump(1, 4);
    dump(2, 5);
    const std::string text = follow("hang", {folder.path(), {}});
    INFO(text);
    const Outcome hangs = lockstep({"analyze", "hangs", folder.path().string(), "--format", "csv", "--quiet"});
    INFO(hangs.out);
    CHECK(hangs.out.find("default_pg 0,1,missing") != std::string::npos);
    CHECK(hangs.out.find("default_pg 0,0,") == std::string::npos);
    CHECK(hangs.out.find("default_pg 0,2,") == std::string::npos);
}
