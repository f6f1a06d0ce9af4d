#include "core/ingest/load/index_messages.hpp"

#include "core/sample/sample_run.hpp"
#include "tests/core/cluster/thread_channels.hpp"
#include "tests/core/temp_folder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <mutex>

using namespace core;
using core::testing::TempFolder;
using core::testing::ThreadChannels;
namespace fs = std::filesystem;

namespace {

std::vector<FoundFile> some_files(std::size_t count) {
    std::vector<FoundFile> files;
    for (std::size_t i = 0; i < count; ++i) {
        const std::string name = "rank" + std::to_string(i) + ".json";
        files.push_back({.path = "/run/" + name, .bytes = i * 1000, .named = i % 2 == 1, .inside = name, .index = {}});
    }
    return files;
}

IndexOutcome written(std::string file) {
    return {.kind = IndexOutcome::Kind::Written, .trace = {}, .file = std::move(file), .bytes = 7, .why = "new"};
}

}  // namespace

TEST_CASE("a list of files, or why there is none, is decoded as it was encoded") {
    const std::vector<FoundFile> files = some_files(3);
    const std::string bytes = encode_files(files);
    const Result<std::vector<FoundFile>> again = decode_files(bytes);
    REQUIRE(again);
    REQUIRE(again->size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK((*again)[i].path == files[i].path);
        CHECK((*again)[i].inside == files[i].inside);
        CHECK((*again)[i].bytes == files[i].bytes);
        CHECK((*again)[i].named == files[i].named);
    }
    for (std::size_t length = 0; length < bytes.size(); ++length)
        CHECK_FALSE(decode_files(std::string_view(bytes).substr(0, length)));
    const Result<std::vector<FoundFile>> none = decode_files(encode_files(Error{ErrorCode::NotFound, "no trace"}));
    REQUIRE_FALSE(none);
    CHECK(none.error().code == ErrorCode::NotFound);
    CHECK(none.error().message == "no trace");
}

TEST_CASE("outcomes of several processes are put together by file, and a file without one has failed") {
    const std::vector<FoundFile> files = some_files(3);
    const Indexed one{.arrived = 1, .failure = {}, .outcomes = {{2, written("two")}}};
    Indexed two{.arrived = 0, .failure = {}, .outcomes = {{0, {}}}};
    two.outcomes[0].second.why = "broken";
    const Result<std::vector<IndexOutcome>> outcomes = decode_indexed(encode_indexed(one) + encode_indexed(two), files);
    REQUIRE(outcomes);
    CHECK((*outcomes)[0].why == "broken");
    CHECK((*outcomes)[1].kind == IndexOutcome::Kind::Failed);
    CHECK((*outcomes)[1].why == "no process answered for it");
    CHECK((*outcomes)[2].kind == IndexOutcome::Kind::Written);
    CHECK((*outcomes)[2].file == "two");
    CHECK((*outcomes)[2].bytes == 7);
    CHECK((*outcomes)[2].trace == files[2].path);
}

TEST_CASE("if nothing was read, the first failed trace stands for all, in any process") {
    const std::vector<FoundFile> files = some_files(4);
    Indexed one, two;
    one.failure.add({ErrorCode::NotFound, "not a trace"}, 0);
    two.failure.add({ErrorCode::Io, "unreadable"}, 3);
    two.failure.add({ErrorCode::BadInput, "broken"}, 2);
    two.failure.add({ErrorCode::NotFound, "not a trace either"}, 1);
    for (const std::string& bytes :
         {encode_indexed(one) + encode_indexed(two), encode_indexed(two) + encode_indexed(one)}) {
        const Result<std::vector<IndexOutcome>> outcomes = decode_indexed(bytes, files);
        REQUIRE_FALSE(outcomes);
        CHECK(outcomes.error().message == "broken (none of the 4 files opened as a trace)");
        CHECK(outcomes.error().code == ErrorCode::BadInput);
    }
    CHECK(decode_indexed("\x01\xFF", files).error().code == ErrorCode::Internal);
}

TEST_CASE("processes of a team index a run together: every file once, process 0 has the outcomes") {
    const TempFolder folder;
    SampleOptions options;
    options.ranks = 6;
    options.steps = 1;
    options.layers = 1;
    options.tensor_parallel = 1;
    REQUIRE(write_sample_run(folder.path() / "run", options, {}));
    const fs::path paths[] = {folder.path() / "run"};
    BuildIndexOptions build;
    build.threads = 1;
    build.folder = folder.path() / "out";
    CHECK(find_missing_index_files(paths, build).count == 6);
    CHECK(find_missing_index_files(paths, build).first.size() == 3);
    for (const IndexOutcome::Kind kind : {IndexOutcome::Kind::Written, IndexOutcome::Kind::Current}) {
        std::vector<IndexOutcome> outcomes;
        std::atomic<int> others{0};
        ThreadChannels::run(3, [&](Team& team) {
            BuildIndexOptions own = build;
            own.team = &team;
            LoadProgress progress;
            Result<std::vector<IndexOutcome>> made = build_index_files(paths, own, progress, {});
            if (made && team.is_first()) outcomes = *std::move(made);
            if (made && !team.is_first() && made->empty()) ++others;
        });
        CHECK(others == 2);
        REQUIRE(outcomes.size() == 6);
        for (const IndexOutcome& outcome : outcomes) {
            CHECK(outcome.kind == kind);
            CHECK(fs::exists(outcome.file));
        }
        CHECK(std::ranges::is_sorted(outcomes, {}, &IndexOutcome::trace));
    }
    CHECK(find_missing_index_files(paths, build).count == 0);
}

TEST_CASE("a path that does not exist fails in every process of a team, with one message") {
    std::mutex mutex;
    std::vector<std::string> messages;
    const fs::path paths[] = {"/nonexistent/run"};
    ThreadChannels::run(3, [&](Team& team) {
        BuildIndexOptions build;
        build.team = &team;
        LoadProgress progress;
        const auto made = build_index_files(paths, build, progress, {});
        const std::lock_guard lock(mutex);
        messages.push_back(made ? "" : made.error().message);
    });
    REQUIRE(messages.size() == 3);
    CHECK(messages[0].find("/nonexistent/run") != std::string::npos);
    CHECK((messages[0] == messages[1] && messages[1] == messages[2]));
}
