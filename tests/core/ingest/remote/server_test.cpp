#include "core/ingest/remote/server.hpp"

#include "tests/core/ingest/remote/remote_fixture.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace core;
using namespace core::remote;
using core::testing::read_bytes;
using core::testing::ServedFolder;
using core::testing::TempFolder;
using core::testing::write_bytes;
namespace fs = std::filesystem;

namespace {

Reply ask(Server& server, const Request& request) {
    const std::optional<std::string> reply = server.answer(encode(request));
    REQUIRE(reply);
    REQUIRE(reply->size() <= kMostMessage);
    const std::optional<Reply> decoded = decode_reply(*reply);
    REQUIRE(decoded);
    CHECK(decoded->id == request.id);
    return *decoded;
}

std::vector<FileEntry> list(Server& server) {
    const std::optional<FileList> files = decode_list(ask(server, {.id = 1, .kind = Request::Kind::List}).body);
    REQUIRE(files);
    CHECK(files->total == files->files.size());
    return files->files;
}

std::vector<std::string> names(const std::vector<FileEntry>& files) {
    std::vector<std::string> all;
    for (const FileEntry& file : files) all.push_back(file.name);
    return all;
}

Request read_of(std::uint64_t file, std::uint64_t offset, std::uint64_t bytes) {
    return {.id = 5, .kind = Request::Kind::Read, .file = file, .offset = offset, .bytes = bytes};
}

}  // namespace

TEST_CASE("a server lists the summary and the index files below its folder, and nothing else") {
    const ServedFolder folder;
    write_bytes(folder.path / "secret.txt", "s");
    fs::create_directory(folder.path / ".hidden");
    write_bytes(folder.path / ".hidden" / "rank9.json.lockstep-index", "x");
    write_bytes(folder.path / ".rank8.json.lockstep-index", "x");
    Server server(folder.path);
    CHECK(server.hello().problem == "");
    CHECK(server.hello().summary.name == kSummaryFileName);
    CHECK(server.hello().summary.bytes == 3'000'000);
    CHECK(names(list(server)) == std::vector<std::string>{"run.lockstep-summary", "a/rank0.json.lockstep-index",
                                                          "b/rank0.json.lockstep-index",
                                                          "b/rank1.json.lockstep-index"});
}

TEST_CASE("a server reads exactly what is asked for") {
    const ServedFolder folder;
    Server server(folder.path);
    list(server);
    const std::string whole = read_bytes(folder.path / "a" / "rank0.json.lockstep-index");
    const Reply reply = ask(server, read_of(1, 1'000'000, 234'567));
    CHECK_FALSE(reply.failed);
    CHECK(reply.body == whole.substr(1'000'000, 234'567));
    for (const Request& beyond : {read_of(1, 1'234'567, 1), read_of(1, 1'234'566, 2), read_of(1, 0, 0),
                                  read_of(4, 0, 1), read_of(kMostFiles, 0, 1), read_of(2, kMostFileBytes - 1, kPage)})
        CHECK(ask(server, beyond).failed);
}

TEST_CASE("a server serves a summary that is named, and its folder") {
    const ServedFolder folder;
    write_bytes(folder.path / "other.lockstep-summary", "small");
    Server server(folder.path / "other.lockstep-summary");
    CHECK(server.hello().summary.name == "other.lockstep-summary");
    CHECK(ask(server, read_of(0, 0, 5)).body == "small");
    CHECK(list(server).size() == 4);
}

TEST_CASE("a server says why it serves nothing") {
    const TempFolder empty;
    const auto problem = [](const fs::path& path) { return Server(path).hello().problem; };
    CHECK(problem(empty.path() / "none") == (empty.path() / "none").string() + ": does not exist");
    CHECK(problem(empty.path()) == empty.path().string() + ": has no run summary");
    CHECK(Server(empty.path()).hello().is_unindexed);
    write_bytes(empty.path() / "rank0.json", "{}");
    CHECK(problem(empty.path() / "rank0.json").find("neither a folder nor a run summary") != std::string::npos);
    write_bytes(empty.path() / "a.lockstep-summary", "a");
    CHECK(problem(empty.path()) == "");
    write_bytes(empty.path() / "b.lockstep-summary", "b");
    CHECK(problem(empty.path()).find("holds 2 run summaries") != std::string::npos);
    Server refusing(empty.path());
    CHECK_FALSE(refusing.answer(encode(Request{.id = 1})));
}

TEST_CASE("links that leave the folder are not served, those inside are") {
    const ServedFolder folder;
    const TempFolder outside;
    write_bytes(outside.path() / "secret.lockstep-index", "secret");
    fs::create_symlink(outside.path() / "secret.lockstep-index", folder.path / "out.lockstep-index");
    fs::create_symlink("../../../../../../etc/passwd", folder.path / "passwd.lockstep-index");
    fs::create_directory_symlink(outside.path(), folder.path / "elsewhere");
    fs::create_symlink("a/rank0.json.lockstep-index", folder.path / "in.lockstep-index");
    Server server(folder.path);
    const std::vector<std::string> served = names(list(server));
    CHECK(served.size() == 5);
    CHECK(served.back() == "in.lockstep-index");
    CHECK(ask(server, read_of(4, 0, 10)).body == read_bytes(folder.path / "in.lockstep-index").substr(0, 10));
    fs::remove(folder.path / kSummaryFileName);
    fs::create_symlink(outside.path() / "secret.lockstep-index", folder.path / kSummaryFileName);
    CHECK(Server(folder.path).hello().problem != "");
}

TEST_CASE("a file or folder that became a link after the list is not read") {
    const ServedFolder folder;
    const TempFolder outside;
    Server server(folder.path);
    list(server);
    write_bytes(outside.path() / "rank0.json.lockstep-index",
                read_bytes(folder.path / "a" / "rank0.json.lockstep-index"));
    CHECK_FALSE(ask(server, read_of(1, 0, 10)).failed);
    const auto written = fs::last_write_time(folder.path / "a" / "rank0.json.lockstep-index");
    fs::last_write_time(outside.path() / "rank0.json.lockstep-index", written);
    fs::rename(folder.path / "a", folder.path / "moved");
    fs::create_directory_symlink(outside.path(), folder.path / "a");
    CHECK(ask(server, read_of(1, 0, 10)).failed);
    fs::remove(folder.path / "a");
    fs::create_directory(folder.path / "a");
    fs::create_symlink(outside.path() / "rank0.json.lockstep-index", folder.path / "a" / "rank0.json.lockstep-index");
    CHECK(ask(server, read_of(1, 0, 10)).failed);
}

TEST_CASE("a file that was changed after the list is not read") {
    const ServedFolder folder;
    Server server(folder.path);
    list(server);
    write_bytes(folder.path / "b" / "rank1.json.lockstep-index", core::testing::some_bytes(2'000'000, 9));
    fs::last_write_time(folder.path / "b" / "rank1.json.lockstep-index",
                        fs::file_time_type::clock::now() + std::chrono::seconds(5));
    const Reply reply = ask(server, read_of(3, 0, 10));
    CHECK(reply.failed);
    CHECK(reply.body.find("was changed") != std::string::npos);
}

TEST_CASE("an invalid request ends the connection") {
    const ServedFolder folder;
    Server server(folder.path);
    std::mt19937 random(3);
    std::size_t refused = 0;
    for (int i = 0; i < 5'000; ++i) {
        std::string bytes(random() % 24, '\0');
        for (char& c : bytes) c = static_cast<char>(random());
        const std::optional<std::string> reply = server.answer(bytes);
        refused += reply ? 0 : 1;
        if (reply) CHECK(reply->size() <= kMostMessage);
    }
    CHECK(refused > 4'000);
}

TEST_CASE("a conversation over files ends with its input") {
    const ServedFolder folder;
    const auto converse = [&](const std::string& input, std::string& said) {
        const TempFolder temp;
        write_bytes(temp.path() / "in", input);
        OpenFile in(temp.path() / "in", OpenFor::Reading), out(temp.path() / "out", OpenFor::Creating);
        Server server(folder.path);
        const bool served = serve(server, in, out);
        said = read_bytes(temp.path() / "out");
        return served;
    };
    std::string said;
    CHECK(converse("", said));
    CHECK(said.starts_with(kGreeting));
    const std::string request = with_length(encode(read_of(0, 0, 100)));
    const std::size_t greeting = said.size();
    CHECK(converse(request, said));
    CHECK(said.size() > greeting + 100);
    CHECK_FALSE(converse(request.substr(0, 5), said));
    CHECK(said.size() == greeting);
    CHECK_FALSE(converse("\xFF\xFF\xFF\xFF" + request, said));
    CHECK(said.size() == greeting);
    CHECK_FALSE(converse(with_length("no request"), said));
    CHECK(said.find("no request that is answered") != std::string::npos);
}
