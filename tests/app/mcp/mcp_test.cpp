// The server as a client sees it: lines of JSON in, lines of JSON out.

#include "tests/app/cli.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace app::testing;
using core::testing::TempFolder;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

struct Session {
    Outcome outcome;
    std::vector<json> answers;

    const json& of(int id) const {
        for (const json& answer : answers)
            if (answer.contains("id") && answer["id"] == id) return answer;
        FAIL("no answer to ", id);
        return answers.front();
    }
    const json& result(int id) const {
        const json& answer = of(id);
        const std::string text = answer.dump();
        INFO(text);
        REQUIRE(answer.contains("result"));
        return answer["result"];
    }
    int error(int id) const {
        const json& answer = of(id);
        const std::string text = answer.dump();
        INFO(text);
        REQUIRE(answer.contains("error"));
        return answer["error"]["code"].get<int>();
    }
    // The error text of a failed call.
    std::string complaint(int id) const {
        REQUIRE(result(id)["isError"] == true);
        return result(id)["content"][0]["text"].get<std::string>();
    }
    const json& table(int id) const {
        const json& answer = result(id);
        const std::string text = answer.dump();
        INFO(text);
        REQUIRE(answer["isError"] == false);
        return answer["structuredContent"];
    }
};

// options, environment: words after and before the name of the command.
Session talk(const fs::path& root, const std::string& messages, const std::string& options = {},
             const std::string& environment = {}, const fs::path& from = ".") {
    const TempFolder folder;
    std::ofstream(folder.path() / "in", std::ios::binary) << messages;
    Session session;
    session.outcome =
        run_shell("cd " + quoted(from.string()) + " && " + environment + quoted(core::testing::lockstep_binary()) +
                  " mcp " + options + " " + quoted(root.string()) + " < " + quoted((folder.path() / "in").string()));
    std::istringstream lines(session.outcome.out);
    for (std::string line; std::getline(lines, line);) session.answers.push_back(json::parse(line));
    return session;
}

// With index files, which other tests disable.
Session talk_writing(const fs::path& root, const std::string& messages, const std::string& options = {},
                     const fs::path& from = ".") {
    return talk(root, messages, options, "env -u LOCKSTEP_NO_CACHE ", from);
}

std::string request(int id, const std::string& method, const json& params = json::object()) {
    return json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}}.dump() + "\n";
}

std::string call(int id, const std::string& tool, const json& arguments) {
    return request(id, "tools/call", {{"name", tool}, {"arguments", arguments}});
}

// Names of all files below, to detect writes.
std::vector<std::string> names_below(const fs::path& folder) {
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
        names.push_back(entry.path().lexically_relative(folder).string());
    std::ranges::sort(names);
    return names;
}

fs::path write_sample(const fs::path& root) {
    REQUIRE(lockstep({"sample", (root / "run").string(), "--ranks", "2", "--steps", "3", "--layers", "2"}).status == 0);
    return root / "run";
}

}  // namespace

TEST_CASE("a client says hello, asks for the tools, and ends by closing its end") {
    const TempFolder folder;
    const Session session = talk(folder.path(), request(1, "initialize",
                                                        {{"protocolVersion", "2025-03-26"},
                                                         {"capabilities", json::object()},
                                                         {"clientInfo", {{"name", "t"}, {"version", "1"}}}}) +
                                                    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n" +
                                                    request(2, "tools/list") + request(3, "ping"));
    CHECK(session.outcome.status == 0);
    CHECK(session.answers.size() == 3);
    CHECK(session.result(1)["protocolVersion"] == "2025-03-26");
    CHECK(session.result(1)["serverInfo"]["name"] == "lockstep");
    CHECK(session.result(1)["capabilities"].contains("tools"));
    const json& tools = session.result(2)["tools"];
    std::vector<std::string> names;
    for (const json& tool : tools) {
        names.push_back(tool["name"]);
        CHECK(tool["inputSchema"]["type"] == "object");
        CHECK(tool["annotations"]["readOnlyHint"] == true);
    }
    CHECK(names == std::vector<std::string>{"info", "analyses", "analyze", "diff", "events", "sql", "shot"});
    CHECK(session.result(3).empty());
}

TEST_CASE("an unknown version of the protocol is answered with one that is known") {
    const TempFolder folder;
    CHECK(talk(folder.path(), request(1, "initialize", {{"protocolVersion", "1999-01-01"}}))
              .result(1)["protocolVersion"] == "2025-06-18");
}

TEST_CASE("lists of requests are answered by a list where the version has them, and refused where not") {
    const TempFolder folder;
    const auto hello = [](const char* version) { return request(1, "initialize", {{"protocolVersion", version}}); };
    const std::string ping = R"({"jsonrpc":"2.0","id":2,"method":"ping"})", note = R"({"jsonrpc":"2.0","method":"x"})";
    for (const char* const version : {"2025-03-26", "2024-11-05"}) {
        const Session session = talk(folder.path(), hello(version) + "[" + ping + "," + note +
                                                        ",7,{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"y\"}]\n" + "[" +
                                                        note + "]\n[]\n" + request(4, "ping"));
        REQUIRE(session.answers.size() == 4);
        const json& list = session.answers[1];
        REQUIRE(list.is_array());
        REQUIRE(list.size() == 3);
        CHECK(list[0]["id"] == 2);
        CHECK(list[0]["result"].empty());
        CHECK(list[1]["error"]["code"] == -32600);
        CHECK(list[2]["error"]["code"] == -32601);
        CHECK(session.answers[2]["error"]["code"] == -32600);
        CHECK(session.result(4).empty());
    }
    const Session session = talk(folder.path(), hello("2025-06-18") + "[" + ping + "]\n");
    REQUIRE(session.answers.size() == 2);
    CHECK(session.answers[1]["error"]["code"] == -32600);
    std::string many = ping;
    for (int i = 0; i < 64; ++i) many += "," + ping;
    CHECK(talk(folder.path(), hello("2025-03-26") + "[" + many + "]\n").answers[1]["error"]["code"] == -32600);
}

TEST_CASE("the table of an analysis has what it takes to cite it") {
    const TempFolder folder;
    const std::string run = write_sample(folder.path()).string();
    const Session session =
        talk(folder.path(), call(1, "analyze", {{"id", "kernels"}, {"path", "run"}, {"limit", 3}}) +
                                call(2, "analyze", {{"id", "temporal-breakdown"}, {"path", "run"}, {"ranks", "1"}}));
    const json& table = session.table(1);
    CHECK(table["schema"] == "lockstep.table/1");
    CHECK(table["command"] == "lockstep analyze kernels " + run + " --format=json");
    CHECK(table["rows"].size() == 3);
    CHECK(table["truncated"] == true);
    CHECK(table["total_rows"].get<int>() > 3);
    CHECK(table["files"].size() == 2);
    CHECK(table["columns"][0].contains("meaning"));
    CHECK(json::parse(session.result(1)["content"][0]["text"].get<std::string>()) == table);
    const json& breakdown = session.table(2);
    CHECK(breakdown["rows"].size() == 1);
    CHECK(breakdown["command"] == "lockstep analyze temporal-breakdown " + run + " --ranks=1 --format=json");
    // The same numbers as the command line.
    const Outcome direct = lockstep(
        {"analyze", "temporal-breakdown", (folder.path() / "run").string(), "--ranks", "1", "--format", "json"});
    CHECK(json::parse(direct.out)["rows"] == breakdown["rows"]);
}

TEST_CASE("info, the catalogue, events and a comparison") {
    const TempFolder folder;
    const fs::path run = write_sample(folder.path());
    const Session session = talk(
        folder.path(),
        call(1, "info", {{"path", "run"}}) + call(2, "analyses", json::object()) +
            call(3, "analyses", {{"id", "kernels"}}) +
            call(4, "events", {{"path", "run"}, {"find", "nccl"}, {"limit", 5}, {"arguments", true}}) +
            call(5, "diff", {{"baseline", "run"}, {"candidate", run.string()}, {"analysis", "kernels"}, {"limit", 2}}));
    CHECK(session.result(1)["content"][0]["text"].get<std::string>().find("2 of 2") != std::string::npos);
    CHECK(session.table(2)["analyses"].size() > 20);
    CHECK(session.table(3)["columns"].size() > 3);
    const json& events = session.table(4);
    CHECK(events["rows"].size() == 5);
    CHECK(events["total_rows"].get<int>() > 5);
    CHECK(events["rows"][0]["begin"].get<std::int64_t>() <= events["rows"][4]["begin"].get<std::int64_t>());
    CHECK(events["rows"][0].contains("arguments"));
    const json& diff = session.table(5);
    CHECK(diff["rows"].size() == 2);
    CHECK(diff["truncated"] == true);
    CHECK(diff["command"].get<std::string>().starts_with("lockstep diff --baseline="));
}

TEST_CASE("a query answers with bounded rows, and only reads") {
    const TempFolder folder;
    write_sample(folder.path());
    const Session session = talk(
        folder.path(),
        call(1, "sql", {{"path", "run"}, {"query", "select rank, count(*) n from kernels group by rank"}}) +
            call(2, "sql", {{"path", "run"}, {"query", "select name from events"}, {"limit", 2}, {"ranks", "1"}}) +
            call(3, "sql", {{"path", "run"}, {"query", "drop table events"}}) +
            call(4, "sql", {{"path", "run"}, {"query", "attach '/tmp/x' as x"}}) +
            call(5, "sql", {{"path", "run"}, {"query", "select durr from kernels"}}) +
            call(6, "sql", {{"path", "../run"}, {"query", "select 1"}}) +
            call(7, "sql",
                 {{"path", "run"},
                  {"query", "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n"},
                  {"seconds", 1}}) +
            call(8, "sql", {{"path", "run"}, {"query", "select 1"}, {"seconds", 1000000}}) +
            call(9, "sql", {{"path", "run"}}));
    const json& table = session.table(1);
    CHECK(table["schema"] == "lockstep.table/1");
    CHECK(table["rows"].size() == 2);
    CHECK(table["columns"][1]["id"] == "n");
    CHECK(table["command"] == "lockstep sql --format=json -- " + (folder.path() / "run").string() +
                                  " 'select rank, count(*) n from kernels group by rank'");
    CHECK(table["files"].size() == 2);
    CHECK(session.table(2)["rows"].size() == 2);
    CHECK(session.table(2)["truncated"] == true);
    for (int id = 3; id <= 8; ++id) {
        INFO(id);
        CHECK(session.result(id)["isError"] == true);
    }
    CHECK(session.result(9)["content"][0]["text"].get<std::string>().find("members") != std::string::npos);
    CHECK(session.result(5)["content"][0]["text"].get<std::string>().find("no such column: durr") != std::string::npos);
}

namespace {

// Output of an answer's command line, run in another folder.
json repeat(const json& answer) {
    const std::string command = answer["command"];
    INFO(command);
    REQUIRE(command.starts_with("lockstep "));
    const Outcome outcome = run_shell("cd / && " + quoted(core::testing::lockstep_binary()) + command.substr(8));
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return json::parse(outcome.out);
}

}  // namespace

TEST_CASE("a query that begins with a comment is a query, also in the command that repeats it") {
    const TempFolder folder;
    write_sample(folder.path());
    const Session session =
        talk(folder.path(), call(1, "sql", {{"path", "run"}, {"query", "-- busiest\nselect 1"}, {"ranks", "1"}}) +
                                call(2, "sql", {{"path", "run"}, {"query", "--busiest\nselect rank from ranks"}}) +
                                call(3, "sql", {{"path", "run"}, {"query", "--ranks=0"}}));
    CHECK(session.table(1)["rows"] == json::parse("[[1]]"));
    CHECK(repeat(session.table(1))["rows"] == session.table(1)["rows"]);
    CHECK(session.table(2)["rows"].size() == 2);
    CHECK(repeat(session.table(2))["rows"] == session.table(2)["rows"]);
    CHECK(session.complaint(3).find("query: it is empty") != std::string::npos);
}

TEST_CASE("options of the server hold for every tool and are in every command") {
    const TempFolder folder;
    write_sample(folder.path());
    std::ofstream(folder.path() / "links.txt") << "H100 = 100\n";
    const std::vector<std::string> before = names_below(folder.path() / "run");
    const std::string options = "--no-cache --clocks recorded --step-marks nothing --links links.txt";
    const Session session =
        talk_writing(folder.path(),
                     call(1, "analyze", {{"id", "steps"}, {"path", "run"}}) +
                         call(2, "diff", {{"baseline", "run"}, {"candidate", "run"}, {"analysis", "steps"}}) +
                         call(3, "sql", {{"path", "run"}, {"query", "select * from steps"}}) +
                         call(4, "shot", {{"path", "run"}, {"size", "640x400"}}),
                     options, folder.path());
    CHECK(names_below(folder.path() / "run") == before);
    const std::string words =
        "--no-cache --step-marks=nothing --links=" + (folder.path() / "links.txt").string() + " --clocks=recorded";
    for (int id = 1; id <= 3; ++id) {
        INFO(id);
        const json& table = session.table(id);
        CHECK(table["rows"].empty());  // no range is called that: there are no steps
        CHECK(table["command"].get<std::string>().find(words) != std::string::npos);
        CHECK(repeat(table)["rows"] == table["rows"]);
    }
    CHECK(session.result(4)["isError"] == false);
    CHECK(session.result(4)["content"][0]["text"].get<std::string>().find(words) != std::string::npos);
}

TEST_CASE("a comparison is as bounded as a table, and keeps the order of its members") {
    const TempFolder folder;
    json events = json::array();
    for (int i = 0; i < 900; ++i)
        events.push_back({{"ph", "X"},
                          {"cat", "kernel"},
                          {"name", "k" + std::to_string(i) + std::string(5000, 'x')},
                          {"pid", 0},
                          {"tid", 7},
                          {"ts", 1000 + i * 20},
                          {"dur", 10},
                          {"args", {{"stream", 7}, {"device", 0}}}});
    std::ofstream(folder.path() / "rank0.json") << json{{"traceEvents", events}};
    const Session session =
        talk(folder.path(),
             call(1, "diff",
                  {{"baseline", "rank0.json"}, {"candidate", "rank0.json"}, {"analysis", "kernels"}, {"limit", 1000}}));
    const json& table = session.table(1);
    CHECK(table["total_rows"] == 900);
    CHECK(table["truncated"] == true);
    CHECK(table["rows"].size() > 50);
    CHECK(table["statistics"]["rows"].size() <= table["rows"].size());
    const std::string text = session.result(1)["content"][0]["text"];
    CHECK(text.size() < 250'000);
    CHECK(text.starts_with("{\"schema\":\"lockstep.table/1\",\"lockstep\":"));
}

TEST_CASE("a picture comes as PNG") {
    const TempFolder folder;
    write_sample(folder.path());
    const Session session = talk(folder.path(), call(1, "shot", {{"path", "run"}, {"size", "640x400"}}));
    const json& content = session.result(1)["content"];
    REQUIRE(content.size() == 2);
    CHECK(content[1]["type"] == "image");
    CHECK(content[1]["mimeType"] == "image/png");
    CHECK(content[1]["data"].get<std::string>().starts_with("iVBORw0KGgo"));
}

TEST_CASE("nothing outside of the roots is read, and nothing tells whether it is there") {
    const TempFolder folder, other;
    write_sample(other.path());
    fs::create_directories(folder.path() / "linked");
    fs::create_symlink(other.path() / "run", folder.path() / "link");
    fs::create_symlink(*fs::directory_iterator(other.path() / "run"), folder.path() / "linked" / "rank0.json.gz");
    const Session session =
        talk(folder.path(),
             call(1, "info", {{"path", (other.path() / "run").string()}}) + call(2, "info", {{"path", "../"}}) +
                 call(3, "info", {{"path", "/no/such/thing"}}) + call(4, "info", {{"path", "link"}}) +
                 call(5, "analyze", {{"id", "kernels"}, {"path", "linked"}}) +
                 call(6, "diff", {{"baseline", "linked"}, {"candidate", "/etc"}}) +
                 call(7, "shot", {{"path", "/etc/passwd"}}) + call(8, "info", {{"path", std::string("run\0x", 5)}}));
    for (int id = 1; id <= 8; ++id)
        CHECK(session.complaint(id).find("not found inside of the folders") != std::string::npos);
}

namespace {

// Every tool that takes a path: for this path and for the run "run".
std::string ask_all_of(const std::string& path) {
    return call(1, "info", {{"path", path}}) + call(2, "analyze", {{"id", "kernels"}, {"path", path}}) +
           call(3, "events", {{"path", path}}) + call(4, "sql", {{"path", path}, {"query", "select 1"}}) +
           call(5, "diff", {{"baseline", path}, {"candidate", "run"}}) +
           call(6, "diff", {{"baseline", "run"}, {"candidate", path}}) +
           call(7, "shot", {{"path", path}, {"size", "640x400"}}) +
           call(8, "shot", {{"path", "run"}, {"candidate", path}, {"size", "640x400"}});
}

}  // namespace

TEST_CASE("a link that leads outside keeps its folder closed, and nothing is written on either side") {
    const TempFolder folder, other;
    write_sample(folder.path());
    write_sample(other.path());
    std::ofstream(other.path() / "note.log") << "a log\n";
    const fs::path trace = other.path() / "run" / "sample_rank1.pt.trace.json";
    REQUIRE(fs::exists(trace));
    struct Row {
        std::string path;
        fs::path link;
        fs::path target;
    };
    const Row rows[] = {{"of-file", "of-file/rank1.json", trace},
                        {"of-folder", "of-folder/more", other.path() / "run"},
                        {"of-log", "of-log/nccl.log", other.path() / "note.log"},
                        {"of-nothing", "of-nothing/rank1.json", other.path() / "none.json"},
                        {"twice", "twice/rank1.json", folder.path() / "of-file" / "rank1.json"},
                        {"of-index/rank0.json", "of-index/rank0.json.lockstep-index", other.path() / "x"}};
    for (const Row& row : rows) {
        const fs::path link = folder.path() / row.link;
        fs::create_directories(link.parent_path());
        fs::copy_file(folder.path() / "run" / "sample_rank0.pt.trace.json", link.parent_path() / "rank0.json");
        fs::create_symlink(row.target, link);
    }
    for (const Row& row : rows) {
        INFO(row.path);
        const fs::path inside = (folder.path() / row.link).parent_path();
        const std::vector<std::string> before = names_below(inside), before_outside = names_below(other.path());
        const Session session = talk_writing(folder.path(), ask_all_of(row.path));
        for (int id = 1; id <= 8; ++id)
            CHECK(session.complaint(id).find("link that leads outside") != std::string::npos);
        CHECK(names_below(inside) == before);
        CHECK(names_below(other.path()) == before_outside);
    }
}

TEST_CASE("links that stay inside of the roots are followed") {
    const TempFolder folder;
    write_sample(folder.path());
    fs::create_directories(folder.path() / "linked");
    fs::create_directory_symlink("../run", folder.path() / "linked" / "more");
    fs::create_symlink("nothing", folder.path() / "linked" / "gone");
    const Session session = talk(folder.path(), call(1, "info", {{"path", "linked"}}));
    CHECK(session.result(1)["isError"] == false);
    CHECK(session.result(1)["content"][0]["text"].get<std::string>().find("2 of 2") != std::string::npos);
}

TEST_CASE("a session file, which names runs anywhere, isn't a run") {
    const TempFolder folder, other;
    const fs::path run = write_sample(other.path());
    std::ofstream(folder.path() / "s.lockstep")
        << json{{"lockstep_session", 1}, {"baseline", {{"paths", {run.string()}}}}}.dump();
    const Session session = talk(folder.path(), call(1, "shot", {{"path", "s.lockstep"}}));
    CHECK(session.complaint(1).find("is a session") != std::string::npos);
}

TEST_CASE("wrong arguments are answered in words that say what would be right") {
    const TempFolder folder;
    write_sample(folder.path());
    const Session session = talk(
        folder.path(), call(1, "analyze", {{"id", "kernel"}, {"path", "run"}}) + call(2, "analyze", {{"path", "run"}}) +
                           call(3, "analyze", {{"id", "kernels"}, {"path", 7}}) +
                           call(4, "analyze", {{"id", "kernels"}, {"path", "run"}, {"limt", 3}}) +
                           call(5, "analyze", {{"id", "kernels"}, {"path", "run"}, {"limit", 100000}}) +
                           call(6, "analyze", {{"id", "kernels"}, {"path", "run"}, {"filter", "dur:>banana"}}) +
                           call(7, "analyze", {{"id", "kernels"}, {"path", "run"}, {"params", {{"nothing", 1}}}}) +
                           call(8, "analyze", {{"id", "kernels"}, {"path", "run"}, {"table", "none"}}) +
                           call(9, "shot", {{"path", "run"}, {"panel", "--out=/tmp/x"}}) +
                           call(10, "analyze", {{"id", "kernels"}, {"path", "run"}, {"ranks", "7"}}));
    CHECK(session.complaint(1).find("kernels") != std::string::npos);
    CHECK(session.complaint(2).find("id is missing") != std::string::npos);
    CHECK(session.complaint(3).find("of type string") != std::string::npos);
    CHECK(session.complaint(4).find("limit") != std::string::npos);
    CHECK(session.complaint(5).find("1000") != std::string::npos);
    CHECK(session.complaint(6).find("banana") != std::string::npos);
    CHECK(session.complaint(7).find("nothing") != std::string::npos);
    CHECK(session.complaint(8).find("main") != std::string::npos);
    CHECK(session.complaint(9).find("--panel") != std::string::npos);
    CHECK(session.table(10)["rows"].empty());
    CHECK(!session.table(10)["notes"].empty());
}

TEST_CASE("whatever arrives, each answer is one line of JSON and the next message is answered") {
    const TempFolder folder;
    const std::string deep(100'000, '[');
    const std::string huge =
        "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\",\"params\":{\"x\":\"" + std::string(2 << 20, 'x') + "\"}}";
    const Session session =
        talk(folder.path(),
             std::string("not JSON\n") + deep + "\n" + huge + "\n[]\n" +
                 "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]\n" + "7\n\"x\"\nnull\n{}\n" +
                 "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}\n" +
                 "{\"jsonrpc\":\"1.0\",\"id\":2,\"method\":\"ping\"}\n" + "\xff\xfe\n" + "\n\r\n" +
                 "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"no/such\\u001b[31m\"}\n" +
                 "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/call\",\"params\":[]}\n" +
                 "{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"tools/call\",\"params\":{\"name\":\"rm\"}}\n" +
                 "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/"
                 "call\",\"params\":{\"name\":\"info\",\"arguments\":[]}}\n" +
                 "{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}\n" +
                 "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":8}}\n" +
                 "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":7}\n" + request(9, "ping"));
    CHECK(session.outcome.status == 0);
    CHECK(session.error(3) == -32601);
    CHECK(session.error(4) == -32602);
    CHECK(session.error(6) == -32602);
    CHECK(session.error(7) == -32602);
    CHECK(session.result(9).empty());
    for (const json& answer : session.answers) CHECK(answer["jsonrpc"] == "2.0");
    CHECK(session.outcome.out.find('\x1b') == std::string::npos);
}

TEST_CASE("names of a hostile trace stay inside of their texts") {
    const TempFolder folder;
    std::ofstream(folder.path() / "rank0.json")
        << R"({"traceEvents":[{"ph":"X","cat":"kernel","name":"a\u001b]0;x\u0007\n{\"jsonrpc\":\"2.0\"}","pid":0,"tid":7,"ts":1,"dur":2,"args":{"stream":7}}]})";
    const Session session = talk(folder.path(), call(1, "analyze", {{"id", "kernels"}, {"path", "rank0.json"}}) +
                                                    call(2, "events", {{"path", "rank0.json"}, {"arguments", true}}));
    CHECK(session.answers.size() == 2);
    CHECK(session.table(1)["rows"].size() == 1);
    CHECK(session.table(2)["rows"].size() == 1);
    CHECK(session.outcome.out.find('\x1b') == std::string::npos);
}

TEST_CASE("a root that is not there is a usage error") { CHECK(lockstep({"mcp", "/no/such/folder"}).status == 2); }

TEST_CASE("a server whose client is gone stops a call that nobody waits for") {
    const TempFolder folder;
    const fs::path run = write_sample(folder.path());
    constexpr const char* kEndless =
        "with recursive t(x) as (select 1 union all select x + 1 from t) select count(*) from t";
    const fs::path in = folder.path() / "in", status = folder.path() / "status";
    std::ofstream(in, std::ios::binary) << request(1, "initialize", {{"protocolVersion", "2025-06-18"}})
                                        << call(2, "sql", {{"path", run.string()}, {"query", kEndless}});
    // Less than a call may take, and more than it takes to see that nobody reads.
    (void)run_shell("(timeout 25 " + quoted(core::testing::lockstep_binary()) + " mcp " + quoted(run.string()) + " < " +
                    quoted(in.string()) + "; echo $? > " + quoted(status.string()) + ") | head -c 0");
    CHECK(read_file(status) != "124\n");
}
