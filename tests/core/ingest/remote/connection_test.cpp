#include "core/ingest/remote/connection.hpp"

#include "tests/core/ingest/remote/remote_fixture.hpp"

#include <doctest/doctest.h>

#include <random>
#include <thread>

using namespace core;
using namespace core::remote;
using core::testing::FakeLine;
using core::testing::greeting_of;
using core::testing::line_to;
using core::testing::read_bytes;
using core::testing::ServedFolder;
using core::testing::TempFolder;
namespace fs = std::filesystem;

namespace {

const RemotePath kPath{"gpu7", "/data/run"};
constexpr Patience kShort{.silence = std::chrono::milliseconds(300)};

Hello hello_with(std::uint64_t bytes) {
    Hello hello = own_hello();
    hello.summary = {.name = "run.lockstep-summary", .bytes = bytes, .written_ns = 1};
    return hello;
}

// Results of opening, listing and copying the first file from a server with these answers.
std::string outcome(std::unique_ptr<Line> line) {
    const TempFolder folder;
    const auto opened = Connection::open(std::move(line), kPath, {}, kShort);
    if (!opened) return opened.error().message;
    const Result<bool> copied = (*opened)->copy(0, (*opened)->summary(), folder.path() / "copy", nullptr, {});
    CHECK(copied.has_value() == fs::exists(folder.path() / "copy"));
    if (!copied) return copied.error().message;
    const Result<std::vector<FileEntry>> files = (*opened)->list({});
    return files ? "fine" : files.error().message;
}

std::string outcome_of_replies(FakeLine::Answer answer, bool ends = false, std::uint64_t bytes = 100) {
    return outcome(std::make_unique<FakeLine>(greeting_of(hello_with(bytes)), std::move(answer), ends));
}

}  // namespace

TEST_CASE("files come over a connection as they are") {
    const ServedFolder folder;
    const TempFolder to;
    for (const std::size_t most_per_read : {std::size_t{977}, std::size_t{1} << 20}) {
        auto opened = Connection::open(line_to(folder.path, most_per_read), kPath, {});
        REQUIRE(opened);
        Connection& connection = **opened;
        const Result<std::vector<FileEntry>> files = connection.list({});
        REQUIRE(files);
        REQUIRE(files->size() == 4);
        std::atomic<std::uint64_t> done{0};
        std::uint64_t bytes = 0;
        for (std::size_t i = 0; i < files->size(); ++i) {
            const fs::path copy = to.path() / std::to_string(i);
            REQUIRE(connection.copy(i, (*files)[i], copy, &done, {}));
            CHECK(read_bytes(copy) == read_bytes(folder.path / (*files)[i].name));
            CHECK((fs::status(copy).permissions() & fs::perms::all) ==
                  (fs::perms::owner_read | fs::perms::owner_write));
            bytes += (*files)[i].bytes;
            fs::remove(copy);
        }
        CHECK(done == bytes);
        CHECK(connection.bytes_received() > bytes);
        CHECK(connection.bytes_received() < bytes + 10'000);
    }
}

TEST_CASE("several threads copy over one connection") {
    const ServedFolder folder;
    const TempFolder to;
    auto opened = Connection::open(line_to(folder.path, 10'000), kPath, {});
    REQUIRE(opened);
    const Result<std::vector<FileEntry>> files = (*opened)->list({});
    REQUIRE(files);
    std::atomic<int> right{0};
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&, t] {
                for (std::size_t i = 0; i < files->size(); ++i) {
                    const fs::path copy = to.path() / (std::to_string(t) + "-" + std::to_string(i));
                    if ((*opened)->copy(i, (*files)[i], copy, nullptr, {}) &&
                        read_bytes(copy) == read_bytes(folder.path / (*files)[i].name))
                        ++right;
                }
            });
    }
    CHECK(right == 16);
}

TEST_CASE("several pages are asked for before the first has come") {
    std::size_t asked_before = 0;
    const FakeLine* line = nullptr;
    auto fake = std::make_unique<FakeLine>(greeting_of(hello_with(20 * kPage)), FakeLine::Answer(), false);
    line = fake.get();
    auto opened = Connection::open(std::move(fake), kPath, {}, kShort);
    REQUIRE(opened);
    const TempFolder folder;
    CHECK_FALSE((*opened)->copy(0, (*opened)->summary(), folder.path() / "copy", nullptr, {}));
    asked_before = line->asked;
    CHECK(asked_before == 8);
}

TEST_CASE("a server of another version is refused with the remedy") {
    Hello other = hello_with(1);
    other.program = "9.9.9\x1b[2J";
    const std::string message = outcome(std::make_unique<FakeLine>(greeting_of(other)));
    CHECK(message.starts_with("gpu7: has Lockstep 9.9.9?[2J (reading version "));
    CHECK(message.ends_with("install the same version on both machines"));
    other = hello_with(1);
    ++other.reading_version;
    CHECK(outcome(std::make_unique<FakeLine>(greeting_of(other))).find("same version") != std::string::npos);
}

TEST_CASE("a program that isn't a server is detected") {
    CHECK(outcome(std::make_unique<FakeLine>("Welcome to gpu7!\nNo mining.\n"))
              .starts_with("gpu7: answered 'Welcome to gpu7!?No mining.?' instead of as lockstep does"));
    CHECK(outcome(std::make_unique<FakeLine>("")) == "gpu7: no answer of lockstep there: as a test wants");
    CHECK(outcome(std::make_unique<FakeLine>("lockstep ser")) == "gpu7: no answer of lockstep there: as a test wants");
    CHECK(outcome(std::make_unique<FakeLine>(std::string(kGreeting))) ==
          "gpu7: the connection has ended: as a test wants");
    CHECK(outcome(std::make_unique<FakeLine>(std::string(kGreeting), FakeLine::Answer(), false)) ==
          "gpu7: no answer for 0 s");
    CHECK(outcome(std::make_unique<FakeLine>(std::string(kGreeting) + with_length("junk"))) ==
          "gpu7: its first message is damaged");
    CHECK(outcome(std::make_unique<FakeLine>(std::string(kGreeting) + "\xFF\xFF\xFF\xFF")) ==
          "gpu7: its first message is damaged");
    Hello refused = own_hello();
    refused.problem = "/x: does not exist";
    CHECK(outcome(std::make_unique<FakeLine>(greeting_of(refused))) == "gpu7: /x: does not exist");
    refused.problem = "/data/run: has no run summary";
    refused.is_unindexed = true;
    CHECK(outcome(std::make_unique<FakeLine>(greeting_of(refused))) ==
          "gpu7: /data/run: has no run summary: make it by 'ssh gpu7 lockstep index /data/run'");
}

TEST_CASE("a server that answers wrongly ends the conversation, with a reason") {
    const auto reply_to = [](std::string_view request, bool failed, std::string body) {
        return with_length(encode(Reply{.id = decode_request(request)->id, .failed = failed, .body = std::move(body)}));
    };
    CHECK(outcome_of_replies([&](std::string_view r) { return reply_to(r, false, std::string(99, 'x')); }) ==
          "gpu7: sent 99 bytes of run.lockstep-summary instead of 100");
    CHECK(outcome_of_replies([&](std::string_view r) { return reply_to(r, false, std::string(101, 'x')); }) ==
          "gpu7: sent 101 bytes of run.lockstep-summary instead of 100");
    CHECK(outcome_of_replies([&](std::string_view r) { return reply_to(r, true, "disk\nfailed"); }) ==
          "gpu7: disk?failed");
    CHECK(outcome_of_replies([&](std::string_view r) { return reply_to(r, false, std::string(100, 'x')); }) ==
          "gpu7: sent a list that is damaged");
    CHECK(outcome_of_replies([](std::string_view) { return with_length("garbage"); }) ==
          "gpu7: sent a message that is damaged");
    CHECK(outcome_of_replies([](std::string_view) { return std::string("\xFF\xFF\xFF\x7F"); }) ==
          "gpu7: sent a message that is damaged");
    CHECK(outcome_of_replies([](std::string_view) { return with_length(encode(Reply{.id = 77, .body = "x"})); }) ==
          "gpu7: answered what was not asked");
    CHECK(outcome_of_replies([](std::string_view) {
              return with_length(encode(Reply{.id = kGoodbye, .failed = true, .body = "tired"}));
          }) == "gpu7: has ended: tired");
    CHECK(outcome_of_replies([](std::string_view) { return std::string(); }, true) ==
          "gpu7: the connection has ended: as a test wants");
    CHECK(outcome_of_replies([&](std::string_view r) {
              return reply_to(r, false, std::string(100, 'x')).substr(0, 50);
          }) == "gpu7: no answer for 0 s");
}

TEST_CASE("a list that never ends is damaged") {
    std::size_t parts = 0;
    const std::string message = outcome_of_replies([&](std::string_view request) {
        const Request asked = *decode_request(request);
        if (asked.kind == Request::Kind::Read)
            return with_length(encode(Reply{.id = asked.id, .body = std::string(100, 'x')}));
        ++parts;
        const FileList list{.total = 3, .files = {{.name = "a"}, {.name = "b"}}};
        return with_length(encode(Reply{.id = asked.id, .body = encode(list)}));
    });
    CHECK(message == "gpu7: sent a list that is damaged");
    CHECK(parts == 2);
}

TEST_CASE("random bytes behind a greeting end a conversation") {
    std::mt19937 random(11);
    for (int i = 0; i < 300; ++i) {
        std::string bytes(random() % 200, '\0');
        for (char& c : bytes) c = static_cast<char>(random());
        const std::string message =
            outcome_of_replies([&](std::string_view) { return with_length(std::string(bytes)); }, true);
        CHECK(message.starts_with("gpu7: "));
    }
}

TEST_CASE("a copy that is cancelled leaves no file, and the connection can be used") {
    const ServedFolder folder;
    const TempFolder to;
    auto opened = Connection::open(line_to(folder.path), kPath, {});
    REQUIRE(opened);
    std::stop_source stop;
    stop.request_stop();
    const Result<bool> copied =
        (*opened)->copy(0, (*opened)->summary(), to.path() / "a", nullptr, {.stop = stop.get_token()});
    REQUIRE_FALSE(copied);
    CHECK(copied.error().code == ErrorCode::Cancelled);
    CHECK_FALSE(fs::exists(to.path() / "a"));
    CHECK((*opened)->copy(0, (*opened)->summary(), to.path() / "b", nullptr, {}));
    auto silent = std::make_unique<FakeLine>(greeting_of(hello_with(100)), FakeLine::Answer(), false);
    auto waiting = Connection::open(std::move(silent), kPath, {});
    REQUIRE(waiting);
    std::stop_source later;
    const std::jthread stopper([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        later.request_stop();
    });
    const Result<bool> stopped =
        (*waiting)->copy(0, (*waiting)->summary(), to.path() / "c", nullptr, {.stop = later.get_token()});
    REQUIRE_FALSE(stopped);
    CHECK(stopped.error().code == ErrorCode::Cancelled);
}
