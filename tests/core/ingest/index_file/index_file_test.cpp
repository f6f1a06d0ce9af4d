#include "core/ingest/index_file/index_places.hpp"
#include "core/sample/sample_run.hpp"
#include "core/store/sections.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/ingest/index_file/index_fixture.hpp"
#include "tests/core/ingest/load/ingest_fixture.hpp"
#include "tests/core/temp_folder.hpp"
#include "tests/core/trace_fixture.hpp"
#include "tests/corpus.hpp"

#include <bit>
#include <csignal>
#include <limits>
#include <random>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace core;
using namespace core::testing;
namespace fs = std::filesystem;

namespace {

const ClassRules& rules() { return ClassRules::standard(); }
constexpr SourceIdentity kSource{1, 2, 3};

RankTracePtr small_trace() {
    TraceFixture fixture;
    fixture.rank(3).step(0, 100, 1).step(100, 100, 2);
    for (int i = 0; i < 12; ++i) {
        const std::int64_t at = 16 * i;
        fixture.cpu(at, 15, "aten::mm").launch(at + 1, 2, i + 1).arg(Arg::InputDims, "[[1, 2]]");
        fixture.kernel(at + 5, 9, i % 3 == 0 ? "ncclDevKernel_AllReduce" : "gemm", 7 + i % 2, i + 1);
    }
    fixture.batch().text_store.add(0, 10, R"({"a": 1})", "");
    fixture.batch().counters.push_back({5, fixture.batch().pool.intern("100"), fixture.batch().pool.intern("memory"),
                                        fixture.batch().pool.intern("bytes"), 17.5});
    fixture.info().host = "node-1";
    fixture.info().metadata_json = R"({"schemaVersion": 1})";
    fixture.info().groups = {{"0", "default_pg", "nccl", 2, {0, 1}}};
    fixture.info().devices = {{0, "a GPU", 80}};
    fixture.info().environment = {{"cuda_driver_version", "12040"}};
    return fixture.build();
}

RankTracePtr random_trace(unsigned seed) {
    std::mt19937 random(seed);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    TraceFixture fixture;
    const int events = below(300);
    for (int i = 0; i < events; ++i) {
        const int at = below(5000), length = below(200);
        const std::string name = "name" + std::to_string(below(20));
        if (below(3) == 0)
            fixture.cpu(at, length, name, below(4));
        else if (below(2) == 0)
            fixture.kernel(at, length, below(3) == 0 ? "nccl" + name : name, 7 + below(3), below(50));
        else
            fixture.launch(at, length, below(50)).arg(Arg::InputDims, name);
    }
    if (below(2) == 0) fixture.step(0, 2500, 4).step(2500, 2500, 5);
    return fixture.build();
}

RankIndexPtr index_of_trace(RankTracePtr trace) { return std::make_shared<const RankIndex>(std::move(trace), rules()); }

// Reopened in full, or the reason why not.
Result<OpenedIndex> reopen(const fs::path& file, const std::optional<SourceIdentity>& source = kSource) {
    return open_index_file(file, "rank3.json", source, rules(), {}, IndexCheck::InFull);
}

RunPtr run_of_index(const RankIndexPtr& index) {
    RunParts parts;
    parts.names = std::make_shared<InternedNames>();
    parts.ranks.push_back({{0, 0}, {}, index, {}, parts.names->build_table(index->trace().names)});
    return std::make_shared<const Run>(std::move(parts));
}

// Every analysis as text; columns may make no sense.
std::string all_answers(const RankIndexPtr& index) {
    const RunPtr run = run_of_index(index);
    std::string text;
    for (const Analysis& analysis : all_analyses()) {
        const Result<Params> params = make_params(analysis, {});
        const Result<Answer> answer = run_analysis(analysis, *run, {}, *params, 1, {});
        text.append(analysis.id).append("\n");
        if (!answer) continue;
        for (const NamedTable& named : answer->tables) {
            for (const std::string& row : rows_of(named.table)) text.append(row).append("\n");
        }
    }
    return text;
}

void check_round_trip(const RankIndexPtr& index, const fs::path& file) {
    REQUIRE(write_index_file(file, *index, kSource, rules(), false, {}));
    const Result<OpenedIndex> opened = reopen(file);
    INFO((opened ? "" : opened.error().message));
    REQUIRE(opened);
    CHECK(opened->rebuilt.empty());
    CHECK(content_of(*opened->index) == content_of(*index));
    const RankTrace& before = index->trace();
    const RankTrace& after = opened->index->trace();
    CHECK(after.window == before.window);
    CHECK(after.info.rank == before.info.rank);
    CHECK(after.info.records == before.info.records);
    for (std::uint32_t e = 0; e < before.size(); e += 1 + static_cast<std::uint32_t>(before.size() / 50)) {
        const Result<EventText> a = before.event_text(EventId{e}), b = after.event_text(EventId{e});
        REQUIRE(a.has_value() == b.has_value());
        if (a) CHECK(a->arguments == b->arguments);
    }
}

// Written by a test: without the writer's certificate.
void put(const fs::path& file, std::string_view bytes) {
    fs::remove(file);
    write_bytes(file, bytes);
}

}  // namespace

TEST_CASE("an index file gives back every column, text, fact and answer") {
    const TempFolder folder;
    const fs::path file = folder.path() / "rank3.json.lockstep-index";
    const RankIndexPtr index = index_of_trace(small_trace());
    check_round_trip(index, file);
    const Result<OpenedIndex> opened = reopen(file);
    REQUIRE(opened);
    CHECK(all_answers(opened->index) == all_answers(index));
    CHECK(opened->index->trace().info.path == "rank3.json");
    CHECK(opened->index->trace().info.groups.front().ranks == std::vector<std::int32_t>{0, 1});
    CHECK(opened->index->trace().event_text(EventId{0}).has_value());
    for (unsigned seed = 0; seed < 60; ++seed) {
        const RankIndexPtr random = index_of_trace(random_trace(seed));
        check_round_trip(random, file);
        if (seed % 10 == 0) CHECK(all_answers(reopen(file)->index) == all_answers(random));
    }
    check_round_trip(index_of_trace(TraceFixture().build()), file);
}

TEST_CASE("an index file gives back the sample run, drawn from its pyramids as before") {
    const TempFolder folder;
    SampleOptions options;
    options.ranks = 2;
    REQUIRE(write_sample_run(folder.path(), options, {}));
    LoadProgress progress;
    const Result<RunPtr> run = load_run(std::vector{folder.path()}, {}, progress, {});
    REQUIRE(run);
    const RankIndexPtr& index = (*run)->rank(0).index;
    check_round_trip(index, folder.path() / "a.lockstep-index");
    const RankIndexPtr again = reopen(folder.path() / "a.lockstep-index")->index;
    const RankRange window = index->trace().window;
    for (std::size_t lane = 0; lane < index->trace().lanes.size(); ++lane) {
        std::vector<PixelColumn> before(500), after(500);
        const double ns_per_px = static_cast<double>(window.length().count()) / 500;
        index->pyramid(lane).collect_columns(index->trace(), index->classes(), window.begin, 0, ns_per_px, before);
        again->pyramid(lane).collect_columns(again->trace(), again->classes(), window.begin, 0, ns_per_px, after);
        for (std::size_t i = 0; i < before.size(); ++i) {
            CHECK(before[i].busy() == after[i].busy());
            CHECK(before[i].widest == after[i].widest);
        }
    }
}

TEST_CASE("every file of the corpus comes back equal from its index file") {
    if (!corpus_is_here()) return;
    const TempFolder folder;
    std::size_t files = 0;
    for (const fs::path& path : corpus_files()) {
        INFO(path.string());
        LoadProgress progress;
        const Result<RankTracePtr> trace = load_rank(path, progress, {});
        if (!trace) continue;
        check_round_trip(index_of_trace(*trace), folder.path() / "a.lockstep-index");
        ++files;
    }
    CHECK(files > 50);
}

TEST_CASE("a file with any one byte changed is refused, or nothing of it was used") {
    const TempFolder folder;
    const fs::path file = folder.path() / "a.lockstep-index";
    const RankIndexPtr index = index_of_trace(small_trace());
    REQUIRE(write_index_file(file, *index, kSource, rules(), false, {}));
    const std::string whole = read_bytes(file);
    const auto content = content_of(*index);
    std::size_t refused = 0;
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string bytes = whole;
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << at % 8));
        put(file, bytes);
        const Result<OpenedIndex> opened = open_index_file(file, "rank3.json", kSource, rules(), {});
        if (!opened) {
            ++refused;
            CHECK(opened.error().code == ErrorCode::BadInput);
            continue;
        }
        INFO(at);
        CHECK(content_of(*opened->index) == content);
    }
    CHECK(refused > whole.size() / 4);
}

TEST_CASE("a file that breaks off anywhere is refused") {
    const TempFolder folder;
    const fs::path file = folder.path() / "a.lockstep-index";
    REQUIRE(write_index_file(file, *index_of_trace(small_trace()), kSource, rules(), false, {}));
    const std::string whole = read_bytes(file);
    for (std::size_t size = 0; size < whole.size(); size += size < 1024 ? 1 : 61) {
        put(file, std::string_view(whole).substr(0, size));
        const Result<OpenedIndex> opened = open_index_file(file, "rank3.json", kSource, rules(), {});
        REQUIRE_FALSE(opened);
        CHECK(opened.error().code == ErrorCode::BadInput);
    }
    put(file, whole + std::string(64, '\0'));
    CHECK_FALSE(open_index_file(file, "rank3.json", kSource, rules(), {}));
}

TEST_CASE("a file that a forger made opens without harm, or not at all") {
    const TempFolder folder;
    const fs::path file = folder.path() / "a.lockstep-index";
    REQUIRE(write_index_file(file, *index_of_trace(small_trace()), kSource, rules(), false, {}));
    const std::string whole = read_bytes(file);
    std::mt19937 random(1);
    std::size_t opened_files = 0;
    for (int round = 0; round < 3000; ++round) {
        std::string bytes = whole;
        for (unsigned change = 0; change <= random() % 3; ++change) {
            const std::size_t at = index_layout::kTableAt + random() % (bytes.size() - index_layout::kTableAt);
            bytes[at] = static_cast<char>(random() % 4 == 0 ? 0xFF : random());
        }
        seal(bytes);
        put(file, bytes);
        const Result<OpenedIndex> opened = open_index_file(file, "rank3.json", std::nullopt, rules(), {});
        if (!opened) continue;
        ++opened_files;
        if (round % 10 == 0) CHECK_FALSE(all_answers(opened->index).empty());
        for (std::uint32_t e = 0; e < opened->index->trace().size(); ++e)
            (void)opened->index->trace().event_text(EventId{e}).has_value();
    }
    CHECK(opened_files > 10);
}

TEST_CASE("a forged file with times that overflow, or with a non-numeric counter, is refused") {
    const TempFolder folder;
    const fs::path file = folder.path() / "a.lockstep-index";
    REQUIRE(write_index_file(file, *index_of_trace(small_trace()), kSource, rules(), false, {}));
    const std::string whole = read_bytes(file);
    const auto with_values = [&](std::uint32_t id, std::size_t at, std::vector<std::int64_t> values) {
        std::string bytes = whole;
        const std::uint32_t sections = value_at<index_layout::Header>(whole, 0).sections;
        for (std::uint32_t i = 0; i < sections; ++i) {
            const auto entry =
                value_at<index_layout::Entry>(whole, index_layout::kTableAt + i * sizeof(index_layout::Entry));
            for (std::size_t k = 0; entry.id == id && k < values.size(); ++k)
                std::memcpy(bytes.data() + entry.offset + 8 * (at + k), &values[k], 8);
        }
        seal(bytes);
        put(file, bytes);
        const Result<OpenedIndex> opened = reopen(file);
        return opened ? opened->rebuilt + "opens" : opened.error().message;
    };
    constexpr std::int64_t kFar = std::int64_t{1} << 62;
    CHECK(with_values(section::kStart, 0, {}) == "opens");
    CHECK(with_values(section::kStart, 0, {-kFar, 0}).find("times") == std::string::npos);
    CHECK(with_values(section::kStart, 0, {-kFar - kFar}).find("times") != std::string::npos);
    CHECK(with_values(section::kDuration, 0, {kFar, kFar}).find("times") != std::string::npos);
    CHECK(with_values(section::kDuration, 0, {-1}).find("times") != std::string::npos);
    CHECK(with_values(section::kPartitionRange, 0, {-kFar - kFar, kFar}).find("lacks a part") == 0);
    CHECK(with_values(section::kPartitionRange, 1, {kFar}).find("lacks a part") == 0);
    CHECK(with_values(section::kCounterTimes, 0, {-kFar - kFar}).find("times") != std::string::npos);
    for (const double number : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        const auto bits = std::bit_cast<std::int64_t>(number);
        CHECK(with_values(section::kCounterValues, 0, {bits}).find("counters") != std::string::npos);
    }
    CHECK(with_values(section::kCounterValues, 0, {std::bit_cast<std::int64_t>(1e300)}) == "opens");
}

TEST_CASE("an index file of another source, machine or layout is refused with a word") {
    const TempFolder folder;
    const fs::path file = folder.path() / "a.lockstep-index";
    const RankIndexPtr index = index_of_trace(small_trace());
    REQUIRE(write_index_file(file, *index, kSource, rules(), false, {}));
    const std::string whole = read_bytes(file);
    const auto refusal = [&](const SourceIdentity& source) {
        const Result<OpenedIndex> opened = reopen(file, source);
        return opened ? std::string() : opened.error().message;
    };
    CHECK(refusal({1, 2, 3}).empty());
    CHECK(refusal({9, 2, 3}).find("older version") != std::string::npos);
    CHECK(refusal({1, 9, 3}).find("older version") != std::string::npos);
    CHECK(refusal({1, 2, 9}).find("older version") != std::string::npos);
    CHECK(reopen(file, std::nullopt).has_value());

    const auto refusal_with = [&](auto member, auto value) {
        auto header = value_at<index_layout::Header>(whole, 0);
        header.*member = value;
        header.checksum = index_layout::checksum_of(header);
        std::string bytes = whole;
        std::memcpy(bytes.data(), &header, sizeof header);
        put(file, bytes);
        return refusal(kSource);
    };
    using index_layout::Header;
    CHECK(refusal_with(&Header::endian, 0x04030201u).find("byte order") != std::string::npos);
    CHECK(refusal_with(&Header::layout_version, 77u).find("layout 77") != std::string::npos);
    CHECK(refusal_with(&Header::reading_version, 77u).find("another version") != std::string::npos);
    CHECK(reopen(file, std::nullopt)->other_program);  // but all there is without its trace
    put(file, "");
    CHECK(refusal(kSource) == "no index file");
    fs::remove(file);
    CHECK(reopen(file).error().code == ErrorCode::NotFound);
    CHECK_FALSE(reopen(folder.path()));
}

TEST_CASE("a file with a faulty derived part, or of other rules, is not certified by being opened") {
    const TempFolder folder;
    const fs::path file = folder.path() / "a.lockstep-index";
    const RankIndexPtr index = index_of_trace(small_trace());
    REQUIRE(write_index_file(file, *index, kSource, rules(), false, {}));
    std::string bytes = read_bytes(file);
    const std::uint32_t sections = value_at<index_layout::Header>(bytes, 0).sections;
    constexpr std::int64_t kFar = std::int64_t{1} << 62;
    for (std::uint32_t i = 0; i < sections; ++i) {
        const auto entry =
            value_at<index_layout::Entry>(bytes, index_layout::kTableAt + i * sizeof(index_layout::Entry));
        if (entry.id == section::kPartitionRange) std::memcpy(bytes.data() + entry.offset + 8, &kFar, 8);
    }
    seal(bytes);
    put(file, bytes);
    const ClassRules others = ClassRules::parse("memory if name-contains gemm").value();
    for (const ClassRules& of : {others, rules(), rules(), rules()}) {
        const Result<OpenedIndex> opened = open_index_file(file, "rank3.json", kSource, of, {});
        REQUIRE(opened);
        CHECK_FALSE(opened->rebuilt.empty());
    }
    CHECK(content_of(*open_index_file(file, "rank3.json", kSource, rules(), {})->index) == content_of(*index));
}

TEST_CASE("other class rules recompute the classes and nothing else") {
    const TempFolder folder;
    const fs::path file = folder.path() / "a.lockstep-index";
    const RankTracePtr trace = small_trace();
    REQUIRE(write_index_file(file, *index_of_trace(trace), kSource, rules(), false, {}));
    const ClassRules others = ClassRules::parse("memory if name-contains gemm").value();
    const Result<OpenedIndex> opened = open_index_file(file, "rank3.json", kSource, others, {});
    REQUIRE(opened);
    CHECK(opened->rebuilt.find("rules") != std::string::npos);
    CHECK(content_of(*opened->index) == content_of(RankIndex(trace, others)));
}

TEST_CASE("an unknown section is skipped and a missing one rebuilt") {
    const TempFolder folder;
    const fs::path file = folder.path() / "a.lockstep-index";
    const RankIndexPtr index = index_of_trace(small_trace());
    REQUIRE(write_index_file(file, *index, kSource, rules(), false, {}));
    const std::string whole = read_bytes(file);
    const auto with_section_renamed = [&](std::uint32_t from, std::uint32_t to) {
        using namespace index_layout;
        std::string bytes = whole;
        std::vector<Entry> table(value_at<Header>(bytes, 0).sections);
        std::memcpy(table.data(), bytes.data() + kTableAt, table.size() * sizeof(Entry));
        std::ranges::find(table, from, &Entry::id)->id = to;
        std::ranges::sort(table, {}, &Entry::id);
        std::memcpy(bytes.data() + kTableAt, table.data(), table.size() * sizeof(Entry));
        seal(bytes);
        put(file, bytes);
        return reopen(file);
    };
    for (const std::uint32_t part :
         {section::kClasses, section::kTreeStarts, section::kTreeEnds, section::kPartitionRange,
          section::kPartitionSets, section::kPyramidLanes, section::kPyramidBlocks}) {
        INFO(part);
        const Result<OpenedIndex> opened = with_section_renamed(part, 5000);
        REQUIRE(opened);
        CHECK_FALSE(opened->rebuilt.empty());
        CHECK(content_of(*opened->index) == content_of(*index));
        CHECK(all_answers(opened->index) == all_answers(index));
    }
    CHECK_FALSE(with_section_renamed(section::kDuration, 5000));
    CHECK_FALSE(with_section_renamed(section::kFacts, 5000));
}

TEST_CASE("a file is checked in full until someone has, and after any change") {
    const TempFolder folder;
    const fs::path file = folder.path() / "a.lockstep-index";
    REQUIRE(write_index_file(file, *index_of_trace(small_trace()), kSource, rules(), false, {}));
    const std::optional<FileStatus> status = find_file_status(file);
    REQUIRE(status);
    if (!index_layout::certificate_for(*status, 0)) {
        MESSAGE("skipped: this system does not tell when it started");
        return;
    }
    const auto opens = [](const fs::path& path) {
        return open_index_file(path, "rank3.json", kSource, rules(), {}).has_value();
    };
    // Changes the last byte of the metadata and restores its times, as only a malicious program does.
    const auto change_unseen = [&](const fs::path& path) {
        const std::string bytes = read_bytes(path);
        const fs::file_time_type time = fs::last_write_time(path);
        std::fstream stream(path, std::ios::in | std::ios::out | std::ios::binary);
        const std::size_t at = bytes.find("schemaVersion");
        stream.seekp(static_cast<std::streamoff>(at));
        stream.put('S');
        stream.close();
        fs::last_write_time(path, time);
    };
    const fs::path copy = folder.path() / "b.lockstep-index";
    fs::copy_file(file, copy);
    change_unseen(file);
    CHECK(opens(file));  // certified by who wrote it
    CHECK_FALSE(reopen(file));
    fs::last_write_time(file, fs::file_time_type::clock::now());
    CHECK_FALSE(opens(file));

    const fs::path damaged_copy = folder.path() / "c.lockstep-index";
    fs::copy_file(copy, damaged_copy);
    change_unseen(damaged_copy);
    CHECK_FALSE(opens(damaged_copy));  // the certificate is of another file
    CHECK(opens(copy));
    change_unseen(copy);
    CHECK(opens(copy));  // certified by who checked it
    CHECK_FALSE(reopen(copy));
}

TEST_CASE("a writer that is killed leaves the old state") {
    const TempFolder folder;
    const fs::path file = folder.path() / "a.lockstep-index";
    const RankIndexPtr index = index_of_trace(small_trace());
    const auto content = content_of(*index);
    std::mt19937 random(5);
    for (int round = 0; round < 25; ++round) {
        const pid_t child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            for (;;) (void)write_index_file(file, *index, kSource, rules(), false, {}).has_value();
        }
        ::usleep(static_cast<useconds_t>(random() % 4000));
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        const Result<OpenedIndex> opened = open_index_file(file, "rank3.json", kSource, rules(), {});
        if (!opened)
            CHECK(opened.error().code == ErrorCode::NotFound);
        else
            CHECK(content_of(*opened->index) == content);
        if (round % 5 == 4) fs::remove(file);
    }
}

TEST_CASE("what cannot be written leaves nothing behind") {
    const TempFolder folder;
    const RankIndexPtr index = index_of_trace(small_trace());
    const fs::path taken = folder.path() / "a.lockstep-index";
    fs::create_directories(taken / "inside");
    CHECK(write_index_file(taken, *index, kSource, rules(), false, {}).error().code == ErrorCode::Io);
    CHECK_FALSE(write_index_file(folder.path() / "none" / "a.lockstep-index", *index, kSource, rules(), false, {}));
    std::stop_source stop;
    stop.request_stop();
    const fs::path other = folder.path() / "b.lockstep-index";
    CHECK(write_index_file(other, *index, kSource, rules(), false, {stop.get_token()}).error().code ==
          ErrorCode::Cancelled);
    CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 1);
    CHECK(write_index_file(other, *index, kSource, rules(), true, {}).has_value());
}

TEST_CASE("a source is known by its size, its time and its ends") {
    const TempFolder folder;
    const fs::path file = folder.path() / "a.json";
    std::string bytes(300'000, 'x');
    write_bytes(file, bytes);
    const fs::file_time_type time = fs::last_write_time(file);
    const SourceIdentity before = identify_source(file).value();
    CHECK(before.bytes == 300'000);
    const auto after = [&](std::size_t at) {
        std::string changed = bytes;
        changed[at] = 'y';
        write_bytes(file, changed);
        fs::last_write_time(file, time);
        return identify_source(file).value();
    };
    CHECK(after(150'000) == before);
    CHECK(after(0) != before);
    CHECK(after(65'535) != before);
    CHECK(after(299'999) != before);
    write_bytes(file, bytes);
    fs::last_write_time(file, time);
    CHECK(identify_source(file).value() == before);
    fs::last_write_time(file, time + std::chrono::nanoseconds(1'000'000));
    CHECK(identify_source(file).value() != before);
    write_bytes(file, "");
    CHECK(identify_source(file).value().bytes == 0);
    CHECK_FALSE(identify_source(folder.path()));
    CHECK_FALSE(identify_source(folder.path() / "none"));
}

TEST_CASE("the certificate of a file that another user wrote is not believed") {
    if (::geteuid() != 0) {
        MESSAGE("skipped: only the superuser can give files away");
        return;
    }
    constexpr ::uid_t kAnother = 12345;
    const TempFolder folder;
    REQUIRE(::chmod(folder.path().c_str(), 0755) == 0);
    const fs::path file = folder.path() / "a.lockstep-index";
    REQUIRE(write_index_file(file, *index_of_trace(small_trace()), kSource, rules(), false, {}));
    REQUIRE(::chmod(file.c_str(), 0644) == 0);
    REQUIRE(open_index_file(file, "rank3.json", kSource, rules(), {}));
    struct stat before {};
    REQUIRE(::stat(file.c_str(), &before) == 0);
    // A byte of a name changes; the time that the certificate names stays.
    std::string bytes = read_bytes(file);
    const std::size_t name = bytes.find("ncclDevKernel");
    REQUIRE(name != std::string::npos);
    bytes[name] = 'm';
    std::fstream(file, std::ios::binary | std::ios::in | std::ios::out) << bytes;
    const ::timespec times[] = {before.st_atim, before.st_mtim};
    REQUIRE(::utimensat(AT_FDCWD, file.c_str(), times, 0) == 0);
    CHECK(open_index_file(file, "rank3.json", kSource, rules(), {}));
    REQUIRE(::chown(file.c_str(), kAnother, kAnother) == 0);
    REQUIRE(::seteuid(kAnother + 1) == 0);
    const Result<OpenedIndex> opened = open_index_file(file, "rank3.json", kSource, rules(), {});
    REQUIRE(::seteuid(0) == 0);
    REQUIRE_FALSE(opened);
    CHECK(opened.error().message.find("is damaged") != std::string::npos);
}
