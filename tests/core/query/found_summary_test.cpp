#include "core/query/found_summary.hpp"

#include "core/analysis/engine/list_events.hpp"
#include "core/analysis/engine/name_tables.hpp"
#include "core/query/filter_text.hpp"
#include "tests/core/query/random_run.hpp"

#include <doctest/doctest.h>

#include <map>
#include <set>

using namespace core;
using core::testing::random_run;
using core::testing::run_of;
using core::testing::TraceFixture;

namespace {

FoundEventsPtr find_in(const RunPtr& run, std::string_view text, std::string_view filter) {
    return FoundEvents::search({run, parse_find_text(text), parse_filter(filter).value(), {}}, {}).value();
}

}  // namespace

TEST_CASE("results are summed by name, separately for GPU and CPU, and by rank, cut by the time filter") {
    for (std::uint32_t seed = 1; seed <= 8; ++seed) {
        const RunPtr run = random_run(seed);
        for (const char* filter : {"", "rank:0,2", "time:300ns..900ns", "dur:>10ns"}) {
            const FoundEventsPtr found = find_in(run, "/[1-4]$/", filter);
            const auto time = parse_filter(filter).value().time_range(*run);
            std::map<std::pair<std::string, bool>, LengthTotals> names;
            std::map<std::pair<std::string, bool>, std::set<std::uint32_t>> ranks_of;
            std::map<std::uint32_t, LengthTotals> ranks;
            for (std::uint32_t slot = 0; slot < run->ranks().size(); ++slot) {
                const RankTrace& trace = run->rank(slot).trace();
                for (std::uint32_t e = 0; e < trace.size(); ++e) {
                    if (!found->contains({slot, EventId{e}})) continue;
                    RunRange range = run->rank(slot).range_of(EventId{e});
                    if (time) range = {std::max(range.begin, time->begin), std::min(range.end, time->end)};
                    const std::pair key{std::string(trace.name_text(EventId{e})), trace.has(EventId{e}, kGpuEvent)};
                    names[key].add(range.length());
                    ranks_of[key].insert(slot);
                    ranks[slot].add(range.length());
                }
            }
            const FoundSummary summary = summarize_found(*found, {}).value();
            REQUIRE(summary.names.size() == names.size());
            for (const NameTotals& name : summary.names) {
                const RankTrace& trace = run->rank(name.example.slot).trace();
                const std::pair key{std::string(trace.name_text(name.example.event)), name.on_gpu};
                CHECK(static_cast<const LengthTotals&>(name) == names.at(key));
                CHECK(name.ranks == ranks_of.at(key).size());
                CHECK(trace.has(name.example.event, kGpuEvent) == name.on_gpu);
            }
            CHECK(std::ranges::is_sorted(summary.names, std::greater<>(), &NameTotals::total));
            REQUIRE(summary.ranks.size() == ranks.size());
            for (const RankTotals& rank : summary.ranks)
                CHECK(static_cast<const LengthTotals&>(rank) == ranks.at(rank.slot));
        }
    }
}

TEST_CASE("results are listed longest first, optionally of one name or rank, up to a limit") {
    const RunPtr run = run_of({TraceFixture().cpu(0, 5, "gemm").kernel(10, 30, "gemm").kernel(50, 20, "relu").build(),
                               TraceFixture().kernel(0, 40, "gemm").build()});
    const FoundEventsPtr found = find_in(run, "m", "");
    const EventListPtr all = list_found({found}, {}).value();
    CHECK(all->count == 3);
    CHECK(all->total == Duration{75});
    const std::size_t duration = all->table.find_column("duration");
    CHECK(all->table.integer(0, duration) == 40);
    CHECK(all->table.integer(2, duration) == 5);
    FoundListQuery query{found};
    query.names = {"gemm"};
    query.on_gpu = true;
    query.rank = RankKey{0, 0};
    const EventListPtr one = list_found(query, {}).value();
    REQUIRE(one->table.rows() == 1);
    CHECK(one->table.integer(0, duration) == 30);
    query = {found};
    query.names = {"relu"};
    CHECK(list_found(query, {}).value()->count == 0);
    query.names = {"relu", "gemm"};
    CHECK(list_found(query, {}).value()->count == 3);
    query = {found};
    query.most = 2;
    const EventListPtr few = list_found(query, {}).value();
    CHECK(few->table.rows() == 2);
    CHECK(few->count == 3);
}

TEST_CASE("totals become tables with means, shares and numbers of ranks or names") {
    const RunPtr run = run_of({TraceFixture().kernel(0, 10, "a").kernel(20, 15, "a").cpu(0, 75, "b").build(),
                               TraceFixture().kernel(0, 20, "a").build()});
    const FoundSummary summary = summarize_found(*find_in(run, "", ""), {}).value();
    const Table names = tabulate_names(*run, summary.names);
    REQUIRE(names.rows() == 2);
    CHECK(names.text(0, names.find_column("name")) == "b");
    CHECK(names.text(0, names.find_column("on")) == "CPU");
    CHECK(names.number(1, names.find_column("share")) == doctest::Approx(45.0 / 120));
    CHECK(names.integer(1, names.find_column("mean")) == 15);
    CHECK(names.integer(1, names.find_column("ranks")) == 2);
    const Table ranks = tabulate_ranks(*run, summary.ranks);
    REQUIRE(ranks.rows() == 2);
    CHECK(ranks.integer(0, ranks.find_column("names")) == 2);
    CHECK(ranks.integer(0, ranks.find_column("total")) == 100);
}
