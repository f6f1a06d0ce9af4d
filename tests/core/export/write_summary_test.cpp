// Run summaries: answers of a summary against those of its run.

#include "core/export/write_summary.hpp"

#include "core/analysis/run/summary_answers.hpp"
#include "core/collectives/choose_clocks.hpp"
#include "core/collectives/waits.hpp"
#include "core/doctor/doctor.hpp"
#include "core/doctor/losses.hpp"
#include "core/export/report/run_facts.hpp"
#include "core/ingest/index_file/pack_sections.hpp"
#include "core/ingest/load/load_run.hpp"
#include "core/query/filter_text.hpp"
#include "core/sample/sample_run.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/cluster/thread_channels.hpp"
#include "tests/core/ingest/index_file/summary_fixture.hpp"
#include "tests/core/temp_folder.hpp"
#include "tests/core/trace_fixture.hpp"

#include <atomic>
#include <cmath>
#include <fstream>
#include <iterator>
#include <random>

using namespace core;
using namespace core::testing;
namespace fs = std::filesystem;

namespace {

RunPtr load(const fs::path& path) {
    LoadProgress progress;
    const fs::path paths[] = {path};
    const Result<RunPtr> run = load_run(paths, {}, progress, {});
    REQUIRE_MESSAGE(run, (run ? std::string() : run.error().message));
    return *run;
}

std::string why_not(const fs::path& path) {
    LoadProgress progress;
    const fs::path paths[] = {path};
    const Result<RunPtr> run = load_run(paths, {}, progress, {});
    return run ? std::string() : run.error().message;
}

SampleOptions small_sample() {
    SampleOptions options;
    options.ranks = 8;
    options.steps = 4;
    options.layers = 3;
    return options;
}

// A run in memory, and its summary opened.
struct Pair {
    explicit Pair(RunPtr recorded)
        : full(with_clocks(recorded, ClockChoice::Auto)), file(folder.path() / kSummaryFileName) {
        const Result<std::uint64_t> written = write_summary(recorded, file, 2, {});
        REQUIRE_MESSAGE(written, (written ? std::string() : written.error().message));
        CHECK(*written == fs::file_size(file));
        summary = with_clocks(load(file), ClockChoice::Auto);
    }
    TempFolder folder;
    RunPtr full;
    fs::path file;
    RunPtr summary;
};

RunPtr sample_of(const SampleOptions& options) {
    const TempFolder folder;
    REQUIRE(write_sample_run(folder.path(), options, {}));
    return load(folder.path());
}

// The cells of a table except events, which a summary lacks.
std::vector<std::string> rows_without_events(const Table& table) {
    std::vector<std::string> rows;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        std::string text;
        for (std::size_t c = 0; c < table.columns().size(); ++c) {
            const Unit unit = table.columns()[c].unit;
            text += '|';
            if (unit == Unit::Event || table.absent(row, c)) continue;
            text += unit == Unit::Text ? std::string(table.text(row, c))
                    : is_integer(unit) ? std::to_string(table.integer(row, c))
                                       : std::to_string(std::bit_cast<std::uint64_t>(table.number(row, c)));
        }
        rows.push_back(std::move(text));
    }
    return rows;
}

void check_same_answers(const Pair& pair, const Analysis& analysis, std::string_view filter_text = "") {
    INFO(analysis.id << " of " << filter_text);
    const Answer full = answer_of(*pair.full, analysis.id, filter_text);
    const Answer kept = answer_of(*pair.summary, analysis.id, filter_text);
    REQUIRE(full.tables.size() == kept.tables.size());
    for (std::size_t i = 0; i < full.tables.size(); ++i) {
        CHECK(full.tables[i].name == kept.tables[i].name);
        CHECK(full.tables[i].table.columns() == kept.tables[i].table.columns());
        CHECK(rows_without_events(full.tables[i].table) == rows_without_events(kept.tables[i].table));
    }
    CHECK(full.excluded.size() == kept.excluded.size());
}

std::size_t check_all_answers(const Pair& pair) {
    std::size_t checked = 0;
    for (const Analysis& analysis : all_analyses()) {
        const InSummary use = analysis.in_summary;
        if (use == InSummary::Nothing) continue;
        check_same_answers(pair, analysis);
        if (use != InSummary::OfRun) check_same_answers(pair, analysis, "rank:0");
        ++checked;
    }
    return checked;
}

// Ranks that compute, communicate, copy and wait at random.
RunPtr random_run(unsigned seed) {
    std::mt19937 random(seed);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    const int ranks = 1 + below(4), rounds = 1 + below(30), steps = below(4);
    std::vector<RankTracePtr> traces;
    for (int rank = 0; rank < ranks; ++rank) {
        TraceFixture fixture;
        fixture.rank(rank);
        std::int64_t at = 1'000 + below(5'000), correlation = 1;
        for (int step = 0; step < steps; ++step) fixture.step(1'000'000 * step, 1'000'000, step + 5);
        for (int i = 0; i < rounds; ++i) {
            fixture.cpu(at, 50'000, "aten::mm").launch(at + 10, 200, correlation);
            fixture.kernel(at + below(3'000), 1'000 + below(20'000), below(2) == 0 ? "gemm" : "relu", 7, correlation++);
            const std::int64_t arrival = at + 20'000 + below(9'000);
            fixture.launch(at + 300, 100, correlation);
            fixture.kernel(arrival, at + 40'000 - arrival, "ncclDevKernel_AllReduce_Sum_bf16", 20, correlation++);
            fixture.arg(Arg::CollectiveName, "allreduce").arg(Arg::Seq, i).arg(Arg::InElements, 1024 << below(4));
            fixture.arg(Arg::CollectiveDtype, "BFloat16").arg(Arg::GroupName, "0");
            fixture.arg(Arg::GroupSize, ranks).arg(Arg::GroupRanks, ranks == 1 ? "[0]" : "[0, 1]");
            if (below(3) == 0) fixture.kernel(at + 41'000, below(3'000), "Memcpy DtoH", 21, -1, "gpu_memcpy");
            at += 60'000 + below(200'000);
        }
        fixture.info().world_size = ranks;
        traces.push_back(fixture.build());
    }
    return run_of(traces);
}

}  // namespace

TEST_CASE("a summary of the sample gives the answers of its run, bit for bit") {
    SampleOptions options = small_sample();
    SUBCASE("as it is") {}
    SUBCASE("a pipeline of two stages") { options.stages = 2; }
    SUBCASE("sharded, with experts and a slow link") {
        options.faults.sharded = options.faults.experts = options.faults.slow_link = true;
    }
    SUBCASE("clocks that drift, lost records, a late window") {
        options.faults.clock_drift_ppb = 2'000;
        options.faults.clock_spread_ns = 900'000;
        options.faults.lost_records = options.faults.late_window = true;
    }
    const Pair pair(sample_of(options));
    CHECK(check_all_answers(pair) >= 20);
    const Analysis& breakdown = *find_analysis("temporal-breakdown");
    for (const Step& step : pair.full->rank(0).trace().steps) {
        const std::string of_step = "step:" + std::to_string(step.number);
        check_same_answers(pair, breakdown, of_step);
        check_same_answers(pair, *find_analysis("kernels"), of_step);
        check_same_answers(pair, breakdown, of_step + " rank:1-2");
    }
}

TEST_CASE("summaries of small random runs give the answers of their runs") {
    for (unsigned seed = 1; seed <= 20; ++seed) {
        INFO("seed " << seed);
        const Pair pair(random_run(seed));
        check_all_answers(pair);
    }
}

TEST_CASE("a summary refuses what needs single events, filters and parameters, and says what to open instead") {
    const Pair pair(sample_of(small_sample()));
    const auto error_of = [&](std::string_view id, std::string_view filter_text, const GivenParams& given) {
        const Analysis& analysis = *find_analysis(id);
        const Result<Answer> answer =
            run_analysis(analysis, *pair.summary, *parse_filter(filter_text), *make_params(analysis, given), 2, {});
        return answer ? std::string() : answer.error().message;
    };
    for (const Analysis& analysis : all_analyses()) {
        if (analysis.in_summary != InSummary::Nothing) continue;
        INFO(analysis.id);
        CHECK(error_of(analysis.id, "", {}).find("open the run's traces or index files") != std::string::npos);
    }
    CHECK(error_of("temporal-breakdown", "rank:1-3", {}).empty());
    CHECK(error_of("temporal-breakdown", "step:2-3", {}).find("step:N and ranks can be chosen") != std::string::npos);
    CHECK(error_of("overlap", "step:2", {}).find("for all events only") != std::string::npos);
    CHECK(error_of("temporal-breakdown", "", {{"window", "steps"}}).find("standard parameters") != std::string::npos);
    CHECK(error_of("stragglers", "rank:1-3", {}).find("all of its ranks together") != std::string::npos);
    CHECK(error_of("collectives", "class:communication", {}).find("for all events only: ranks can be chosen") !=
          std::string::npos);
}

TEST_CASE("a summary opens on the clocks that were chosen when it was written, unmatched, and has the recorded ones") {
    SampleOptions options = small_sample();
    options.faults.clock_drift_ppb = 2'000;
    options.faults.clock_spread_ns = 900'000;
    const RunPtr recorded = sample_of(options);
    const Pair pair(recorded);
    REQUIRE(is_aligned(*pair.full));
    const RunPtr opened = load(pair.file);
    CHECK_FALSE(opened->derived().find<MatchedRun>());
    CHECK(has_kept_clocks(*opened));
    CHECK(has_same_clocks(*opened, *pair.full));
    CHECK(with_clocks(opened, ClockChoice::Auto) == opened);
    CHECK_FALSE(opened->derived().find<MatchedRun>());
    const RunPtr back = with_clocks(opened, ClockChoice::Recorded);
    CHECK(has_same_clocks(*back, *recorded));
    CHECK_FALSE(is_aligned(*back));
    CHECK_FALSE(has_kept_clocks(*back));
    CHECK(has_same_clocks(*with_clocks(back, ClockChoice::Auto), *pair.full));
    CHECK(has_same_clocks(*with_clocks(opened, ClockChoice::Aligned), *with_clocks(recorded, ClockChoice::Aligned)));
}

TEST_CASE("a summary says of its run what the run says of itself, and what it is") {
    const Pair pair(sample_of(small_sample()));
    CHECK(pair.summary->event_count() == pair.full->event_count());
    CHECK(pair.summary->window() == pair.full->window());
    CHECK(is_summary(*pair.summary));
    CHECK_FALSE(is_summary(*pair.full));
    REQUIRE(pair.summary->summary_resolution());
    CHECK(format_resolution(*pair.summary->summary_resolution()) == "1 ms");
    const Result<DoctorReport> own = examine_run(*pair.full, 2, {}), kept = examine_run(*pair.summary, 2, {});
    REQUIRE(own);
    REQUIRE(kept);
    CHECK(kept->rank_stats.text() == own->rank_stats.text());
    REQUIRE(kept->findings.size() == own->findings.size());
    for (std::size_t i = 0; i < own->findings.size(); ++i) {
        CHECK(kept->findings[i].text == own->findings[i].text);
        CHECK(kept->findings[i].rule == own->findings[i].rule);
        CHECK(kept->findings[i].example.text == own->findings[i].example.text);
    }
    const RunFacts facts = collect_facts(*pair.full, *own), of_summary = collect_facts(*pair.summary, *kept);
    CHECK(facts.events == of_summary.events);
    CHECK(facts.categories == of_summary.categories);
    CHECK(facts.span == of_summary.span);
    CHECK(facts.summary.empty());
    CHECK(of_summary.summary.find("1 ms") != std::string::npos);
    for (std::size_t slot = 0; slot < facts.ranks.size(); ++slot) {
        CHECK(facts.ranks[slot].gpu_events == of_summary.ranks[slot].gpu_events);
        CHECK(facts.ranks[slot].streams == of_summary.ranks[slot].streams);
        CHECK(facts.ranks[slot].steps == of_summary.ranks[slot].steps);
        CHECK(facts.ranks[slot].gpu_span == of_summary.ranks[slot].gpu_span);
    }
    CHECK_FALSE(write_summary(pair.summary, pair.folder.path() / "again.lockstep-summary", 1, {}));
}

TEST_CASE("a summary that is cut, of another version or of another program is refused with the reason") {
    const Pair pair(sample_of(small_sample()));
    const std::string whole = read_bytes(pair.file);
    const fs::path file = pair.folder.path() / "other.lockstep-summary";
    const auto refusal = [&](const std::string& bytes) {
        write_bytes(file, bytes);
        return why_not(file);
    };
    CHECK(refusal(whole).empty());
    for (const std::size_t size :
         {std::size_t{16}, std::size_t{100}, std::size_t{256}, whole.size() / 2, whole.size() - 1}) {
        const std::string why = refusal(whole.substr(0, size));
        CHECK(why.find("other.lockstep-summary") != std::string::npos);
        CHECK(why.find("copy it again") != std::string::npos);
    }
    std::string bytes = whole;
    auto header = value_at<SummaryHeader>(bytes, 0);
    header.layout_version = 99;
    put_at(bytes, 0, header);
    CHECK(refusal(bytes).find("of layout 99, this program reads layout " + std::to_string(kSummaryLayoutVersion)) !=
          std::string::npos);
    header = value_at<SummaryHeader>(whole, 0);
    header.reading_version = 7;
    header.checksum = checksum_of(header);
    put_at(bytes, 0, header);
    CHECK(refusal(bytes).find("reading version 7") != std::string::npos);
    header = value_at<SummaryHeader>(whole, 0);
    header.rules_hash ^= 1;
    header.checksum = checksum_of(header);
    put_at(bytes, 0, header);
    CHECK(refusal(bytes).find("other kernel class rules") != std::string::npos);
    bytes = whole;
    bytes[kSummaryTableAt] = static_cast<char>(bytes[kSummaryTableAt] ^ 1);
    CHECK(refusal(bytes).find("its table is damaged") != std::string::npos);
    bytes = whole;
    bytes[40] = static_cast<char>(bytes[40] ^ 1);
    CHECK(refusal(bytes).find("damaged") != std::string::npos);
}

TEST_CASE("a damaged rank of a summary is named with its place, and the others open") {
    const Pair pair(sample_of(small_sample()));
    for (const std::size_t broken : {std::size_t{0}, std::size_t{3}}) {
        INFO("rank " << broken);
        std::string bytes = read_bytes(pair.file);
        const auto entry = value_at<SummaryEntry>(bytes, kSummaryTableAt + broken * sizeof(SummaryEntry));
        bytes[entry.place.offset + 50] = static_cast<char>(bytes[entry.place.offset + 50] ^ 1);
        const fs::path file = pair.folder.path() / "broken.lockstep-summary";
        write_bytes(file, bytes);
        const RunPtr run = load(file);
        CHECK(run->ranks().size() == pair.full->ranks().size() - 1);
        const Diagnostics all = run->all_diagnostics();
        REQUIRE(all.count("summary-damaged") == 1);
        for (const Diagnostic& one : all.entries()) {
            if (one.kind->id != "summary-damaged") continue;
            CHECK(one.first.find("broken.lockstep-summary") != std::string::npos);
            CHECK(one.first.find("rank " + std::to_string(broken) + ", at byte ") != std::string::npos);
        }
        const Result<DoctorReport> report = examine_run(*run, 1, {});
        REQUIRE(report);
        CHECK(report->findings.front().rule->id == "summary-damaged");
        CHECK(report->rank_stats.missing.empty());
        const std::shared_ptr<const Losses> losses = find_losses(*run);
        CHECK(losses->text(9) == "rank " + std::to_string(broken) + ": damaged in the summary: copy the summary again");
        CHECK(losses->headline() == "rank " + std::to_string(broken) + " is damaged");
        const Analysis& stragglers = *find_analysis("stragglers");
        const Result<Answer> refused = run_analysis(stragglers, *run, {}, *make_params(stragglers, {}), 1, {});
        REQUIRE_FALSE(refused);
        CHECK(refused.error().message.find("1 rank of the run summary is damaged") != std::string::npos);
        CHECK(answer_of(*run, "matching").main().rows() > 0);
    }
}

TEST_CASE("bytes of a summary changed at random, with every checksum made right, never crash") {
    const Pair pair(random_run(3));
    const std::string whole = read_bytes(pair.file);
    const auto header = value_at<SummaryHeader>(whole, 0);
    const fs::path file = pair.folder.path() / "forged.lockstep-summary";
    std::mt19937 random(5);
    std::size_t opened = 0;
    for (int round = 0; round < 300; ++round) {
        std::string bytes = whole;
        const std::size_t rank = random() % header.ranks;
        const std::size_t at = kSummaryTableAt + rank * sizeof(SummaryEntry);
        auto entry = value_at<SummaryEntry>(bytes, at);
        // Unpacked, changed and packed again, as a forger would.
        const auto packed = std::as_bytes(std::span(bytes)).subspan(entry.place.offset, entry.place.bytes);
        const Result<UnpackedSections> sections = unpack_sections(packed, entry.place.raw_bytes);
        REQUIRE(sections);
        SectionList list;
        const Blob all = sections->all();
        list.add_all(all);
        const BlobSection& chosen = sections->sections[random() % sections->sections.size()];
        if (chosen.bytes == 0) continue;
        auto* const changed = const_cast<std::byte*>(all.bytes(chosen).data());
        for (unsigned i = 0; i <= random() % 3; ++i)
            changed[random() % chosen.bytes] = static_cast<std::byte>(random() % 256);
        const PackedSections forged = pack_sections(list);
        entry.place = {
            .offset = bytes.size(), .bytes = forged.bytes.size(), .raw_bytes = forged.raw_bytes, .checksum = 0};
        bytes += forged.bytes;
        put_at(bytes, at, entry);
        seal_summary(bytes);
        write_bytes(file, bytes);
        LoadProgress progress;
        const fs::path paths[] = {file};
        const Result<RunPtr> run = load_run(paths, {}, progress, {});
        if (!run) continue;
        ++opened;
        for (const std::string_view id : {"collectives", "steps", "temporal-breakdown", "findings", "matching"}) {
            const Analysis& analysis = *find_analysis(id);
            (void)run_analysis(analysis, **run, {}, *make_params(analysis, {}), 1, {}).has_value();
        }
        (void)examine_run(**run, 1, {}).has_value();
    }
    CHECK(opened > 30);
}

TEST_CASE("a rank of a summary takes a bounded part of what its trace had") {
    SampleOptions options = small_sample();
    options.ranks = 4;
    options.events = 200'000;
    const Pair pair(sample_of(options));
    const double per_rank = static_cast<double>(fs::file_size(pair.file)) / 4;
    const double events = static_cast<double>(pair.full->event_count()) / 4;
    // 100 KB at 1 M events, plus an allowance for constant parts.
    CHECK(per_rank < 25'000 + events * 0.1);
}

TEST_CASE("processes that share the ranks of a summary write what one process writes, to the byte") {
    const TempFolder folder;
    SampleOptions options = small_sample();
    options.ranks = 24;
    options.steps = 2;
    const RunPtr run = sample_of(options);
    const fs::path alone = folder.path() / "alone", together = folder.path() / "together";
    const Result<std::uint64_t> bytes = write_summary(run, alone, 1, {});
    REQUIRE(bytes);
    const auto read = [](const fs::path& file) {
        std::ifstream in(file, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(in), {});
    };
    REQUIRE(write_summary(run, together, 4, {}));
    CHECK((read(together) == read(alone)));
    for (const int count : {1, 2, 5}) {
        CAPTURE(count);
        std::atomic<int> right{0};
        ThreadChannels::run(count, [&](Team& team) {
            const RunPtr own = std::make_shared<const Run>(run->parts());
            const Result<std::uint64_t> written = write_summary(team, own, together, 1, {});
            if (written && *written == (team.is_first() ? *bytes : 0)) ++right;
        });
        CHECK(right == count);
        CHECK((read(together) == read(alone)));
        CHECK_FALSE(read(alone).empty());
    }
    std::atomic<int> ended{0};
    ThreadChannels::run(3, [&](Team& team) {
        const Result<std::uint64_t> written = write_summary(team, run, folder.path() / "no" / "such" / "folder", 1, {});
        if (written.has_value() != team.is_first()) ++ended;
    });
    CHECK(ended == 3);
}
