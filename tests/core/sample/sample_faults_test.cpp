// Planted faults in clocks, waits and matches are found: matches, offsets, culprits, causes.
#include "core/collectives/choose_clocks.hpp"
#include "core/collectives/waits.hpp"
#include "core/ingest/load/load_run.hpp"
#include "core/sample/sample_run.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/temp_folder.hpp"

#include <nlohmann/json.hpp>

#include <fstream>

using namespace core;
using namespace core::testing;
using Json = nlohmann::json;

namespace {

struct PlantedSample {
    explicit PlantedSample(const SampleOptions& options) {
        REQUIRE(write_sample_run(folder.path(), options, {}));
        truth = Json::parse(std::ifstream(folder.path() / "truth.json"));
        LoadProgress progress;
        const std::filesystem::path path = folder.path();
        const Result<RunPtr> loaded = load_run(std::span(&path, 1), {}, progress, {});
        REQUIRE(loaded);
        run = with_clocks(*loaded, ClockChoice::Auto);
    }
    TempFolder folder;
    Json truth;
    RunPtr run;
};

SampleOptions small_sample() {
    SampleOptions options;
    options.ranks = 4;
    options.steps = 3;
    options.layers = 2;
    options.straggler = 3;
    return options;
}

std::int64_t offset_at(const MeasuredClock& clock, std::int64_t t) { return t - clock.to_true(t); }

}  // namespace

TEST_CASE("planted clocks are measured: every event of another rank comes within the error of its true place") {
    struct Layout {
        int tensor_parallel;
        std::int64_t drift;
    };
    // One group of all ranks, also with drift; and pairs, none of which covers all clocks.
    for (const auto [tensor_parallel, drift] : {Layout{1, 0}, Layout{1, 30'000}, Layout{2, 0}}) {
        INFO(tensor_parallel << " " << drift);
        SampleOptions options = small_sample();
        options.steps = 6;
        options.tensor_parallel = tensor_parallel;
        options.faults.clock_spread_ns = 250'000;
        options.faults.clock_drift_ppb = drift;
        const PlantedSample sample(options);
        REQUIRE(is_aligned(*sample.run));
        const std::optional<ClockFacts> facts = find_clock_facts(*sample.run);
        REQUIRE(facts);
        CHECK(facts->error <= Duration{10'000});
        const MatchedRunPtr matches = matched(*sample.run);
        const auto planted = [&](std::uint32_t rank, const char* name) {
            return sample.truth["ranks"][rank].value(name, std::int64_t{0});
        };
        for (std::uint32_t slot = 1; slot < 4; ++slot) {
            const MeasuredClock& clock = matches->clock(slot);
            // The middle of the evidence, where offset and drift are separated best.
            const std::int64_t measured = offset_at(clock, clock.middle) - offset_at(matches->clock(0), clock.middle);
            const std::int64_t since = sample.run->rank(slot).trace().window.length().count() / 2;
            const std::int64_t drifted =
                (planted(slot, "clock_drift_ppb") - planted(0, "clock_drift_ppb")) * since / 1'000'000'000;
            const std::int64_t wanted = planted(slot, "clock_offset_ns") - planted(0, "clock_offset_ns") + drifted;
            CHECK(std::abs(measured - wanted) <= facts->error.count() + std::abs(drifted) / 2);
        }
    }
}

TEST_CASE("every collective of the sample is matched by its number, and its last rank is the one that came last") {
    const PlantedSample sample(small_sample());
    const WaitsPtr waits = waits_of(*sample.run);
    const MatchedRun& matches = *waits->matched;
    std::size_t found = 0;
    for (std::uint32_t i = 0; i < matches.collectives.size(); ++i) {
        const Collective& c = matches.collectives[i];
        for (const Json& truth : sample.truth["collectives"]) {
            const RunGroup& group = matches.groups[c.group];
            if (truth["group"] != group.name || truth["seq"] != c.number ||
                truth["members"].get<std::vector<std::int32_t>>() != group.members)
                continue;
            ++found;
            CHECK(c.count == group.members.size());
            CHECK(c.confidence == Confidence::Certain);
            const CollectiveTimes& times = waits->times[i];
            if (!times.resolved || times.close) continue;
            CHECK(sample.run->rank(times.last_slot).key.number == truth["truly_last_rank"].get<std::int32_t>());
        }
    }
    CHECK(found == sample.truth["collectives"].size());
    CHECK(found == matches.collectives.size());
}

TEST_CASE("the straggler of each cause is found, with its cause") {
    constexpr std::pair<StragglerCause, std::string_view> kCauses[] = {
        {StragglerCause::DataLoading, "data loading"},
        {StragglerCause::Host, "host"},
        {StragglerCause::LaunchCall, "launch call"},
        {StragglerCause::Allocation, "allocation"},
        {StragglerCause::SlowerKernels, "slower kernels"},
        {StragglerCause::MoreWork, "more work"},
        {StragglerCause::Copies, "copies"},
        {StragglerCause::Synchronisation, "synchronisation"}};
    for (const auto& [cause, name] : kCauses) {
        INFO(name);
        SampleOptions options = small_sample();
        options.cause = cause;
        const PlantedSample sample(options);
        const Table stragglers = answer_of(*sample.run, "stragglers").main();
        REQUIRE(stragglers.rows() > 0);
        CHECK(RankKey::unpacked(stragglers.integer(0, 0)).number == 3);
        CHECK(stragglers.text(0, stragglers.find_column("cause")).find(name) != std::string_view::npos);
        if (cause != StragglerCause::DataLoading) CHECK(sample.truth["planted"]["straggler"]["kind"] == name);
    }
}

TEST_CASE("lateness passes through tensor and data groups back to the straggler") {
    SampleOptions options = small_sample();
    options.ranks = 8;
    options.straggler = 3;
    const PlantedSample sample(options);
    const Table table = answer_of(*sample.run, "stragglers").main();
    std::int64_t rooted = 0, all = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const std::int64_t own = table.integer(row, table.find_column("wait_rooted"));
        all += own;
        if (RankKey::unpacked(table.integer(row, 0)).number == 3) rooted = own;
    }
    CHECK(rooted * 10 > all * 8);
}

TEST_CASE("in a pipeline of two stages, sends meet their receives, and waiting goes back to the straggler") {
    for (const int straggler : {1, 2}) {  // of the first stage
        INFO(straggler);
        SampleOptions options = small_sample();
        options.ranks = 8;
        options.stages = 2;
        options.steps = 4;
        options.layers = 4;
        options.straggler = straggler;
        const PlantedSample sample(options);
        const WaitsPtr waits = waits_of(*sample.run);
        const MatchedRun& matches = *waits->matched;
        std::vector<const Collective*> pairs;
        for (const Collective& c : matches.collectives)
            if (c.by == MatchedBy::Pair) pairs.push_back(&c);
        std::size_t sent = 0;
        std::int64_t receivers_wait = 0, planted_wait = 0;
        for (const Json& truth : sample.truth["collectives"]) {
            if (!truth.contains("source")) continue;
            ++sent;
            const auto at = [&](std::size_t member) {
                const std::size_t rank = truth["members"][member].get<std::size_t>();
                return truth["arrivals_ns"][member].get<std::int64_t>() -
                       sample.truth["ranks"][rank]["clock_offset_ns"].get<std::int64_t>();
            };
            const std::size_t sender = truth["members"][0] == truth["source"] ? 0 : 1;
            planted_wait += std::max<std::int64_t>(0, at(sender) - at(1 - sender));
        }
        CHECK(pairs.size() == sent);
        for (const Collective* const c : pairs) {
            CHECK(c->count == 2);
            CHECK(c->confidence == Confidence::Probable);
            for (std::uint32_t i = c->first; i < c->first + c->count; ++i)
                if (matches.member(matches.members[i]).operation == Operation::Recv)
                    receivers_wait += waits->wait_of(i);
        }
        CHECK(planted_wait > 0);
        const std::int64_t error = find_clock_facts(*sample.run)->error.count();
        CHECK(std::abs(receivers_wait - planted_wait) <= static_cast<std::int64_t>(pairs.size()) * 2 * error);
        // All of it is traced back to it, through its tensor group, the sends of the second stage and the data groups.
        const Table table = answer_of(*sample.run, "stragglers").main();
        REQUIRE(table.rows() == 8);
        std::int64_t rooted = 0;
        for (std::size_t row = 0; row < table.rows(); ++row)
            rooted += table.integer(row, table.find_column("wait_rooted"));
        CHECK(RankKey::unpacked(table.integer(0, 0)).number == straggler);
        CHECK(table.integer(0, table.find_column("wait_rooted")) * 10 > rooted * 8);
        CHECK(table.text(0, table.find_column("flagged")) == "yes");
        CHECK(table.text(0, table.find_column("cause")) == "data loading");
    }
}

TEST_CASE("a straggler in the second stage of a pipeline is flagged with its cause, for what the first stage waits") {
    constexpr std::pair<StragglerCause, std::string_view> kCauses[] = {
        {StragglerCause::SlowerKernels, "slower kernels"}, {StragglerCause::MoreWork, "more work"}};
    for (const auto& [cause, name] : kCauses)
        for (const int straggler : {4, 5, 7}) {
            INFO(name << " on rank " << straggler);
            SampleOptions options = small_sample();
            options.ranks = 8;
            options.stages = 2;
            options.steps = 4;
            options.layers = 4;
            options.straggler = straggler;
            options.cause = cause;
            const PlantedSample sample(options);
            const Table table = answer_of(*sample.run, "stragglers").main();
            REQUIRE(table.rows() == 8);
            std::size_t own = 0;
            while (RankKey::unpacked(table.integer(own, 0)).number != straggler) REQUIRE(++own < table.rows());
            CHECK(own <=
                  1);  // what the first stage ends later than the second one in any case is no delay of the second
            CHECK(table.integer(own, table.find_column("wait_rooted")) >
                  table.integer(own, table.find_column("wait_caused")));
            CHECK(table.text(own, table.find_column("flagged")) == "yes");
            CHECK(table.text(own, table.find_column("cause")).find(name) != std::string_view::npos);
        }
}

TEST_CASE("lost records leave collectives incomplete, a late window leaves a step of them, and both are counted") {
    SampleOptions options = small_sample();
    options.faults.lost_records = true;
    options.faults.late_window = true;
    const PlantedSample sample(options);
    const MatchedRunPtr matches = matched(*sample.run);
    std::size_t lost = 0, late = 0;
    for (const Collective& c : matches->collectives) {
        for (const std::uint32_t slot : matches->missing_of(c)) {
            const std::int32_t rank = sample.run->rank(slot).key.number;
            CHECK((rank == 1 || rank == 3));
            lost += rank == 1 && c.number % 5 == 2 ? 1u : 0u;
            late += rank == 3 ? 1u : 0u;
        }
    }
    CHECK(lost > 0);
    CHECK(late > 0);
}

TEST_CASE("operations and sizes that differ within a group make its matches doubtful") {
    SampleOptions options = small_sample();
    options.faults.desynchronised = true;
    const PlantedSample sample(options);
    const MatchedRunPtr matches = matched(*sample.run);
    const Json& planted = sample.truth["planted"]["desynchronised"];
    std::size_t doubtful = 0;
    for (const Collective& c : matches->collectives) {
        if (c.confidence != Confidence::Doubtful) continue;
        ++doubtful;
        CHECK(matches->groups[c.group].name == planted["group"].get<std::string>());
        const bool size = c.number == planted["seq_of_other_size"];
        CHECK((size || c.number == planted["seq_of_other_operation"]));
        CHECK((c.doubts & bit_of(size ? Doubt::Sizes : Doubt::Operations)) != 0);
    }
    CHECK(doubtful == 2);
    // In a group of two either may be wrong; both are named.
    const Table findings = answer_of(*sample.run, "findings").main();
    REQUIRE(findings.text(0, 0) == "desynchronised");
    const std::string_view evidence = findings.text(0, findings.find_column("evidence"));
    CHECK(evidence.starts_with("2 collectives with another operation or size than on the other ranks"));
    CHECK(evidence.find("on rank 0") != std::string_view::npos);
}

TEST_CASE("a slow link shows in the bandwidth of its group alone") {
    SampleOptions options = small_sample();
    options.straggler = kNoStraggler;
    options.faults.slow_link = true;
    const PlantedSample sample(options);
    const WaitsPtr waits = waits_of(*sample.run);
    std::array<std::int64_t, 2> transfer{};
    for (std::uint32_t i = 0; i < waits->matched->collectives.size(); ++i) {
        const Collective& c = waits->matched->collectives[i];
        const RunGroup& group = waits->matched->groups[c.group];
        if (group.name == "1") transfer[static_cast<std::size_t>(group.members.front())] += waits->times[i].transfer;
    }
    CHECK(transfer[0] > 2 * transfer[1]);
}
