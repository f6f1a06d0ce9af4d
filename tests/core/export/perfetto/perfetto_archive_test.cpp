// The archive for Perfetto: its members by their headers, the clocks of its manifest, and the traces inside read back.

#include "core/export/perfetto/perfetto_archive.hpp"

#include "core/collectives/choose_clocks.hpp"
#include "core/collectives/waits.hpp"
#include "core/export/perfetto/tar_writer.hpp"
#include "core/ingest/load/load_run.hpp"
#include "core/query/filter_text.hpp"
#include "core/sample/sample_run.hpp"
#include "tests/core/temp_folder.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <set>
#include <sstream>

using namespace core;
using namespace core::testing;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

std::string bytes_of(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

std::uint64_t octal(std::string_view field) {
    return std::stoull(std::string(field.substr(0, field.find('\0'))), nullptr, 8);
}

struct Member {
    std::string name, bytes;
};

// Reads an archive as its specification says; each header's checksum is checked.
std::vector<Member> read_tar(const std::string& archive) {
    REQUIRE(archive.size() % 512 == 0);
    std::vector<Member> members;
    std::size_t at = 0;
    while (archive[at] != '\0') {
        std::string header = archive.substr(at, 512);
        CHECK(header.substr(257, 8) == std::string("ustar\00000", 8));
        const std::uint64_t checksum = octal(std::string_view(header).substr(148, 8));
        header.replace(148, 8, 8, ' ');
        std::uint64_t sum = 0;
        for (const char c : header) sum += static_cast<unsigned char>(c);
        CHECK(sum == checksum);
        const std::uint64_t size = octal(std::string_view(header).substr(124, 12));
        members.push_back({header.substr(0, header.find('\0')), archive.substr(at + 512, size)});
        at += 512 + (size + 511) / 512 * 512;
        REQUIRE(at < archive.size());
    }
    CHECK(archive.size() - at == 1024);
    CHECK(archive.find_first_not_of('\0', at) == std::string::npos);
    return members;
}

RunPtr load_path(const fs::path& path) {
    LoadProgress progress;
    LoadOptions options;
    options.index_files = IndexFiles::Ignore;
    const fs::path paths[] = {path};
    const Result<RunPtr> run = load_run(paths, options, progress, {});
    REQUIRE_MESSAGE(run, (run ? "" : run.error().message));
    return *run;
}

RunPtr write_and_load(const TempFolder& folder, SampleOptions options) {
    const fs::path path = folder.path() / "run";
    REQUIRE(write_sample_run(path, options, {}));
    return with_clocks(load_path(path), ClockChoice::Aligned);
}

ArchiveSummary archive_of(const Run& run, const fs::path& out, std::string_view filter_text = "") {
    const Result<Filter> filter = parse_filter(filter_text);
    REQUIRE(filter);
    const Result<ArchiveSummary> summary = write_perfetto_archive(run, *filter, out, {}, 2, {});
    REQUIRE_MESSAGE(summary, (summary ? "" : summary.error().message));
    return *summary;
}

SampleOptions small_sample() { return {.ranks = 3, .tensor_parallel = 1, .steps = 2, .layers = 1}; }

}  // namespace

TEST_CASE("the archive has every rank's trace as recorded, and the manifest's offsets put them on the run's clock") {
    const TempFolder folder;
    SampleOptions options = small_sample();
    options.faults.clock_spread_ns = 4'000'000;
    const RunPtr run = write_and_load(folder, options);
    REQUIRE(run->rank(1).clock.offset != run->rank(0).clock.offset);
    const fs::path out = folder.path() / "run.tar";
    const ArchiveSummary summary = archive_of(*run, out);
    const std::vector<Member> members = read_tar(bytes_of(out));
    REQUIRE(members.size() == 4);
    CHECK(members[0].name == "perfetto_manifest.json");
    const nlohmann::json manifest = nlohmann::json::parse(members[0].bytes)["perfetto_manifest"];
    CHECK(manifest["version"] == 1);
    REQUIRE(manifest["files"].size() == 3);
    for (std::size_t slot = 0; slot < 3; ++slot) {
        const nlohmann::json& entry = manifest["files"][slot];
        const Member& member = members[slot + 1];
        CHECK(entry["path"] == member.name);
        CHECK(entry["machine"]["name"] == "rank " + std::to_string(slot));
        CHECK(summary.ranks[slot].bytes == member.bytes.size());
        const auto offset = entry["clocks"]["offset_ns"].get<std::int64_t>();

        const fs::path extracted = folder.path() / member.name;
        std::ofstream(extracted, std::ios::binary) << member.bytes;
        const RunPtr read = load_path(extracted);
        const RankTrace& own = read->rank(0).trace();
        const RankTrace& source = run->rank(slot).trace();
        std::multiset<std::pair<std::int64_t, std::string_view>> expected, found;  // recorded times and names
        for (std::uint32_t e = 0; e < source.size(); ++e) {
            const std::int64_t in_file = ns_of(source.start[e]) - source.info.base_time_ns;
            expected.emplace(in_file, source.name_text(EventId{e}));
            const std::int64_t run_time = ns_of(run->start_of({static_cast<std::uint32_t>(slot), EventId{e}}));
            CHECK(std::abs(run_time - (in_file + offset)) <= summary.ranks[slot].left_by_drift.count() + 1);
        }
        for (std::uint32_t e = 0; e < own.size(); ++e) {
            if (own.category_text(EventId{e}) == kAddedCategory) continue;
            found.emplace(ns_of(own.start[e]) - own.info.base_time_ns, own.name_text(EventId{e}));
        }
        CHECK(found == expected);
        CHECK(summary.ranks[slot].left_by_drift < 100us);
    }
}

TEST_CASE("a clock that drifts is exact in the middle, and what is left at the ends is said") {
    const TempFolder folder;
    SampleOptions options = small_sample();
    options.steps = 8;
    options.faults.clock_drift_ppb = 40'000;
    const RunPtr run = write_and_load(folder, options);
    const ArchiveSummary summary = archive_of(*run, folder.path() / "run.tar");
    std::size_t drifting = 0;
    for (const ArchivedRank& rank : summary.ranks) {
        const RankSlot& slot = run->rank(rank.slot);
        const double length = static_cast<double>(slot.trace().window.length().count());
        CHECK(static_cast<double>(rank.left_by_drift.count()) ==
              doctest::Approx(std::abs(slot.clock.drift) * length / 2).epsilon(0.01).scale(1000));
        drifting += rank.left_by_drift.count() > 100;
    }
    CHECK(drifting > 0);
}

TEST_CASE(
    "an archive has the filter's ranks, is the same bytes each time, and is refused where it would lose something") {
    const TempFolder folder;
    const RunPtr run = write_and_load(folder, small_sample());
    const fs::path one = folder.path() / "one.tar", two = folder.path() / "two.tar";
    CHECK(archive_of(*run, one, "rank:1-2").ranks.size() == 2);
    archive_of(*run, two, "rank:1-2");
    CHECK(bytes_of(one) == bytes_of(two));

    const fs::path trace = run->rank(0).trace().info.path;
    const std::string before = bytes_of(trace);
    const InputFiles inputs([&] { return std::vector<fs::path>{trace}; });
    CHECK_FALSE(write_perfetto_archive(*run, {}, trace, inputs, 1, {}));
    CHECK(bytes_of(trace) == before);

    const Result<Filter> nobody = parse_filter("rank:7");
    REQUIRE(nobody);
    const fs::path none = folder.path() / "none.tar";
    CHECK_FALSE(write_perfetto_archive(*run, *nobody, none, {}, 1, {}));
    std::stop_source stopped;
    stopped.request_stop();
    CHECK_FALSE(write_perfetto_archive(*run, {}, none, {}, 1, {.stop = stopped.get_token()}));
    CHECK_FALSE(fs::exists(none));
}

TEST_CASE("sizes beyond octal digits are binary") {
    const TempFolder folder;
    const fs::path path = folder.path() / "head";
    Result<OutputFile> file = OutputFile::create(path);
    REQUIRE(file);
    TarWriter tar(*file);
    tar.begin_member("large", (std::uint64_t{1} << 33) + 5);
    REQUIRE(file->commit());
    const std::string header = bytes_of(path);
    REQUIRE(header.size() == 512);
    CHECK(header.substr(124, 12) == std::string("\x80\0\0\0\0\0\0\x02\0\0\0\x05", 12));
}
