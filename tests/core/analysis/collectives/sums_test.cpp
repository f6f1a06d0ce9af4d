// Sums that hold between the tables of collectives, on every shared run of several ranks and on random ones; and the
// effects of moving and renaming ranks and of hiding numbers.

#include "core/analysis/collectives/straggler_sums.hpp"
#include "core/collectives/choose_clocks.hpp"
#include "core/collectives/waits.hpp"
#include "core/ingest/load/load_run.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/collectives/member_fixture.hpp"
#include "tests/core/trace_fixture.hpp"
#include "tests/corpus.hpp"

#include <map>
#include <set>

using namespace core;
using namespace core::testing;

namespace {

std::int64_t total_of(const Table& table, std::string_view column) {
    const std::size_t at = table.find_column(column);
    REQUIRE(at < table.columns().size());
    std::int64_t sum = 0;
    for (std::size_t row = 0; row < table.rows(); ++row)
        if (!table.absent(row, at)) sum += table.integer(row, at);
    return sum;
}

void check_waits_table(const Run& run) {
    const Table waits = answer_of(run, "waits").main();
    const std::size_t duration = waits.find_column("duration"), wait = waits.find_column("wait");
    const std::size_t transfer = waits.find_column("transfer");
    const std::size_t exposed_wait = waits.find_column("exposed_wait");
    const std::size_t exposed_transfer = waits.find_column("exposed_transfer");
    std::size_t wrong = 0;
    for (std::size_t row = 0; row < waits.rows(); ++row) {
        if (waits.absent(row, wait)) continue;
        wrong += waits.integer(row, wait) + waits.integer(row, transfer) != waits.integer(row, duration);
        wrong += waits.integer(row, wait) < 0 || waits.integer(row, exposed_wait) > waits.integer(row, wait);
        wrong += waits.integer(row, exposed_transfer) > waits.integer(row, transfer);
    }
    CHECK(wrong == 0);
    std::size_t members = 0;
    for (const RankSlot& rank : run.ranks()) members += rank.index->members().events().size();
    CHECK(waits.rows() == members);
    CHECK(total_of(answer_of(run, "collectives").main(), "ranks") == static_cast<std::int64_t>(members));
    CHECK(total_of(answer_of(run, "matching").main(), "members") == static_cast<std::int64_t>(members));
}

void check_straggler_sums(const Run& run) {
    const WaitsPtr waits = waits_of(run);
    std::int64_t all = 0;
    for (const CollectiveTimes& times : waits->times)
        if (times.counts) all += times.wait;
    for (const char* const id : {"stragglers", "wait-by-step", "straggler-causes"}) {
        INFO(id);
        const Table table = answer_of(run, id).main();
        CHECK(total_of(table, "wait_caused") == all);
        CHECK(total_of(table, "wait_rooted") == all);
        if (id != std::string_view("straggler-causes")) CHECK(total_of(table, "own_wait") == all);
    }
    const Table causes = answer_of(run, "straggler-causes").main();
    CHECK(total_of(causes, "lateness") == total_of(causes, "inherited") + total_of(causes, "compute") +
                                              total_of(causes, "memory") + total_of(causes, "communication") +
                                              total_of(causes, "idle"));
}

void check_exposed(const Run& run) {
    const Table split = answer_of(run, "exposed-communication").main();
    const Table breakdown = answer_of(run, "temporal-breakdown").main();
    REQUIRE(split.rows() == breakdown.rows());
    const std::size_t all = split.find_column("exposed"), of = breakdown.find_column("exposed_communication");
    for (std::size_t row = 0; row < split.rows(); ++row) {
        CHECK(split.cell(row, all) == breakdown.cell(row, of));
        if (split.absent(row, split.find_column("exposed_wait"))) continue;
        std::int64_t sum = 0;
        for (const char* const part : {"exposed_wait", "exposed_transfer", "exposed_other"})
            sum += split.integer(row, split.find_column(part));
        CHECK(sum == split.integer(row, all));
    }
}

RunPtr open_shared(const fs::path& folder) {
    LoadProgress progress;
    const fs::path paths[] = {folder};
    LoadOptions options;
    options.threads = 2;
    const Result<RunPtr> run = load_run(paths, options, progress, {});
    return run ? *run : nullptr;
}

// The shared runs with collectives of several ranks. The largest are only compared with golden answers.
template <class Check>
void for_shared_runs(const Check& check) {
    if (!corpus_is_here()) return;
    constexpr std::uintmax_t kMostBytes = 60'000'000;
    for (const fs::path& folder : corpus_runs()) {
        std::uintmax_t bytes = 0;
        std::size_t files = 0;
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
            if (!entry.is_regular_file()) continue;
            bytes += entry.file_size();
            ++files;
        }
        if (files < 2 || bytes > std::min(kMostBytes, largest_of_corpus())) continue;
        INFO(folder);
        const RunPtr run = open_shared(folder);
        if (!run || run->ranks().size() < 2) continue;
        const MatchedRunPtr matches = matched(*run);
        if (std::ranges::none_of(matches->collectives, [](const Collective& c) { return c.count > 1; })) continue;
        check(run);
    }
}

// Member sets of all collectives, in any order.
std::set<std::vector<MemberRef>> member_sets(const MatchedRun& run) {
    std::set<std::vector<MemberRef>> sets;
    for (const Collective& c : run.collectives) {
        const std::span<const MemberRef> members = run.members_of(c);
        sets.emplace(members.begin(), members.end());
    }
    return sets;
}

// The same run with a constant added to the times of one file.
RunPtr shift_rank(const Run& run, std::size_t slot, std::int64_t by) {
    RunParts parts = run.parts();
    parts.ranks[slot].clock.offset += Duration{by};
    return std::make_shared<const Run>(std::move(parts));
}

}  // namespace

TEST_CASE("on every shared run waits, blame, causes and exposed communication add up, on both clocks") {
    for_shared_runs([](const RunPtr& run) {
        for (const ClockChoice clocks : {ClockChoice::Recorded, ClockChoice::Aligned}) {
            const RunPtr on = with_clocks(run, clocks);
            check_waits_table(*on);
            check_straggler_sums(*on);
            check_exposed(*on);
        }
    });
}

TEST_CASE("on every shared run a constant added to one file moves its offset and no wait on aligned clocks") {
    for_shared_runs([](const RunPtr& run) {
        constexpr std::int64_t kMoved = 3'210'987;
        const std::size_t last = run->ranks().size() - 1;
        const RunPtr moved = shift_rank(*run, last, kMoved);
        const MatchedRunPtr before = matched(*run), after = matched(*moved);
        const bool all_measured =
            std::ranges::all_of(before->clocks, [](const CohortClocks& clocks) { return clocks.measured; });
        const bool by_key = std::ranges::all_of(before->collectives, [](const Collective& c) {
            return c.by == MatchedBy::Number || c.by == MatchedBy::CommsId;
        });
        const SlotPlace place = before->places[last];
        if (before->clock(static_cast<std::uint32_t>(last)).part == place.place) return;  // its own frame
        if (!all_measured || !by_key || before->cohorts.size() != after->cohorts.size()) return;
        CHECK(member_sets(*before) == member_sets(*after));
        const std::int64_t apart = after->clock(static_cast<std::uint32_t>(last)).offset -
                                   before->clock(static_cast<std::uint32_t>(last)).offset;
        CHECK(std::abs(apart - kMoved) <= 2);
        const std::vector<bool> aligned(before->cohorts.size(), true);
        const WaitsPtr waits = measure_waits(before, aligned), moved_waits = measure_waits(after, aligned);
        REQUIRE(waits->wait.size() == moved_waits->wait.size());
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < waits->wait.size(); ++i)
            wrong += std::abs(waits->wait[i] - moved_waits->wait[i]) > 4;
        CHECK(wrong == 0);
    });
}

TEST_CASE("on every shared run with numbers, the order says the same where it is sure") {
    for_shared_runs([](const RunPtr& run) {
        const MatchedRunPtr numbered = matched(*run);
        const bool has_numbers = std::ranges::any_of(
            numbered->collectives, [](const Collective& c) { return c.by == MatchedBy::Number && c.count > 1; });
        if (!has_numbers) return;
        MatchedRun hidden;
        hidden.groups = numbered->groups;
        hidden.indexes = numbered->indexes;
        hidden.ranks = numbered->ranks;
        std::vector<std::vector<MemberEvent>> events;
        for (RankMembers& rank : hidden.ranks) {
            events.emplace_back(rank.events.begin(), rank.events.end());
            for (MemberEvent& event : events.back()) {
                event.number = kNoNumber;
                event.comms_id = 0;
            }
        }
        for (std::size_t slot = 0; slot < events.size(); ++slot) hidden.ranks[slot].events = events[slot];
        const MatchedRunPtr ordered = match_members(std::move(hidden));
        std::size_t sure = 0, wrong = 0;
        for (const Collective& c : ordered->collectives) {
            if (c.confidence != Confidence::Probable || c.by != MatchedBy::Order) continue;
            const std::span<const MemberRef> members = ordered->members_of(c);
            ++sure;
            wrong += std::ranges::any_of(members, [&](MemberRef ref) {
                return numbered->collective_of(ref) != numbered->collective_of(members.front());
            });
        }
        INFO(sure);
        CHECK(wrong == 0);
    });
}

TEST_CASE("on random runs, waits and blame are those of a look at every collective by itself") {
    for (unsigned seed = 1; seed <= 40; ++seed) {
        INFO(seed);
        PlantedRun plan{.ranks = 2 + static_cast<std::int32_t>(seed % 5), .numbered = seed % 2 == 0, .loss = 0.02};
        MemberFixture fixture;
        const auto calls = plant(plan, seed);
        for (std::size_t r = 0; r < calls.size(); ++r) fixture.add_rank(static_cast<std::int32_t>(r), calls[r]);
        const MatchedRunPtr run = fixture.match();
        const WaitsPtr waits = measure_waits(run, {false});
        std::int64_t counted = 0, blamed = 0;
        for (std::uint32_t k = 0; k < run->collectives.size(); ++k) {
            const Collective& c = run->collectives[k];
            const CollectiveTimes& times = waits->times[k];
            std::int64_t last = INT64_MIN, sum = 0;
            for (const MemberRef ref : run->members_of(c)) last = std::max(last, waits->start(ref));
            for (const MemberRef ref : run->members_of(c))
                sum += std::min(last - waits->start(ref), waits->duration(ref));
            CHECK(times.last == last);
            if (!times.counts) continue;
            CHECK(times.wait == sum);
            CHECK(c.missing == 0);
            counted += sum;
            for (const RootedWait& rooted : rooted_waits(*waits, k)) blamed += rooted.wait;
        }
        CHECK(counted == blamed);
    }
}

TEST_CASE("shuffling the order of files changes no row, renaming ranks renames them") {
    PlantedRun plan{.ranks = 5, .collectives = 30, .numbered = true};
    const auto calls = plant(plan, 7);
    const auto rows_of = [&](const std::vector<std::int32_t>& names) {
        MemberFixture fixture;
        std::vector<std::pair<std::int32_t, std::size_t>> order;
        for (std::size_t r = 0; r < names.size(); ++r) order.emplace_back(names[r], r);
        std::ranges::sort(order);  // slots are by rank
        for (const auto& [name, r] : order) fixture.add_rank(name, calls[r]);
        const MatchedRunPtr run = fixture.match();
        const WaitsPtr waits = measure_waits(run, {false});
        std::map<std::size_t, std::int64_t> wait;  // by the file it came from
        for (std::uint32_t i = 0; i < run->members.size(); ++i)
            wait[order[run->members[i].slot].second] += waits->wait_of(i);
        return wait;
    };
    const auto rows = rows_of({0, 1, 2, 3, 4});
    CHECK(rows_of({4, 3, 2, 1, 0}) == rows);
    CHECK(rows_of({20, 7, 3, 11, 5}) == rows);
}
