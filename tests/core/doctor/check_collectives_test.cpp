#include "core/doctor/doctor.hpp"
#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

using namespace core;
using namespace core::testing;

namespace {

// Twelve all-reduces of ranks 0 and 1, a millisecond apart; each test defines rank 1's part.
struct TwoRanks {
    TraceFixture zero, one;
    static void add(TraceFixture& rank, std::int64_t number, std::int64_t elements, const char* name = "allreduce") {
        rank.kernel(number * 1'000'000, 50'000, "ncclDevKernel_AllReduce", 9)
            .arg(Arg::CollectiveName, name)
            .arg(Arg::CollectiveDtype, "Float")
            .arg(Arg::GroupName, "dp")
            .arg(Arg::GroupRanks, "[0, 1]")
            .arg(Arg::InElements, elements)
            .arg(Arg::Seq, number);
    }
    std::vector<std::string> findings() {
        const RunPtr run = run_of({zero.rank(0).build(), one.rank(1).build()});
        const Result<DoctorReport> report = examine_run(*run, 1, {});
        REQUIRE(report);
        std::vector<std::string> found;
        for (const DoctorFinding& finding : report->findings)
            if (finding.rule->id.starts_with("collectives-"))
                found.push_back(std::string(finding.rule->id) + " " + std::to_string(finding.count) + ": " +
                                finding.text);
        return found;
    }
};

}  // namespace

TEST_CASE("a healthy group has no finding about its collectives") {
    TwoRanks ranks;
    for (std::int64_t k = 0; k < 12; ++k) {
        TwoRanks::add(ranks.zero, k, 8);
        TwoRanks::add(ranks.one, k, 8);
    }
    CHECK(ranks.findings().empty());
}

TEST_CASE("other operations and sizes within one collective are found, with the first of them") {
    TwoRanks ranks;
    for (std::int64_t k = 0; k < 12; ++k) {
        TwoRanks::add(ranks.zero, k, 8);
        TwoRanks::add(ranks.one, k, k == 5 ? 16 : 8, k == 7 ? "reduce_scatter" : "allreduce");
    }
    const std::vector<std::string> found = ranks.findings();
    REQUIRE(found.size() == 1);
    CHECK(found.front().starts_with("collectives-differ 2: "));
    CHECK(found.front().find("number 5 of group dp: rank 0 all_reduce of 32 B, rank 1 all_reduce of 64 B") !=
          std::string::npos);
}

TEST_CASE("a rank that stops coming while its work goes on is found; one whose record ends is not") {
    for (const bool goes_on : {true, false}) {
        TwoRanks ranks;
        for (std::int64_t k = 0; k < 12; ++k) {
            TwoRanks::add(ranks.zero, k, 8);
            if (k < 9) TwoRanks::add(ranks.one, k, 8);
        }
        if (goes_on) ranks.one.kernel(40'000'000, 1'000, "gemm", 7);
        const std::vector<std::string> found = ranks.findings();
        REQUIRE(found.size() == (goes_on ? 1u : 0u));
        if (goes_on) CHECK(found.front().starts_with("collectives-unjoined 3: "));
    }
}
