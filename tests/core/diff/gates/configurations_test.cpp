// Configurations against a baseline, and the noise between runs, on steps of known length.

#include "core/diff/gates/configurations.hpp"

#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

using namespace core;
using namespace core::testing;

namespace {

RunPtr run_of_steps(const std::vector<int>& lengths) {
    TraceFixture fixture;
    fixture.rank(0);
    std::int64_t at = 0;
    int number = 0;
    for (const int length : lengths) {
        fixture.step(at, length, number++);
        at += length;
    }
    return run_of({fixture.build()});
}

std::vector<SampledRun> sampled(const RunPtr& run) { return {{run.get(), {}, collect_step_sample(*run, {}, 1)}}; }

}  // namespace

TEST_CASE("configurations are judged by Holm's p over all of them, each against the baseline") {
    const RunPtr baseline = run_of_steps({900, 1000, 1004, 998, 1002, 1001});
    const RunPtr slower = run_of_steps({900, 1200, 1204, 1198, 1202, 1201});
    const RunPtr equal = run_of_steps({900, 1001, 1003, 999, 1000, 1002});
    const RunPtr few = run_of_steps({900, 1100, 1101});
    const ComparedConfigurations compared = compare_configurations(
        sampled(baseline), {{"slow", sampled(slower)}, {"equal", sampled(equal)}, {"few", sampled(few)}}, {});
    REQUIRE(compared.all.size() == 3);
    const Tested& slow = compared.all[0].statistics.step;
    CHECK(slow.family == 2);  // without the one that has too few values
    CHECK(slow.strict.verdict == stats::Verdict::Regressed);
    CHECK(*slow.holm == doctest::Approx(2 * slow.samples.welch->p).epsilon(1e-12));
    CHECK(compared.all[1].statistics.step.strict.verdict == stats::Verdict::Same);
    CHECK(compared.all[2].statistics.step.strict.doubt == stats::Doubt::TooFew);
    CHECK_FALSE(compared.all[2].statistics.step.holm);
    REQUIRE(compared.omnibus_p);
    CHECK(*compared.omnibus_p < 1e-6);
}

TEST_CASE("noise is the range of the runs' medians over their mean") {
    const RunPtr a = run_of_steps({900, 1000, 1000, 1000}), b = run_of_steps({900, 1020, 1020, 1020});
    const RunPtr none = run_of({TraceFixture().rank(0).cpu(0, 5, "aten::mm").build()});
    std::vector<SampledRun> runs = sampled(a);
    CHECK_FALSE(measure_noise(runs));
    runs.push_back(sampled(none).front());
    CHECK_FALSE(measure_noise(runs));
    runs.push_back(sampled(b).front());
    CHECK(*measure_noise(runs) == doctest::Approx(20.0 / 1010));
}
