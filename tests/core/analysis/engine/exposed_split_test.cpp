#include "core/analysis/engine/exposed_split.hpp"

#include "core/collectives/choose_clocks.hpp"
#include "core/collectives/waits.hpp"
#include "core/diff/step_change/step_change.hpp"
#include "core/ingest/load/load_run.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/trace_fixture.hpp"
#include "tests/corpus.hpp"

#include <random>

using namespace core;
using namespace core::testing;

namespace {

constexpr std::array<const char*, 3> kSplitNames = {"exposed_wait", "exposed_transfer", "exposed_other"};

// Two ranks: all-reduces that rank 1 reaches late, compute next to some of them, a send that matches nothing, steps.
RunPtr split_run(unsigned seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](std::int64_t most) {
        return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
    };
    std::vector<TraceFixture> ranks(2);
    std::int64_t now = 0;
    for (int k = 0; k < 12; ++k) {
        const std::int64_t last = now + 100'000 + below(50'000);
        const std::int64_t end = last + 20'000 + below(9'000);
        for (std::size_t r = 0; r < 2; ++r) {
            const std::int64_t start = r == 1 ? last : last - below(90'000);
            ranks[r]
                .kernel(start, end + below(200) - start, "ncclDevKernel_AllReduce", 9)
                .arg(Arg::CollectiveName, "allreduce")
                .arg(Arg::GroupName, "dp")
                .arg(Arg::GroupRanks, "[0, 1]")
                .arg(Arg::Seq, k);
            ranks[r].kernel(now + below(80'000), 10'000 + below(60'000), "gemm", 7);
            if (k % 4 == 0) ranks[r].kernel(end + 2'000, 3'000, "ncclDevKernel_SendRecv", 10);
            ranks[r].step(now, end + 10'000 - now, k);
        }
        now = end + 10'000;
    }
    return run_of({ranks[0].rank(0).build(), ranks[1].rank(1).build()});
}

std::int64_t cell(const Table& table, std::size_t row, std::string_view column) {
    return table.integer(row, table.find_column(column));
}

void check_sums(const Table& table, std::string_view exposed) {
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (table.absent(row, table.find_column("exposed_wait"))) continue;
        std::int64_t sum = 0;
        for (const char* const name : kSplitNames) {
            CHECK(cell(table, row, name) >= 0);
            sum += cell(table, row, name);
        }
        CHECK(sum == cell(table, row, exposed));
    }
}

// Every analysis that splits exposed communication gets the same split.
void check_run(const Run& run) {
    const Table breakdown = answer_of(run, "temporal-breakdown").main();
    const Table exposed = answer_of(run, "exposed-communication").main();
    const Table overlap = answer_of(run, "overlap").main();
    check_sums(breakdown, "exposed_communication");
    check_sums(exposed, "exposed");
    check_sums(overlap, "exposed");
    check_sums(answer_of(run, "steps").main(), "exposed_communication");
    REQUIRE(breakdown.rows() == exposed.rows());
    for (std::size_t row = 0; row < breakdown.rows(); ++row) {
        CHECK(cell(breakdown, row, "exposed_communication") == cell(exposed, row, "exposed"));
        for (const char* const name : kSplitNames) {
            const std::string text = format_cell_exact(exposed, row, exposed.find_column(name));
            CHECK(format_cell_exact(breakdown, row, breakdown.find_column(name)) == text);
            CHECK(format_cell_exact(overlap, row, overlap.find_column(name)) == text);
        }
    }
    const Table parts = answer_of(run, "step-parts").main();
    for (std::size_t row = 0; row < parts.rows(); ++row) {
        const bool is_split = !parts.absent(row, parts.find_column("exposed_wait"));
        if (!is_split) continue;
        CHECK(parts.text(row, parts.find_column("part")) == "exposed_communication");
        std::int64_t sum = 0;
        for (const char* const name : kSplitNames) sum += cell(parts, row, name);
        CHECK(sum == cell(parts, row, "time"));
    }
}

// The naive split of a rank, computed at every boundary of its kernels.
ExposedSplit naive_split(const Run& run, std::uint32_t slot) {
    const RankTrace& trace = run.rank(slot).trace();
    const WaitsPtr waits = waits_of(run);
    const std::span<const MemberEvent> members = run.rank(slot).index->members().events();
    std::vector<std::int64_t> cuts;
    for (const EventId e : trace.gpu_events)
        cuts.insert(cuts.end(), {ns_of(trace.range(e).begin), ns_of(trace.range(e).end)});
    for (std::uint32_t i = 0; i < members.size(); ++i)
        if (const auto wait = waits->find_wait({slot, i})) cuts.push_back(ns_of(members[i].start) + *wait);
    std::ranges::sort(cuts);
    ExposedSplit split;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
        const std::int64_t length = cuts[i + 1] - cuts[i];
        bool computes = false, communicates = false, waits_here = false, transfers = false;
        for (const EventId e : trace.gpu_events) {
            const RankRange range = trace.range(e);
            if (ns_of(range.begin) > cuts[i] || ns_of(range.end) <= cuts[i]) continue;
            const KernelClass of = run.rank(slot).index->classes().of(e);
            computes = computes || of == KernelClass::Compute;
            communicates = communicates || of == KernelClass::Communication;
        }
        for (std::uint32_t m = 0; m < members.size(); ++m) {
            const auto wait = waits->find_wait({slot, m});
            if (!wait || ns_of(members[m].start) > cuts[i] || ns_of(members[m].end()) <= cuts[i]) continue;
            (cuts[i] < ns_of(members[m].start) + *wait ? waits_here : transfers) = true;
        }
        if (!communicates || computes) continue;
        split.all += length;
        split.transfer += transfers ? length : 0;
        split.wait += waits_here && !transfers ? length : 0;
    }
    return split;
}

}  // namespace

TEST_CASE("exposed communication splits alike everywhere, as a look at every boundary does") {
    for (unsigned seed = 1; seed <= 12; ++seed) {
        INFO(seed);
        const RunPtr run = split_run(seed);
        check_run(*run);
        const Table table = answer_of(*run, "temporal-breakdown").main();
        for (std::uint32_t slot = 0; slot < 2; ++slot) {
            const ExposedSplit naive = naive_split(*run, slot);
            CHECK(cell(table, slot, "exposed_communication") == naive.all);
            CHECK(cell(table, slot, "exposed_wait") == naive.wait);
            CHECK(cell(table, slot, "exposed_transfer") == naive.transfer);
            CHECK(cell(table, slot, "exposed_other") == naive.other());
        }
    }
}

TEST_CASE("communication that matches no other rank is not split, and the answer says so") {
    const RunPtr run = run_of({TraceFixture().rank(0).kernel(0, 100, "ncclDevKernel_AllReduce", 9).build()});
    const Answer answer = answer_of(*run, "temporal-breakdown");
    CHECK(cell(answer.main(), 0, "exposed_communication") == 100);
    for (const char* const name : kSplitNames) CHECK(answer.main().absent(0, answer.main().find_column(name)));
    REQUIRE(answer.excluded.size() == 1);
    CHECK(answer.excluded.front().what.find("matches no other rank") != std::string::npos);
    const RunPtr silent = run_of({TraceFixture().rank(0).kernel(0, 100, "gemm", 7).build()});
    CHECK(cell(answer_of(*silent, "temporal-breakdown").main(), 0, "exposed_wait") == 0);
    CHECK(answer_of(*silent, "temporal-breakdown").excluded.empty());
}

TEST_CASE("the waterfall says how exposed communication splits on either side, adding up to its row") {
    const RunPtr first = split_run(3);
    const RunPtr second = split_run(4);
    DiffQuery query;
    query.analysis = &waterfall();
    const Result<RunComparison> compared =
        compare_steps(query, 3, {first.get(), second.get()}, align_runs(*first, *second), 0, 1, {});
    REQUIRE(compared);
    const Table& table = compared->comparison.table;
    bool found = false;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (table.text(row, 0) != "exposed_communication") {
            CHECK(table.absent(row, table.find_column("exposed_wait.baseline")));
            continue;
        }
        found = true;
        for (const std::string side : {"baseline", "candidate", "change"}) {
            std::int64_t sum = 0;
            for (const std::string name : kSplitNames) sum += cell(table, row, name + "." + side);
            CHECK(sum == cell(table, row, "time." + side));
        }
    }
    CHECK(found);
}

TEST_CASE("the split of every shared run adds up") {
    if (!corpus_is_here()) return;
    for (const fs::path& folder : corpus_runs()) {
        INFO(folder.string());
        LoadProgress progress;
        const Result<RunPtr> run = load_run(std::span(&folder, 1), {}, progress, {});
        if (!run || (*run)->ranks().size() < 2) continue;
        check_run(*with_clocks(*run, ClockChoice::Auto));
    }
}

TEST_CASE("waits for a rank whose recording begins later are nobody's, and no part of the verdict's step") {
    // Rank 1 is recorded 300 us later than rank 0 and reaches the first all-reduce by that much later.
    const auto make = [](int rank, std::int64_t opens) {
        TraceFixture made;
        made.cpu(opens, 10, "aten::empty");
        for (std::int64_t k = 0; k < 4; ++k) {
            const std::int64_t compute = k == 0 ? opens + 20'000 : 330'000 + k * 200'000;
            const std::int64_t end = 520'000 + k * 200'000;
            const std::int64_t begin = k == 0 ? opens + 120'000 : end - 20'000;
            made.kernel(compute, begin - compute, "gemm", 7);
            made.kernel(begin, end - begin, "ncclDevKernel_AllReduce", 9)
                .arg(Arg::CollectiveName, "allreduce")
                .arg(Arg::GroupName, "dp")
                .arg(Arg::GroupRanks, "[0, 1]")
                .arg(Arg::Seq, k);
        }
        return made.rank(rank).build();
    };
    const auto share = [&](std::int64_t opens) {
        const Answer answer = answer_of(*run_of({make(0, 0), make(1, opens)}), "verdict");
        return answer.main().number(0, answer.main().find_column("exposed_communication"));
    };
    CHECK(share(300'000) < 0.25);
    const Answer late = answer_of(*run_of({make(0, 0), make(1, 300'000)}), "temporal-breakdown");
    CHECK(late.main().integer(0, late.main().find_column("exposed_communication")) > 400'000);
}
