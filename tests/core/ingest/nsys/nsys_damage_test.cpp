#include "core/ingest/nsys/nsys_file.hpp"

#include "tests/core/ingest/nsys/nsys_fixture.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

using namespace core;
using namespace core::testing;

namespace {

std::string some_kernels(int count) {
    std::string sql = std::string(kMetaTable) + kStringTable + kKernelTable + kRuntimeTable + "BEGIN;";
    for (int i = 0; i < count; ++i)
        sql += kernel_row(100 * i, 100 * i + 50, 0, 7, i, 1000) + call_row(i, i + 1, i, 1000);
    return sql + "COMMIT;";
}

std::string bytes_of(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void write_bytes(const std::filesystem::path& path, std::string_view bytes) {
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

Result<RunPtr> load_damaged(const TempFolder& folder, const std::string& sql) {
    const std::filesystem::path path = folder.path() / "damaged.sqlite";
    DatabaseMaker(path).run(sql).close();
    return load_database(path);
}

}  // namespace

TEST_CASE(
    "rows without times, with ends before starts or with texts for numbers are dropped or repaired, and counted") {
    const TempFolder folder;
    std::string sql = std::string(kMetaTable) + kStringTable +
                      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId,"
                      " correlationId, globalPid, demangledName, shortName);";
    sql += kernel_row(100, 200, 0, 7, 1, 1000) + kernel_row(300, 250, 0, 7, 2, 1000) +
           "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ('soon', 20, 0, 1, 7, 3, NULL, 1, 2),"
           " (NULL, 20, 0, 1, 7, 3, 281474976710656, 1, 2), (1.5, 20, 0, 1, 7, 3, 281474976710656, 1, 2),"
           " (1, 20, 99999999, 1, 7, 3, 281474976710656, 1, 2),"
           " (-9223372036854775807, 9223372036854775807, 0, 1, 7, 4, " +
           global_text(1000) + ", 999, 998);";
    const Result<RunPtr> run = load_damaged(folder, sql);
    REQUIRE(run);
    const Diagnostics all = (*run)->all_diagnostics();
    CHECK(all.count("event-malformed") == 4);
    CHECK(all.count("negative-duration") == 1);
    CHECK(all.count("absurd-duration") >= 1);
}

TEST_CASE("a file that is cut is refused as damaged") {
    const TempFolder folder;
    const std::filesystem::path whole = folder.path() / "whole.sqlite";
    DatabaseMaker(whole).run(some_kernels(2000)).close();
    const std::string bytes = bytes_of(whole);
    for (std::size_t share = 1; share < 10; ++share) {
        const std::filesystem::path cut = folder.path() / "cut.sqlite";
        write_bytes(cut, std::string_view(bytes).substr(0, bytes.size() * share / 10));
        const Result<RunPtr> run = load_database(cut);
        REQUIRE_FALSE(run);
        CHECK(run.error().message.find("damaged SQLite database") != std::string::npos);
    }
}

TEST_CASE("a cut file is a loss of its run, not a file of another kind") {
    const TempFolder folder;
    const std::filesystem::path whole = folder.path() / "rank_1.sqlite";
    DatabaseMaker(whole).run(some_kernels(2000)).close();
    const std::string bytes = bytes_of(whole);
    write_bytes(folder.path() / "rank_0.sqlite", std::string_view(bytes).substr(0, bytes.size() / 2));
    const Result<RunPtr> run = load_database(folder.path());
    REQUIRE(run);
    CHECK((*run)->ranks().size() == 1);
    CHECK((*run)->diagnostics().count("file-unreadable") == 1);
    CHECK((*run)->diagnostics().count("not-a-trace") == 0);
}

TEST_CASE("rows before a damaged page are kept, and the damage is reported") {
    const TempFolder folder;
    const std::filesystem::path path = folder.path() / "run.sqlite";
    DatabaseMaker(path).run(some_kernels(2000)).close();
    std::string bytes = bytes_of(path);
    constexpr std::size_t kPage = 4096;
    const std::size_t page = bytes.size() / kPage * 3 / 4;
    bytes.replace(page * kPage, kPage, kPage, '\0');
    write_bytes(path, bytes);
    const Result<RunPtr> run = load_database(path);
    REQUIRE(run);
    CHECK((*run)->event_count() > 100);
    CHECK((*run)->event_count() < 4000);
    CHECK((*run)->all_diagnostics().count("file-truncated") == 1);
}

TEST_CASE("bytes changed anywhere do no harm") {
    const TempFolder folder;
    const std::filesystem::path whole = folder.path() / "whole.sqlite";
    DatabaseMaker(whole).run(some_kernels(60) + kNvtxTable + range_row(1, 2, "x", 1000)).close();
    const std::string bytes = bytes_of(whole);
    std::uint64_t state = 88172645463325252ULL;
    const auto next = [&] {
        state ^= state << 13;
        state ^= state >> 7;
        return state ^= state << 17;
    };
    for (int round = 0; round < 200; ++round) {
        std::string changed = bytes;
        for (int i = 0; i < 1 + round % 8; ++i) changed[next() % changed.size()] = static_cast<char>(next());
        const std::filesystem::path path = folder.path() / "changed.sqlite";
        write_bytes(path, changed);
        const Result<RunPtr> run = load_database(path);
        if (run) CHECK((*run)->event_count() < 10'000);
        CHECK(bytes_of(path) == changed);
    }
}

TEST_CASE("pages that many rows share do not multiply them") {
    const TempFolder folder;
    const std::filesystem::path path = folder.path() / "shared.sqlite";
    DatabaseMaker(path).run("PRAGMA page_size = 512;" + some_kernels(400)).close();
    std::string bytes = bytes_of(path);
    // Every interior page of a table points to the child of its first cell only.
    constexpr std::size_t kPage = 512;
    const auto number = [&](std::size_t at) {
        return static_cast<std::size_t>(static_cast<unsigned char>(bytes[at])) << 8 |
               static_cast<unsigned char>(bytes[at + 1]);
    };
    int changed = 0;
    for (std::size_t page = kPage; page + kPage <= bytes.size(); page += kPage) {
        if (bytes[page] != 5) continue;  // an interior page
        const std::size_t cells = number(page + 3);
        const std::size_t first = page + number(page + 12);
        if (cells < 2 || first + 4 > bytes.size()) continue;
        const std::string child = bytes.substr(first, 4);
        for (std::size_t c = 1; c < cells; ++c) bytes.replace(page + number(page + 12 + 2 * c), 4, child);
        bytes.replace(page + 8, 4, child);
        ++changed;
    }
    REQUIRE(changed > 0);
    write_bytes(path, bytes);
    const Result<RunPtr> run = load_database(path);
    if (run) CHECK((*run)->event_count() <= 800);
}

TEST_CASE("views, triggers, virtual and generated columns of a file are not evaluated") {
    const TempFolder folder;
    const Result<RunPtr> run = load_damaged(
        folder,
        some_kernels(3) +
            "CREATE TABLE spy (x); CREATE VIEW NVTX_EVENTS AS SELECT abs(-9223372036854775808) AS start, 1 AS end;"
            "CREATE VIEW OSRT_API AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r)"
            " SELECT n AS start, n AS end FROM r;"
            "CREATE TABLE CUDNN_EVENTS (start INTEGER, end INTEGER AS (abs(-9223372036854775808)), globalTid INTEGER);"
            "INSERT INTO CUDNN_EVENTS (start, globalTid) SELECT 1, 1 WHERE 0;");
    REQUIRE(run);
    CHECK((*run)->event_count() == 6);
}

TEST_CASE("a table whose columns hide the ids of its rows is left out, and said so") {
    const TempFolder folder;
    const Result<RunPtr> run =
        load_damaged(folder, some_kernels(2) +
                                 "CREATE TABLE OSRT_API (start INTEGER, end INTEGER, globalTid INTEGER, rowid INTEGER,"
                                 " _rowid_ INTEGER, oid INTEGER); INSERT INTO OSRT_API VALUES (1, 2, 3, 1, 1, 1);");
    REQUIRE(run);
    CHECK((*run)->event_count() == 4);
    CHECK((*run)->all_diagnostics().count("file-truncated") == 1);
}

TEST_CASE("texts that aren't UTF-8 are repaired") {
    const TempFolder folder;
    const Result<RunPtr> run =
        load_damaged(folder, some_kernels(1) + kNvtxTable +
                                 "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES (1, 2, 59, "
                                 "CAST(x'61ff62' AS TEXT), " +
                                 global_text(1000, 1000) + ");");
    REQUIRE(run);
    CHECK(find_events((*run)->rank(0).trace(),
                      "a\xEF\xBF\xBD"
                      "b")
              .size() == 1);
    CHECK((*run)->all_diagnostics().count("text-repaired") == 1);
}

TEST_CASE("a cancelled read of a database ends as cancelled") {
    const TempFolder folder;
    const std::filesystem::path path = folder.path() / "run.sqlite";
    DatabaseMaker(path).run(some_kernels(10)).close();
    LoadProgress progress;
    std::stop_source stop;
    stop.request_stop();
    const Result<RunPtr> run = load_run(std::vector{path}, {}, progress, JobContext{stop.get_token(), nullptr});
    REQUIRE_FALSE(run);
    CHECK(run.error().code == ErrorCode::Cancelled);
}

TEST_CASE("a page that stands in for one of another table is reported, though its rows can be read") {
    const TempFolder folder;
    const std::filesystem::path path = folder.path() / "run.sqlite";
    DatabaseMaker(path).run(some_kernels(3000)).close();
    const Result<RunPtr> whole = load_database(path);
    REQUIRE(whole);
    CHECK((*whole)->all_diagnostics().count("file-truncated") == 0);
    std::string bytes = bytes_of(path);
    constexpr std::size_t kPage = 4096;
    std::vector<std::size_t> inner;
    for (std::size_t page = kPage; page + kPage <= bytes.size(); page += kPage)
        if (bytes[page] == 5) inner.push_back(page);
    REQUIRE(inner.size() == 2);
    // The last leaf of one table becomes that of the other: rows still rise.
    bytes.replace(inner[0] + 8, 4, bytes.substr(inner[1] + 8, 4));
    write_bytes(path, bytes);
    const Result<RunPtr> run = load_database(path);
    REQUIRE(run);
    const Diagnostics all = (*run)->all_diagnostics();
    const auto is_cut = [](const Diagnostic& entry) { return entry.kind->id == "file-truncated"; };
    const auto entry = std::ranges::find_if(all.entries(), is_cut);
    REQUIRE(entry != all.entries().end());
    CHECK(entry->first.find("belongs to two places") != std::string::npos);
}
