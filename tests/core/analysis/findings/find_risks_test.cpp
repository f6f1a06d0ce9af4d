#include "core/analysis/findings/find_risks.hpp"

#include "core/analysis/findings/limits.hpp"
#include "tests/core/analysis/efficiency/efficiency_fixture.hpp"
#include "tests/core/analysis/engine/answers.hpp"

using namespace core;
using namespace core::testing;

namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

// Its allocator holds that much on a device of 100 GiB; its kernels are not matrix work.
OperatorFixture holding(std::int64_t allocated, std::int64_t reserved) {
    OperatorFixture made;
    made.device("a GPU", 100 * kGiB).kernel(0, 1'000, "copy");
    made.event(500, 0, "[memory]", "cpu_instant_event", {}).phase(Phase::Instant);
    made.arg(Arg::Bytes, 512).arg(Arg::DeviceType, 1).arg(Arg::Device, 0);
    made.arg(Arg::TotalAllocated, allocated * kGiB).arg(Arg::TotalReserved, reserved * kGiB);
    return made;
}

// "slack-high low -": finding, severity, gain.
Rows risks_in(const Run& run) {
    const Answer answer = answer_of(run, "findings");
    Rows rows;
    for (std::size_t row = 0; row < answer.main().rows(); ++row) {
        const std::size_t gain = answer.main().find_column("gain");
        rows.push_back(std::string(answer.main().text(row, 0)) + " " +
                       std::string(answer.main().text(row, answer.main().find_column("severity"))) +
                       (answer.main().absent(row, gain) ? " -" : " gains"));
    }
    return rows;
}
Rows risks_in(OperatorFixture fixture) { return risks_in(*run_of({fixture.build()})); }

// A counted product, and a matrix kernel of that many ns without an operator.
OperatorFixture partly_counted(std::int64_t unknown) {
    OperatorFixture made;
    made.op(0, 50, "aten::mm").with("[[512, 1024], [1024, 1024]]", kHalves).gpu(10, 1'000, 10'000, "gemm");
    if (unknown > 0) made.kernel(11'000, unknown, "cutlass_80_tensorop");
    return made;
}

}  // namespace

TEST_CASE("a device that is nearly full is a risk without a gain") {
    CHECK(risks_in(holding(88, 90)).empty());
    CHECK(risks_in(holding(88, 92)) == Rows{"near-limit low -"});
    CHECK(risks_in(holding(88, 96)) == Rows{"near-limit medium -"});
    OperatorFixture unknown = holding(88, 96);
    unknown.info().devices.clear();
    CHECK(risks_in(unknown).empty());
}

TEST_CASE("reserved memory that is not in use is a risk where the device is nearly full, else it is cache") {
    CHECK(risks_in(holding(10, 80)).empty());
    CHECK(risks_in(holding(65, 92)) == Rows{"near-limit low -"});
    CHECK(risks_in(holding(60, 92)) == Rows{"slack-high low -", "near-limit low -"});
    CHECK(risks_in(holding(40, 92)) == Rows{"slack-high medium -", "near-limit low -"});
}

TEST_CASE("limits of risks are those of health") {
    OperatorFixture fixture = holding(88, 92);
    Limits given;
    REQUIRE_FALSE(given.add("memory-pressure.warn=0.93"));
    CHECK(given.find("memory-pressure.warn") == 0.93);
    CHECK_FALSE(given.find("mixed-precision.bad"));
    CHECK_FALSE(given.find("no such limit"));
    set_limits({}, given);
    CHECK(risks_in(fixture).empty());
    set_limits({}, {});
    CHECK(risks_in(fixture) == Rows{"near-limit low -"});
}

TEST_CASE("mostly unknown FLOP are a property of the trace: of the minor findings, with what to record") {
    const auto is_minor = [](std::int64_t unknown) {
        const Answer answer = answer_of(*run_of({partly_counted(unknown).build()}), "findings");
        CHECK(answer.main().rows() == 0);
        const Table* const minor = answer.find("minor");
        return minor != nullptr && minor->rows() == 1 && minor->text(0, 0) == "uncounted";
    };
    CHECK_FALSE(is_minor(0));
    CHECK_FALSE(is_minor(10'000));  // half of it
    CHECK(is_minor(10'200));
    const Answer answer = answer_of(*run_of({partly_counted(30'000).build()}), "findings");
    const Table* const minor = answer.find("minor");
    REQUIRE(minor);
    CHECK(minor->text(0, minor->find_column("evidence")) ==
          "FLOP are known for 25.0 % of the time of matrix kernels; 30.0 µs, in 1 kernel, have no operator that "
          "states it");
    // Less than 1 % of the window is ignored.
    OperatorFixture little;
    little.kernel(0, 10'000, "copy").kernel(10'000, 90, "cutlass_80_tensorop");
    CHECK(answer_of(*run_of({little.build()}), "findings").find("minor") == nullptr);
}

TEST_CASE("a risk is the last of its severity, and its kind has no cost") {
    OperatorFixture fixture = holding(88, 92);
    fixture.kernel(45'000, 1'000, "ncclAllReduce", 8);
    const Answer answer = answer_of(*run_of({fixture.build()}), "findings");
    const Table& kinds = *answer.find("kinds");
    REQUIRE(kinds.rows() >= 1);
    const std::size_t last = kinds.rows() - 1;
    CHECK(kinds.text(last, 0) == "near-limit");
    for (const std::string_view column : {"cost", "cost_share", "cost_per_step"})
        CHECK(kinds.absent(last, kinds.find_column(column)));
}
