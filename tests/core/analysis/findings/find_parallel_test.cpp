#include "core/analysis/findings/find_parallel.hpp"

#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/analysis/findings/parallel_fixture.hpp"

using namespace core;
using namespace core::testing;

namespace {

// "last-bucket 0 60000": rank and measured time of findings of one kind.
Rows found_of(const Answer& findings, FindingKind kind) {
    Rows rows;
    const Table main = all_findings(findings);
    for (std::size_t row = 0; row < main.rows(); ++row)
        if (main.text(row, 0) == rule_of(kind).id)
            rows.push_back(format_rank(RankKey::unpacked(main.integer(row, 1))) + " " +
                           std::to_string(main.integer(row, main.find_column("measured"))));
    return rows;
}
Rows found_of(const Run& run, FindingKind kind, std::string_view filter = "") {
    return found_of(answer_of(run, "findings", filter, {{"least", "0"}}), kind);
}

std::string evidence_of(const Run& run, FindingKind kind) {
    const Answer findings = answer_of(run, "findings", "", {{"least", "0"}});
    const Table main = all_findings(findings);
    for (std::size_t row = 0; row < main.rows(); ++row)
        if (main.text(row, 0) == rule_of(kind).id) return std::string(main.text(row, main.find_column("evidence")));
    return {};
}

// Gain in what-to-do, and the simulated change.
std::string replay_of(const Run& run, FindingKind kind) {
    const Answer deeds = answer_of(run, "what-to-do", "", {{"least", "0"}});
    const Table& main = deeds.main();
    for (std::size_t row = 0; row < main.rows(); ++row) {
        if (main.text(row, 0) != rule_of(kind).id) continue;
        const std::size_t saved = main.find_column("saved");
        return (main.absent(row, saved) ? "-" : std::to_string(main.integer(row, saved))) + " " +
               std::string(main.text(row, main.find_column("replayed")));
    }
    return {};
}

}  // namespace

TEST_CASE("a last bucket without concurrent compute is found, one that compute hides is not") {
    const RunPtr run = run_of_buckets(500'000);
    CHECK(found_of(*run, FindingKind::LastBucket) == Rows{"0 60000"});
    CHECK(evidence_of(*run, FindingKind::LastBucket) ==
          "the last of 3 buckets is exposed for 60.0 µs in 1 of 1 step, 100.0 % of what all buckets are there");
    CHECK(replay_of(*run, FindingKind::LastBucket).ends_with(" transfers of last buckets take no time"));
    CHECK(found_of(*run_of_buckets(700'000), FindingKind::LastBucket).empty());
    CHECK(found_of(*run_of_buckets(650'000), FindingKind::LastBucket) == Rows{"0 10000"});
}

TEST_CASE("shards that a kernel waits for are found, with the wait, shards that are there before are not") {
    const RunPtr late = run_of_shards(10);
    CHECK(found_of(*late, FindingKind::PrefetchLate) == Rows{"0 50010"});
    CHECK(evidence_of(*late, FindingKind::PrefetchLate) == "kernels wait 50.0 µs for 1 of 2 all-gathers of shards");
    CHECK(found_of(*run_of_shards(6'000), FindingKind::PrefetchLate).empty());
}

TEST_CASE("stages that idle more than their schedule are found on the one that is longest without work") {
    const RunPtr run = run_of(stages(600'000));
    // Each rank computes 200 of 600 us; the first sends for 20, 10 of them next to compute.
    const Answer pipeline = answer_of(*run, "pipeline");
    REQUIRE(pipeline.main().rows() == 2);
    double excess = 0;
    for (std::size_t row = 0; row < 2; ++row)
        excess += pipeline.main().number(row, pipeline.main().find_column("excess")) / 2;
    const Rows found = found_of(*run, FindingKind::BubbleExcess);
    REQUIRE(found.size() == 1);
    CHECK(std::abs(std::stoll(found[0].substr(2)) - static_cast<std::int64_t>(excess * 600'000)) <= 1);
    CHECK(excess == doctest::Approx(1.0 / 3).epsilon(0.05));
    CHECK(replay_of(*run, FindingKind::BubbleExcess).starts_with("- not replayed"));
    // In 300 us only the bubble of two microbatches is idle.
    CHECK(found_of(*run_of(stages(310'000)), FindingKind::BubbleExcess).empty());
    // A single stage cannot be compared with theory.
    CHECK(found_of(*run, FindingKind::BubbleExcess, "rank:0").empty());
    CHECK(found_of(*run_of({stages(600'000)[0]}), FindingKind::BubbleExcess).empty());
}

TEST_CASE("unequal experts gain what even ones would save, equal ones nothing") {
    const RunPtr run = run_of_experts(75);
    // Half more than the mean: a third of 5 us, twice.
    CHECK(found_of(*run, FindingKind::ExpertImbalance) == Rows{"0 3332", "1 3332"});
    CHECK(evidence_of(*run, FindingKind::ExpertImbalance) ==
          "one rank takes up to 1.5 times the mean of an exchange, rank 1 the most in 2 of 2 exchanges");
    CHECK(replay_of(*run, FindingKind::ExpertImbalance).find("transfers of all-to-alls") != std::string::npos);
    CHECK(found_of(*run_of_experts(50), FindingKind::ExpertImbalance).empty());
}
