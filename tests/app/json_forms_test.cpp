// The form of every JSON document of the command line: each member with its types, recorded in json_forms.txt. Other
// tests check values. LOCKSTEP_RECORD=1 rewrites the file.

#include "tests/app/cli.hpp"
#include "tests/places.hpp"

#include <nlohmann/json.hpp>

#include <set>

using namespace app::testing;
using Json = nlohmann::json;

namespace {

// "/rows/*/* number": lists have one line for all elements.
void add_form(std::set<std::string>& lines, const std::string& path, const Json& value) {
    lines.insert(path + " " + (value.is_number() ? "number" : std::string(value.type_name())));
    if (!value.is_structured()) return;
    for (const auto& [key, member] : value.items())
        add_form(lines, path + "/" + (value.is_object() ? key : std::string("*")), member);
}

std::string form_of(const std::string& name, const Outcome& outcome) {
    INFO(name);
    REQUIRE(outcome.status == 0);
    std::set<std::string> lines;
    add_form(lines, "", Json::parse(outcome.out));
    std::string text = "# " + name + "\n";
    for (const std::string& line : lines) text += line + "\n";
    return text + "\n";
}

}  // namespace

TEST_CASE("every JSON document has the recorded form, and begins with schema, version and command") {
    const core::testing::TempFolder folder;
    const std::string before = (folder.path() / "before").string(), after = (folder.path() / "after").string();
    for (const auto& [path, variant] : {std::pair(before, "baseline"), std::pair(after, "candidate")})
        REQUIRE(
            lockstep({"sample", path, "--ranks", "2", "--steps", "5", "--layers", "2", "--variant", variant, "--quiet"})
                .status == 0);
    std::string forms;
    const auto add = [&](const std::string& name, std::initializer_list<std::string> words) {
        std::string command = quoted(core::testing::lockstep_binary());
        for (const std::string& word : words) command += " " + quoted(word);
        const Outcome outcome = run_shell(command + " --format json");
        forms += form_of(name, outcome);
        const Json document = Json::parse(outcome.out);
        CHECK(document["schema"].get<std::string>().starts_with("lockstep."));
        CHECK(document["command"].get<std::string>().starts_with("lockstep " + *words.begin()));
        CHECK(document.contains("lockstep"));
    };
    add("analyze temporal-breakdown", {"analyze", "temporal-breakdown", before, "--quiet"});
    add("analyze memory-timeline", {"analyze", "memory-timeline", before, "--quiet"});
    add("analyze critical-path", {"analyze", "critical-path", before, "--quiet"});
    add("diff", {"diff", before, after, "--analysis", "kernels", "--quiet"});
    add("diff --waterfall", {"diff", before, after, "--waterfall", "--test", "permutation", "--quiet"});
    add("diff --config", {"diff", "--baseline", before, "--config", "a=" + after, "--quiet"});
    add("sql", {"sql", before, "select rank, count(*) from kernels group by rank", "--quiet"});
    add("trend", {"trend", before, after, "--quiet"});
    add("fleet", {"fleet", before, after, "--quiet"});
    add("info", {"info", before, "--quiet"});
    add("analyses", {"analyses", "kernels"});
    const std::filesystem::path file = core::testing::source_folder() / "tests" / "app" / "json_forms.txt";
    if (std::getenv("LOCKSTEP_RECORD")) {
        std::ofstream(file, std::ios::binary) << forms;
        return;
    }
    CHECK(forms == read_file(file));
}

TEST_CASE("the command of a document repeats it") {
    const core::testing::TempFolder folder;
    const std::string run = (folder.path() / "a run").string();
    REQUIRE(lockstep({"sample", run, "--ranks", "2", "--steps", "3", "--layers", "2", "--quiet"}).status == 0);
    const Outcome first =
        lockstep({"analyze", "kernels", run, "--name", "it's", "--ranks", "1", "--format", "json", "--quiet"});
    const std::string command = Json::parse(first.out)["command"];
    CHECK(command.starts_with("lockstep analyze kernels '"));
    const Outcome again =
        run_shell(quoted(core::testing::lockstep_binary()) + command.substr(std::string("lockstep").size()));
    CHECK(again.out == first.out);
}

TEST_CASE("a document names its files and what the doctor says of them, with the side in a comparison") {
    const core::testing::TempFolder folder;
    const std::string run = (folder.path() / "run").string();
    REQUIRE(lockstep({"sample", run, "--ranks", "4", "--steps", "3", "--layers", "2", "--quiet"}).status == 0);
    std::filesystem::remove_all(folder.path() / "part");
    std::filesystem::create_directory(folder.path() / "part");
    for (const auto& entry : std::filesystem::directory_iterator(run))
        if (entry.path().filename().string().find('1') == std::string::npos)
            std::filesystem::copy(entry.path(), folder.path() / "part" / entry.path().filename());
    const Json json =
        Json::parse(lockstep({"diff", run, (folder.path() / "part").string(), "--format", "json", "--quiet"}).out);
    CHECK(json["total_files"] == json["files"].size());
    CHECK(json["files"][0]["side"] == "baseline");
    CHECK(json["files"].back()["side"] == "candidate");
    bool missing = false;
    for (const Json& warning : json["warnings"])
        missing |= warning["id"] == "ranks-missing" && warning["side"] == "candidate";
    CHECK(missing);
}
